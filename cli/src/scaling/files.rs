//! The files a study is written to.

use super::Args;
use crate::folder::{Folder, STOPPED};
use ::bench::scaling::report::csv;
use ::bench::scaling::result::Study;
use figures::{Download, Report, html};
use smp::schemes::Scheme;
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
    let names: &[&str] = if args.pilot.is_some() { &[DEPTHS] } else { &FILES };
    let stopped = format!("{STOPPED}{}", names[0]);
    Folder::open(path, inputs(args), &[names, &[stopped.as_str()]].concat())
}

/// The name for what a stopped study, or pilot, has of this file: where an earlier one lies it is another, beside it.
pub fn name_if_stopped(folder: &Folder, name: &str) -> String {
    if folder.has(name) { format!("{STOPPED}{name}") } else { name.to_owned() }
}

/// Writes what there is of a study, and returns what is to be said of that: of one without a search nothing is written,
/// and of one that has been `stopped` where an earlier one lies that knows more the document alone, beside it.
pub fn keep(
    args: &Args,
    mut folder: Folder,
    (study, stopped): (&Study, bool),
    report: &Report,
    documents: [Option<&str>; 2],
) -> Result<String, OutputError> {
    if study.samples.is_empty() {
        return Ok("; no file is written".to_owned());
    }
    let [document, ..] = FILES;
    if stopped && knows_more(args, document, study) {
        let name = name_if_stopped(&folder, document);
        folder.write(&name, &format!("{}\n", documents[0].unwrap_or_default()))?;
        return Ok(format!("; the earlier {document} stays, these are in {name}"));
    }
    write(&mut folder, study, report, documents)?;
    remove_old(args, report)?;
    Ok(String::new())
}

/// Does a file lie in the folder that is more than what there is of this study: a whole one, one of more searches, or
/// one that cannot be read?
fn knows_more(args: &Args, document: &str, study: &Study) -> bool {
    let path = args.out.as_ref().map(|folder| folder.join(document)).filter(|path| path.exists());
    let more = |old: Study| old.is_complete() || old.samples.len() > study.samples.len();
    path.is_some_and(|path| Study::read(&path).map_or(true, more))
}

/// What the command reads.
fn inputs(args: &Args) -> Outputs {
    let sets = args.files_read();
    let files = sets.iter().chain(&args.against).chain(&args.from).map(PathBuf::as_path);
    Outputs::reading(files.chain(args.evaluation.file()))
}

/// The file of a strip, from 1.
fn trace_name(number: usize) -> String {
    format!("trace-{number}.svg")
}

/// Writes all files of a study: `documents` are its own and that of the study without cache lines.
fn write(
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
        folder.write(&trace_name(number + 1), &picture)?;
    }
    Ok(())
}

/// Removes the pictures of an earlier study in the folder that this one does not have: they would be taken for its own.
fn remove_old(args: &Args, report: &Report) -> Result<(), OutputError> {
    let Some(folder) = &args.out else { return Ok(()) };
    let [_, _, _, _, _, pictures @ ..] = FILES;
    let pictures = pictures.into_iter().skip(report.charts.len()).map(str::to_owned);
    // There is no more than one strip for each scheme.
    let strips = (report.strips.len() + 1..=Scheme::ALL.len()).map(trace_name);
    let mut inputs = inputs(args);
    for path in pictures.chain(strips).map(|name| folder.join(name)) {
        // What could not be written over is not removed either, and what a link leads to is elsewhere.
        if path.symlink_metadata().is_ok_and(|data| data.is_file()) && inputs.place(&path).is_ok() {
            std::fs::remove_file(&path).map_err(|cause| OutputError::Io { path, cause })?;
        }
    }
    Ok(())
}
