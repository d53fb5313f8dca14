//! A study's result: the document that is written, read again and compared.

use super::fits::{Amdahl, Usl};
use super::plan::{ALONE, ClockKind, Cluster, Goal, Plan, Run, Team};
use super::rows::{Pairs, Row, rows, solved_at_once};
use super::sample::{Sample, have_sums};
use super::stats::quantile;
use serde::{Deserialize, Serialize};
use smp::schemes::Scheme;
use std::path::{Path, PathBuf};
use sys::provenance::Provenance;

/// Version of the document; raised when a field changes its meaning or disappears.
pub const SCHEMA: u32 = 1;
/// Nodes of one thread's tree for each thread of a team below which the tree is too small for the team: a
/// millisecond's.
const EACH: u64 = 1000;

/// What was run, and on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Version of the engine.
    pub version: String,
    /// Nodes of `firstborn bench`, which tell one search from another; absent if they were not counted.
    pub signature: Option<u64>,
    /// The machine, in one line.
    pub machine: String,
    /// All that is known of program, machine and day; absent from results of before 2026-11-26.
    #[serde(default)]
    pub provenance: Option<Provenance>,
    /// Processors that may be used there at once, siblings of one core included; cores in results from before
    /// those were kept.
    pub cpus: usize,
    /// Physical cores that may be used there at once; absent from results of before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
    /// How many of those that may be used are of the fastest kind; absent where all are of one kind, and from results
    /// of before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fastest_cores: Option<usize>,
    /// The command that measures the same again, all settings in it and no destinations.
    pub command: String,
    /// The clock.
    pub clock: ClockKind,
    /// When a search ended.
    pub goal: Goal,
    /// Size of the table in mebibytes.
    pub hash: usize,
    /// Seed of bootstrap and jitter.
    pub seed: u64,
    /// Whether the other cores were kept busy.
    pub load: bool,
    /// The virtual clock's costs, if it ran by that.
    pub costs: Option<String>,
    /// What joined the machines, if some searches had several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Cluster>,
}

/// A position that was searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// Its name in the samples.
    pub id: String,
    /// The position.
    pub fen: String,
    /// The depth it was to be searched to, if it had one.
    pub depth: Option<u32>,
}

impl Searched {
    /// The positions of a plan.
    pub fn of(plan: &Plan) -> Vec<Self> {
        let searched = plan.positions.iter().map(|entry| Searched {
            id: entry.id.clone(),
            fen: entry.position.fen(),
            depth: entry.depth.filter(|_| plan.goal == Goal::Depth),
        });
        searched.collect()
    }
}

/// The laws fitted to one scheme.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The scheme.
    #[serde(with = "super::sample::by_name")]
    pub scheme: Scheme,
    /// Amdahl's law, from one thread count beyond 1.
    pub amdahl: Option<Amdahl>,
    /// The Universal Scalability Law, from two.
    pub usl: Option<Usl>,
}

/// The result of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What was run.
    #[serde(flatten)]
    pub setting: Setting,
    /// Searches planned; fewer samples mean that the study was stopped.
    pub planned: usize,
    /// The positions.
    pub searched: Vec<Searched>,
    /// How many samples, from the first, the rows rest on, where that is not all: see [`Study::counted()`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<usize>,
    /// Positions that were solved at once and are left out of the rows.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// A row for each team; made anew from the samples wherever a result is read.
    #[serde(skip_deserializing)]
    pub rows: Vec<Row>,
    /// Laws fitted, by scheme; made anew as the rows are.
    #[serde(skip_deserializing)]
    pub fits: Vec<Fit>,
    /// Every search, in the plan's order.
    pub samples: Vec<Sample>,
}

/// Why a result could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file.
    #[error("cannot read {path}: {cause}")]
    File {
        /// Its name.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// What is in it.
    #[error("{path} is not a scaling result: {cause}")]
    Content {
        /// Its name.
        path: PathBuf,
        /// What is wrong.
        cause: serde_json::Error,
    },
    /// Written by another version of this program.
    #[error("{path} has schema {found}; this program reads schema {SCHEMA}")]
    Schema {
        /// Its name.
        path: PathBuf,
        /// The schema it has.
        found: u32,
    },
    /// No search has such counts.
    #[error("{path} has counts too large to be added up")]
    TooLarge {
        /// Its name.
        path: PathBuf,
    },
}

impl Study {
    /// Makes the figures from the samples, which are in the plan's order.
    pub fn new(plan: &Plan, setting: Setting, samples: Vec<Sample>) -> Self {
        let order = plan.order();
        let planned = order.len();
        let is_there = |(run, sample): &(Run, &Sample)| sample.is_of(plan, run);
        let unbroken = order.into_iter().zip(&samples).take_while(is_there).count();
        let mut study = Study {
            schema: SCHEMA,
            setting,
            planned,
            searched: Searched::of(plan),
            counted: Some(unbroken).filter(|&count| count < samples.len()),
            left_out: Vec::new(),
            rows: Vec::new(),
            fits: Vec::new(),
            samples,
        };
        study.work_out();
        study
    }

    /// Reads a result and makes its figures anew.
    ///
    /// # Errors
    /// When the file cannot be read or is something else.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
        }
        let path_of = || path.to_owned();
        let text = std::fs::read(path).map_err(|cause| ReadError::File { path: path_of(), cause })?;
        let content = |cause| ReadError::Content { path: path_of(), cause };
        let head: Head = serde_json::from_slice(&text).map_err(content)?;
        if head.schema != SCHEMA {
            return Err(ReadError::Schema { path: path_of(), found: head.schema });
        }
        let mut study: Study = serde_json::from_slice(&text).map_err(content)?;
        if !have_sums(&study.samples) {
            return Err(ReadError::TooLarge { path: path_of() });
        }
        study.work_out();
        Ok(study)
    }

    fn work_out(&mut self) {
        let Setting { clock, goal, seed, .. } = self.setting;
        self.rows = rows(self.counted(), clock, goal, seed);
        self.fits = fits(&self.rows, &self.setting);
        self.left_out = solved_at_once(self.counted());
    }

    /// The samples on which the rows rest: all, but of a stopped study only those before the first search that is
    /// missing. Of searches that ran side by side the shortest were finished first, and all of these together would
    /// stand for smaller trees than those of the plan.
    pub fn counted(&self) -> &[Sample] {
        &self.samples[..self.counted.unwrap_or(usize::MAX).min(self.samples.len())]
    }

    /// A team's pairs in these samples.
    pub fn pairs(&self, team: Team) -> Pairs<'_> {
        Pairs::new(self.counted(), team, self.setting.goal)
    }

    /// Was every search done?
    pub fn is_complete(&self) -> bool {
        self.samples.len() == self.planned
    }

    /// The largest team and the median nodes that one thread's tree has for each of its threads, where these are so few
    /// that the study shows how fast threads start rather than how they search.
    pub fn too_small(&self) -> Option<(usize, u64)> {
        let threads =
            self.rows.iter().map(|row| row.team().all_threads()).max().filter(|&threads| threads > 1)?;
        let counted = |sample: &&Sample| sample.team() == ALONE && !self.left_out.contains(&sample.position);
        let counted = self.counted().iter().filter(counted);
        let mut nodes: Vec<f64> = counted.map(|sample| sample.total_nodes() as f64).collect();
        if nodes.is_empty() {
            return None;
        }
        nodes.sort_by(f64::total_cmp);
        let each = (quantile(&nodes, 0.5) / threads as f64) as u64;
        (each < EACH).then_some((threads, each))
    }

    /// The schemes that have rows beyond the baseline, in their order.
    pub fn schemes(&self) -> Vec<Scheme> {
        let teams = self.rows.iter().filter(|row| row.team() != ALONE);
        let mut schemes: Vec<Scheme> = teams.map(|row| row.scheme).collect();
        schemes.dedup();
        schemes
    }

    /// Did some searches have several machines?
    pub fn has_clusters(&self) -> bool {
        self.rows.iter().any(|row| row.machines > 1)
    }

    /// The rows of one scheme, by threads.
    pub fn rows_of(&self, scheme: Scheme) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.scheme == scheme)
    }
}

impl Setting {
    /// Were there more threads than processors, so that their speed-up is none?
    pub fn is_crowded_by(&self, threads: usize) -> bool {
        self.clock == ClockKind::Real && threads > self.cpus
    }
}

/// The laws of the speed-ups on one machine, where these are some.
fn fits(rows: &[Row], setting: &Setting) -> Vec<Fit> {
    let mut schemes: Vec<Scheme> = rows.iter().map(|row| row.scheme).collect();
    schemes.dedup();
    schemes.retain(|&scheme| scheme != Scheme::Serial);
    let fit = |scheme| {
        let own = rows.iter().filter(|row| row.scheme == scheme && row.machines == 1);
        let own = own.filter(|row| !setting.is_crowded_by(row.threads));
        let points: Vec<_> = own.map(|row| (row.threads as f64, row.speedup)).collect();
        Fit { scheme, amdahl: Amdahl::fit(&points), usl: Usl::fit(&points) }
    };
    schemes.into_iter().map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::fake::{Fake, plan, study, study_of};
    use cluster::simulation::Rank;

    fn fake() -> Study {
        study(&mut Fake { law: Amdahl { serial_fraction: 0.05, error: None }, left: None })
    }

    /// A row of four machines, each with the threads of the last one, which together are twice as fast as one thread.
    fn on_four_machines(rows: &[Row]) -> Row {
        let last = rows.last().expect("teams of one machine");
        Row { machines: 4, speedup: 2.0, ..last.clone() }
    }

    /// The law of the fake study is that of its threads; other machines have no part in it.
    #[test]
    fn laws_are_fitted_to_the_threads_of_one_machine() {
        let Study { mut rows, setting, .. } = fake();
        rows.push(on_four_machines(&rows));
        let fits = fits(&rows, &setting);
        let amdahl = fits[0].amdahl.expect("three teams of one machine");
        let error = amdahl.error.expect("more teams than parameters");
        assert!((amdahl.serial_fraction - 0.05).abs() < 1e-6 && error < 1e-6, "{fits:?}");
    }

    /// Eight threads on four processors are as fast as one; on three processors two threads are all that says
    /// something, and on one none are. The virtual clock has a processor for each.
    #[test]
    fn threads_without_processors_have_no_part_in_the_laws() {
        let Study { mut rows, setting, .. } = fake();
        rows.iter_mut().filter(|row| row.threads == 8).for_each(|row| row.speedup = 1.0);
        let fitted = |clock, cpus| {
            let fit = fits(&rows, &Setting { clock, cpus, ..setting.clone() }).remove(0);
            (fit.amdahl.map(|law| (law.serial_fraction - 0.05).abs() < 1e-6), fit.usl.is_some())
        };
        assert_eq!(fitted(ClockKind::Real, 4), (Some(true), true));
        assert_eq!(fitted(ClockKind::Real, 3), (Some(true), false));
        assert_eq!(fitted(ClockKind::Real, 1), (None, false));
        assert_eq!(fitted(ClockKind::Real, 8), (Some(false), true));
        assert_eq!(fitted(ClockKind::Virtual, 1), (Some(false), true));
    }

    /// Four teams by hand: all have searched the first position; of the second the search by eight threads is missing,
    /// and one thread's stands behind it. What stands there is left out, here with teams that would be a thousand times
    /// as fast, also where the study is read again.
    #[test]
    fn the_rows_of_a_stopped_study_rest_on_what_comes_before_a_gap() {
        let mut samples = fake().samples;
        samples.truncate(20);
        samples.remove(6);
        let missing = Team::new(Scheme::Ybw, 8);
        assert!(samples[4..7].iter().all(|sample| sample.position == "BK.02" && sample.team() != missing));
        for sample in samples[6..].iter_mut().filter(|sample| sample.team() != ALONE) {
            sample.time_ns /= 1000;
        }
        let study = study_of(&plan(Goal::Depth), samples);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("scaling.json");
        std::fs::write(&path, serde_json::to_vec(&study).expect("it is JSON")).expect("it can be written");
        for study in [study, Study::read(&path).expect("it is a study")] {
            assert_eq!((study.counted, study.samples.len()), (Some(6), 19));
            assert_eq!(study.rows.iter().map(|row| row.positions).collect::<Vec<_>>(), [1; 4]);
            for row in &study.rows {
                let law = Amdahl { serial_fraction: 0.05, error: None }.speedup(row.threads as f64);
                assert!((row.speedup / law - 1.0).abs() < 1e-4, "{row:?}");
            }
        }
        let whole = fake();
        assert_eq!((whole.counted, whole.counted().len()), (None, 2 * 24 * 4));
    }

    /// Figures are made anew from the samples, so a document may lack them, or have others than this program makes.
    #[test]
    fn a_document_is_read_whatever_figures_it_has() {
        let study = fake();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("scaling.json");
        for figures in [None, Some(serde_json::json!([{ "scheme": "ybw", "amdahl": { "share": 1 } }]))] {
            let mut document = serde_json::to_value(&study).expect("it is JSON");
            let fields = document.as_object_mut().expect("it is an object");
            for name in ["rows", "fits", "left_out"] {
                fields.remove(name);
            }
            if let Some(figures) = figures {
                fields.insert("rows".to_owned(), figures.clone());
                fields.insert("fits".to_owned(), figures);
            }
            std::fs::write(&path, document.to_string()).expect("it can be written");
            let read = Study::read(&path).expect("it is a study");
            let amdahl = read.fits[0].amdahl.expect("three teams");
            assert!((amdahl.serial_fraction - 0.05).abs() < 1e-6, "{:?}", read.fits);
            assert_eq!((read.rows.len(), &read.left_out), (study.rows.len(), &study.left_out));
        }
    }

    /// Results of before its kinds of core, packages and memory nodes were counted have a machine without them.
    #[test]
    fn an_older_machine_is_read() {
        let machine = sys::cpu::Machine::default();
        let mut document = serde_json::to_value(&machine).expect("it is JSON");
        for name in ["kinds", "packages", "nodes"] {
            assert!(document.as_object_mut().expect("it is an object").remove(name).is_some(), "{name}");
        }
        assert_eq!(serde_json::from_value::<sys::cpu::Machine>(document).ok(), Some(machine));
    }

    /// Each of them is a number that a file may hold, and a sum or a product with another one is none.
    #[test]
    fn counts_that_cannot_be_added_up_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("scaling.json");
        let large: [fn(&mut Sample); 7] = [
            |sample| sample.nodes = vec![u64::MAX, 1],
            |sample| sample.idle_ns = vec![1, u64::MAX],
            |sample| sample.time_ns = u64::MAX / 3,
            |sample| sample.tally.joins = u64::MAX,
            |sample| sample.traffic.get_or_insert_default().line_ns = [u64::MAX / 4; 6],
            |sample| sample.ranks = vec![Rank { talking_ns: u64::MAX, ..Rank::default() }],
            |sample| (sample.threads, sample.machines) = (usize::MAX / 2, 3),
        ];
        for (number, change) in large.into_iter().enumerate() {
            let mut study = fake();
            let team = study.samples.iter_mut().find(|sample| sample.threads == 4);
            change(team.expect("a team of four"));
            let text = serde_json::to_string(&study).expect("it is JSON");
            std::fs::write(&path, text).expect("it can be written");
            let error = Study::read(&path).expect_err("it is too large");
            assert!(matches!(error, ReadError::TooLarge { .. }), "{number}: {error}");
        }
    }

    /// Of 6000 and 8000 nodes the median is 7000: 875 for each of 8 threads, and 218 for each of 32 on four machines.
    #[test]
    fn the_median_of_two_positions_lies_between_them() {
        let mut study = fake();
        study.samples.retain(|sample| sample.team() == ALONE);
        study.samples.truncate(2);
        study.left_out.clear();
        for (sample, nodes) in study.samples.iter_mut().zip([8000, 6000]) {
            sample.nodes = vec![nodes];
        }
        assert_eq!(study.too_small(), Some((8, 875)));
        study.rows.push(on_four_machines(&study.rows));
        assert_eq!(study.too_small(), Some((32, 218)));
        study.samples.clear();
        assert_eq!(study.too_small(), None);
    }
}
