//! How far a study is, on a terminal's error stream; nothing in a pipe.

use ::bench::scaling::plan::Plan;
use ::bench::scaling::sample::Sample;
use ::bench::scaling::study::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// A bar that tells the last search and the time left.
pub struct Progress(ProgressBar);

impl Progress {
    /// For all searches of the plan; `silent` shows nothing.
    pub fn new(plan: &Plan, silent: bool) -> Self {
        Progress(bar(plan.order().len(), silent))
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Watch for Progress {
    fn done(&mut self, sample: &Sample) {
        let seconds = sample.time_ns as f64 / 1e9;
        self.0.set_message(format!("{} {} {seconds:.2} s", sample.team(), sample.position));
        self.0.inc(1);
    }
}

/// A bar over `total` searches.
pub fn bar(total: usize, silent: bool) -> ProgressBar {
    let target = if silent { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{pos}/{len} searches {bar:30} {elapsed} ETA {eta} {msg}")
        .expect("the template is constant and well formed");
    let bar = ProgressBar::with_draw_target(Some(total as u64), target).with_style(style);
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Says what is going on.
pub fn spinner(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_bar_tells_the_last_search_and_how_many_are_done() {
        let sample = |position: &str| -> Sample {
            serde_json::from_value(json!({
                "scheme": "ybw", "threads": 8, "position": position, "repeat": 0, "depth": 3, "score": "cp 1",
                "best": "e2e4", "time_ns": 1_500_000_000, "nodes": [], "idle_ns": [], "iterations": [],
                "tally": {"splits": 0, "joins": 0, "refused": 0, "aborted": 0, "wasted": 0, "deferred": 0},
            }))
            .unwrap()
        };
        let mut progress = Progress(bar(3, true));
        progress.done(&sample("BK.01"));
        progress.done(&sample("BK.02"));
        assert_eq!((progress.0.position(), progress.0.message().as_str()), (2, "ybw x8 BK.02 1.50 s"));
    }
}
