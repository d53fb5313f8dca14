//! The files a study is written to.

use super::Args;
use crate::folder::Folder;
use ::bench::scaling::report::csv;
use ::bench::scaling::result::Study;
use figures::{Download, Report, html};
use std::path::{Path, PathBuf};
use sys::output::{OutputError, Outputs};

/// What a study is written as, but for its traces; the second is the study without cache lines, if there is
/// one.
const FILES: [&str; 8] = [
    "scaling.json",
    "without-lines.json",
    "scaling.csv",
    "samples.csv",
    "scaling.html",
    "speedup.svg",
    "overhead.svg",
    "idle.svg",
];
/// What a pilot is written as.
pub const DEPTHS: &str = "depths.epd";

/// The folder for a study's files, or a pilot's.
pub fn folder(path: &Path, args: &Args) -> Result<Folder, OutputError> {
    let sets = args.positions.split('+').chain([args.positions.as_str()]).chain(args.depths.as_deref());
    let results = args.against.iter().chain(&args.from).map(PathBuf::as_path);
    let inputs = Outputs::reading(sets.map(Path::new).chain(results).chain(args.evaluation.file()));
    Folder::open(path, inputs, if args.pilot.is_some() { &[DEPTHS] } else { &FILES })
}

/// Writes all files of a study: `documents` are its own and that of the study without cache lines.
pub fn write(
    folder: &mut Folder,
    study: &Study,
    report: &Report,
    documents: [Option<&str>; 2],
) -> Result<(), OutputError> {
    let [document, without_lines, rows, samples, page, pictures @ ..] = FILES;
    let documents = [document, without_lines].into_iter().zip(documents);
    let mut files: Vec<(&str, String)> =
        documents.filter_map(|(name, json)| Some((name, format!("{}\n", json?)))).collect();
    files.extend([(rows, csv::rows(study)), (samples, csv::samples(study))]);
    for (name, text) in &files {
        folder.write(name, text)?;
    }
    let downloads = files.into_iter().map(|(name, text)| Download::new(name, text)).collect();
    let report = Report { downloads, ..report.clone() };
    folder.write(page, &html::page(&report, "firstborn scaling"))?;
    for (name, picture) in pictures.iter().zip(report.pictures()) {
        folder.write(name, &picture)?;
    }
    for (number, picture) in report.strip_pictures().into_iter().enumerate() {
        folder.write(&format!("trace-{}.svg", number + 1), &picture)?;
    }
    Ok(())
}
