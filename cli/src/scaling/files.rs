//! The folder a study is written to.

use ::bench::scaling::report::csv;
use ::bench::scaling::result::Study;
use anyhow::Context;
use figures::{Report, html};
use std::path::{Path, PathBuf};

/// A folder that has been found writable.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes the folder if it is not there, and finds out before the first search whether it can be written to.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let refused = || format!("cannot write to {}", path.display());
        std::fs::create_dir_all(path).with_context(refused)?;
        let probe = path.join(format!(".firstborn-{}", std::process::id()));
        std::fs::write(&probe, "").with_context(refused)?;
        std::fs::remove_file(&probe).with_context(refused)?;
        Ok(Folder(path.to_owned()))
    }

    /// Writes one file.
    pub fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.0.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Writes all files of a study.
    pub fn write_study(&self, study: &Study, report: &Report, json: &str) -> anyhow::Result<()> {
        self.write("scaling.json", &format!("{json}\n"))?;
        self.write("scaling.csv", &csv::rows(study))?;
        self.write("samples.csv", &csv::samples(study))?;
        self.write("scaling.html", &html::page(report, "firstborn scaling"))?;
        for (name, chart) in ["speedup.svg", "overhead.svg", "idle.svg"].iter().zip(&report.charts) {
            self.write(name, &chart.svg())?;
        }
        for (number, strip) in report.strips.iter().enumerate() {
            self.write(&format!("trace-{}.svg", number + 1), &strip.svg())?;
        }
        Ok(())
    }
}
