//! Dice: twenty ten-sided ones, thrown together in public after the commitment is out, read from the left.
//!
//! Two people type them, each with a token of their own: a slip of one is noticed, and nobody alone can post a throw that
//! was not made. What is posted stays in the record, right or wrong.

use jiff::Timestamp;
use serde::Serialize;
use std::{fmt, str::FromStr};
use utoipa::ToSchema;

/// A throw as it lay, from the left: twenty digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits(String);

/// Not twenty digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDigits;

impl fmt::Display for NotDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a throw is 20 digits, 0 to 9, the ten-sided dice as they lie from the left, without blanks")
    }
}

impl std::error::Error for NotDigits {}

impl FromStr for Digits {
    type Err = NotDigits;

    fn from_str(text: &str) -> Result<Self, NotDigits> {
        let fine = text.len() == 20 && text.bytes().all(|b| b.is_ascii_digit());
        if fine { Ok(Self(text.to_owned())) } else { Err(NotDigits) }
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One post of a throw.
#[derive(Clone, Debug)]
pub struct Post {
    /// The round that the dice were thrown for.
    pub round: u16,
    /// When it was posted.
    pub at: Timestamp,
    /// Token that posted it.
    pub by: String,
    /// What was posted.
    pub digits: Digits,
    /// Log index of the post.
    pub entry: u64,
}

/// How the dice of a round stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nothing is posted yet.
    Awaited,
    /// Posted once; another token must post the same.
    PostedOnce,
    /// Posted as often as the policy asks, all alike.
    Complete,
    /// Two posts differ: the draws are voided and the dice thrown again.
    Mismatch,
}

/// Why a post is not taken. Nothing is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Two posts differ already.
    Mismatch,
    /// The same token cannot confirm itself.
    SameToken,
}

/// How the posts of one throw stand, in their order; `confirm`: a second token must post the same.
pub fn standing(posts: &[Post], confirm: bool) -> Standing {
    let alike = posts.windows(2).all(|pair| pair[0].digits == pair[1].digits);
    match posts.len() {
        0 => Standing::Awaited,
        _ if !alike => Standing::Mismatch,
        1 if confirm => Standing::PostedOnce,
        _ => Standing::Complete,
    }
}

/// Whether a token may add a post to those of a throw.
///
/// # Errors
/// Why not.
pub fn may_post(posts: &[Post], by: &str, confirm: bool) -> Result<(), Refusal> {
    match standing(posts, confirm) {
        Standing::Mismatch => Err(Refusal::Mismatch),
        _ if posts.iter().any(|post| post.by == by) => Err(Refusal::SameToken),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(by: &str, digits: &str) -> Post {
        let digits = digits.parse().unwrap();
        Post { round: 1, at: Timestamp::UNIX_EPOCH, by: by.into(), digits, entry: 1 }
    }

    const ONE: &str = "63454660390103169462";
    const OTHER: &str = "63454660390103169463";

    #[test]
    fn a_throw_is_twenty_digits() {
        assert_eq!(ONE.parse::<Digits>().unwrap().to_string(), ONE);
        for bad in ["", &ONE[1..], &format!("{ONE}0"), "6345466039010316946x", "6345466039 103169462", "６３４５４６６"]
        {
            assert_eq!(bad.parse::<Digits>(), Err(NotDigits), "{bad:?}");
        }
    }

    #[test]
    fn two_tokens_must_post_the_same() {
        let (a, b) = (post("a", ONE), post("b", ONE));
        assert_eq!(standing(&[], true), Standing::Awaited);
        assert_eq!(standing(std::slice::from_ref(&a), true), Standing::PostedOnce);
        assert_eq!(standing(std::slice::from_ref(&a), false), Standing::Complete);
        assert_eq!(standing(&[a.clone(), b], true), Standing::Complete);
        assert_eq!(may_post(std::slice::from_ref(&a), "a", true), Err(Refusal::SameToken));
        assert_eq!(may_post(&[a], "b", true), Ok(()));
    }

    #[test]
    fn nothing_mends_a_mismatch() {
        let posts = [post("a", ONE), post("b", OTHER)];
        assert_eq!(standing(&posts, true), Standing::Mismatch);
        for by in ["a", "b", "c"] {
            assert_eq!(may_post(&posts, by, true), Err(Refusal::Mismatch));
        }
    }
}
