//! Log lines and metrics: where they go, and which are kept.

use crate::config::{Config, LogFormat};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{
    io::{IsTerminal, stderr},
    sync::OnceLock,
};
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

/// Upper bounds of the request histogram, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// Starts writing log lines to standard error. Standard output belongs to what people asked for.
pub fn start_log(config: &Config) {
    // Our own lines only, at any level: those of libraries could hold headers or statements.
    let ours = format!("draw960={}", config.log_level.as_str());
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::WARN.into()).parse_lossy(ours);
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).with_target(false);
    // A line that cannot be written, on a full disk or into a closed pipe, is lost. By default that is complained about on
    // standard error, which panics for the same reason, and the request or the release under way is lost as well.
    let builder = builder.with_ansi(stderr().is_terminal()).log_internal_errors(false);
    // A second start in one process keeps the first's.
    let _ = match config.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init(),
    };
}

/// The metrics of this process.
pub fn metrics() -> &'static PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(start_metrics)
}

fn start_metrics() -> PrometheusHandle {
    let duration = Matcher::Full("d960_http_request_duration_seconds".into());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(duration, &BUCKETS).unwrap_or_default();
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    // Only a process that records elsewhere already refuses; its metrics are then not ours to show.
    let _ = metrics::set_global_recorder(recorder);
    describe();
    metrics::gauge!("d960_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    handle
}

fn describe() {
    metrics::describe_gauge!("d960_build_info", "Always 1; the label says which version runs.");
    metrics::describe_counter!("d960_http_requests_total", "Requests answered, by route, method and status.");
    metrics::describe_histogram!("d960_http_request_duration_seconds", "Time to the head of the answer, by route.");
    metrics::describe_counter!("d960_connections_refused_total", "Connections refused because all places were taken.");
    metrics::describe_counter!("d960_releases_total", "Draws released.");
    metrics::describe_counter!("d960_overdue_total", "Rounds found overdue: an arbiter must decide.");
    metrics::describe_counter!("d960_release_failures_total", "Looks at what is due that failed.");
    metrics::describe_gauge!(
        "d960_release_lag_seconds",
        "From the release instant to the public position, last release."
    );
    metrics::describe_gauge!("d960_release_last_pass_seconds", "Unix time of the last good look at what is due.");
    metrics::describe_gauge!(
        "d960_custody_current",
        "1 while the custody folder has the newest state, 0 while it has not."
    );
    metrics::describe_gauge!("d960_custody_last_copy_seconds", "Unix time of the last copy to the custody folder.");
    metrics::describe_counter!("d960_custody_failures_total", "Copies to the custody folder that failed.");
    for counter in ["d960_connections_refused_total", "d960_release_failures_total", "d960_custody_failures_total"] {
        // Shown from the start, so that an alarm on their rise has something to rise from.
        metrics::counter!(counter).increment(0);
    }
}
