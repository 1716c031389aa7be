//! Tails of the distributions that chance follows: one function, the incomplete gamma, gives them all.

/// Enough terms for every argument that counts of draws lead to.
const MOST_TERMS: usize = 100_000;
/// Terms smaller than this share of the sum change nothing.
const NEGLIGIBLE: f64 = 1e-15;

/// Probability that a Poisson variable of this mean is at least `k`.
pub(super) fn poisson_at_least(k: u64, mean: f64) -> f64 {
    match k {
        0 => 1.0,
        _ => lower_gamma(k as f64, mean),
    }
}

/// Probability that a chi-square variable of so many degrees of freedom is at least `x`.
pub(super) fn chi_square_at_least(x: f64, freedom: usize) -> f64 {
    upper_gamma(freedom as f64 / 2.0, x / 2.0)
}

/// Probability that a normal variable is at least `z` of its deviations off, on either side.
pub(super) fn normal_off_by(z: f64) -> f64 {
    upper_gamma(0.5, z * z / 2.0)
}

/// The regularised lower incomplete gamma function P(a, x), for a > 0.
fn lower_gamma(a: f64, x: f64) -> f64 {
    match x {
        _ if x <= 0.0 => 0.0,
        _ if x < a + 1.0 => series(a, x),
        _ => 1.0 - fraction(a, x),
    }
}

/// The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x).
fn upper_gamma(a: f64, x: f64) -> f64 {
    match x {
        _ if x <= 0.0 => 1.0,
        _ if x < a + 1.0 => 1.0 - series(a, x),
        _ => fraction(a, x),
    }
}

/// P by its power series (DLMF 8.11.4), which is quick where x is below a + 1.
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for n in 1..MOST_TERMS {
        term *= x / (a + n as f64);
        sum += term;
        if term < sum * NEGLIGIBLE {
            break;
        }
    }
    sum * factor(a, x)
}

/// Q by its continued fraction (DLMF 8.9.2), evaluated from the front as Lentz does, which is quick elsewhere.
fn fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let mut value = d;
    for n in 1..MOST_TERMS {
        let an = -(n as f64) * (n as f64 - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        value *= c * d;
        if (c * d - 1.0).abs() < NEGLIGIBLE {
            break;
        }
    }
    value * factor(a, x)
}

/// x^a e^-x / Γ(a).
fn factor(a: f64, x: f64) -> f64 {
    (a * x.ln() - x - ln_gamma(a)).exp()
}

/// ln Γ(a) for a > 0: Stirling's series (DLMF 5.11.1) from 10 on, and the recurrence below.
fn ln_gamma(a: f64) -> f64 {
    if a < 10.0 {
        return ln_gamma(a + 1.0) - a.ln();
    }
    let s = 1.0 / (a * a);
    let tail = (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / a;
    (a - 0.5) * a.ln() - a + 0.5 * std::f64::consts::TAU.ln() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(value: f64, known: f64) {
        assert!((value / known - 1.0).abs() < 1e-9, "{value:e} is not {known:e}");
    }

    /// Values of printed tables and of sums that can be written out.
    #[test]
    fn known_values() {
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        near(ln_gamma(11.0), 3_628_800f64.ln());
        near(normal_off_by(1.0), 0.317_310_507_862_914);
        near(normal_off_by(1.959_963_984_540_054), 0.05);
        near(normal_off_by(6.0), 1.973_175_290_075_396e-9);
        near(chi_square_at_least(2.0, 2), (-1f64).exp());
        near(chi_square_at_least(11.070_497_693_516_355, 5), 0.05);
        near(poisson_at_least(1, 2.0), 1.0 - (-2f64).exp());
        near(poisson_at_least(0, 5.0), 1.0);
        assert_eq!(poisson_at_least(1, 0.0), 0.0);
    }

    /// Far out and for large arguments, against the sum of the Poisson terms themselves.
    #[test]
    fn far_tails_are_those_of_the_sum() {
        for (k, mean) in [(5u64, 0.2f64), (62, 20.8), (150, 100.0), (700, 500.0), (1, 1e-6), (30, 40.0)] {
            let mut term = (k as f64 * mean.ln() - mean - ln_gamma(k as f64 + 1.0)).exp();
            let (mut sum, mut n) = (0.0, k);
            while term > sum * 1e-17 || n < mean as u64 {
                sum += term;
                n += 1;
                term *= mean / n as f64;
            }
            near(poisson_at_least(k, mean), sum);
        }
    }
}
