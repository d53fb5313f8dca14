//! What is kept of a battery: a file for each part, and one document of all parts that are there.

use super::machine::Machine;
use super::{Depth, Measured, Part, Step};
use crate::scaling::sample::have_sums;
use figures::table::counted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use sys::provenance::Provenance;

/// A part as its file has it. Files from before it was kept have nothing but what was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was found.
    #[serde(flatten)]
    pub part: Part,
    /// When, in UTC.
    #[serde(default)]
    pub date: Option<String>,
    /// On which machine: a hash of its [`identity`](sys::host::identity), if it has one.
    #[serde(default)]
    pub host: Option<String>,
    /// Size of the table in mebibytes.
    #[serde(default)]
    pub hash: Option<usize>,
    /// How many parts the whole battery has.
    #[serde(default)]
    pub parts: Option<usize>,
}

/// Why a file is not the part that its name says.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// What is in it.
    #[error("is not a part of a battery: {0}")]
    Content(serde_json::Error),
    /// It is a part of another kind.
    #[error("is another part than its name says")]
    Another,
    /// No search has such counts.
    #[error("has counts too large to be added up")]
    TooLarge,
}

impl Record {
    /// Reads the file of a step.
    ///
    /// # Errors
    /// When that holds something else.
    pub fn read(step: Step, text: &[u8]) -> Result<Self, ReadError> {
        let record: Record = serde_json::from_slice(text).map_err(ReadError::Content)?;
        let checked = match (step, &record.part) {
            (Step::Machine, Part::Machine(_)) | (Step::Pilot, Part::Pilot(_)) => Ok(()),
            (Step::Round(..), Part::Round(round)) => {
                let samples = round.iter().map(|measured| &measured.sample);
                have_sums(samples).then_some(()).ok_or(ReadError::TooLarge)
            }
            _ => Err(ReadError::Another),
        };
        checked.map(|()| record)
    }
}

/// The parts of a battery that are there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    records: BTreeMap<Step, Record>,
}

impl Parts {
    /// Adds a part.
    pub fn insert(&mut self, step: Step, record: Record) {
        self.records.insert(step, record);
    }

    /// Is this part there?
    pub fn has(&self, step: Step) -> bool {
        self.records.contains_key(&step)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Step, &Record)> {
        self.records.iter().map(|(&step, record)| (step, record))
    }

    /// The machine, if it has been looked at.
    pub fn machine(&self) -> Option<&Machine> {
        match &self.records.get(&Step::Machine)?.part {
            Part::Machine(machine) => Some(machine),
            _ => None,
        }
    }

    /// The depths that the pilot has chosen.
    pub fn depths(&self) -> &[Depth] {
        match self.records.get(&Step::Pilot).map(|record| &record.part) {
            Some(Part::Pilot(depths)) => depths,
            _ => &[],
        }
    }

    /// The rounds, in their order.
    pub fn rounds(&self) -> impl Iterator<Item = (Step, &Vec<Measured>)> {
        self.iter().filter_map(|(step, record)| match &record.part {
            Part::Round(round) => Some((step, round)),
            _ => None,
        })
    }

    /// How many parts the whole battery has; `None` if no file says.
    fn planned(&self) -> Option<usize> {
        self.records.values().find_map(|record| record.parts)
    }

    /// Size of the table in mebibytes, if a file says it.
    fn hash(&self) -> Option<usize> {
        self.records.values().find_map(|record| record.hash)
    }

    /// Are these all? `None` where no file says how many there are.
    pub fn is_complete(&self) -> Option<bool> {
        self.planned().map(|planned| self.len() == planned)
    }

    /// How far the battery has come, in words.
    pub fn progress(&self) -> String {
        let done = self.len();
        match self.planned() {
            Some(planned) if done == planned => {
                format!("Battery, complete: {}", counted(done as u64, "part"))
            }
            Some(planned) => format!("Battery, stopped: {done} of {}", counted(planned as u64, "part")),
            None => format!("Battery: {}; of how many is not known", counted(done as u64, "part")),
        }
    }

    /// Where the figures come from, by name: program, machine, dates.
    pub fn facts(&self) -> Vec<(String, String)> {
        let Some(machine) = self.machine() else { return Vec::new() };
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let mut facts = machine.provenance.lines();
        if machine.provenance == Provenance::default() {
            facts = vec![
                fact("program", format!("Firstborn {}", machine.version)),
                fact("machine", machine.name.clone()),
            ];
        }
        facts.push(fact("bench", machine.signature.to_string()));
        facts.extend(self.hash().map(|mib| fact("table", format!("{mib} MiB"))));
        let mut dates: Vec<&str> = self.dates().into_iter().flatten().collect();
        dates.sort_unstable();
        facts.extend(match dates[..] {
            [] => None,
            [only] => Some(fact("round", only.to_owned())),
            [first, .., last] => Some(fact("rounds", format!("from {first} to {last}"))),
        });
        facts
    }

    /// When each round was over, as far as that was kept.
    fn dates(&self) -> Vec<Option<&str>> {
        let rounds = self.records.iter().filter(|(step, _)| matches!(step, Step::Round(..)));
        rounds.map(|(_, record)| record.date.as_deref()).collect()
    }

    /// All of it in one document.
    pub fn document(&self) -> Value {
        let rounds: Vec<&Vec<Measured>> = self.rounds().map(|(_, round)| round).collect();
        let machine = self.machine();
        json!({
            "schema": 1,
            "complete": self.is_complete(),
            "parts": self.len(),
            "planned": self.planned(),
            "hash": self.hash(),
            "host": self.records.values().find_map(|record| record.host.as_deref()),
            "machine": machine,
            "pilot": self.depths(),
            "rounds": rounds,
            "dates": self.dates(),
            "provenance": machine.map(|machine| &machine.provenance),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(part: Part, date: &str, parts: Option<usize>) -> Record {
        let host = Some("1234abcd".to_owned());
        Record { part, date: Some(date.to_owned()), host, hash: Some(256), parts }
    }

    fn machine() -> Part {
        let read = json!({
            "name": "A machine", "version": "0.9", "signature": 7, "allowed": "0-1", "quota": null,
            "cores": ["0", "1"], "packages": ["0-1"], "caches": ["0-1"], "nodes": ["0-1"], "lines": [],
        });
        Part::Machine(Box::new(serde_json::from_value(read).expect("what older files have")))
    }

    #[test]
    fn a_part_is_read_as_it_is_written_and_with_nothing_but_what_was_found() {
        let depth = Depth { position: "A".to_owned(), depth: 9, seconds: 2.5, too_soon: false };
        let steps = [Step::Machine, Step::Pilot, Step::Round(0, 1)];
        for (step, part) in
            steps.into_iter().zip([machine(), Part::Pilot(vec![depth]), Part::Round(Vec::new())])
        {
            let whole = record(part, "2026-11-30T08:00:00Z", Some(4));
            let text = serde_json::to_vec(&whole).expect("it is JSON");
            assert_eq!(Record::read(step, &text).expect("it is whole"), whole);
            let text = serde_json::to_vec(&whole.part).expect("it is JSON");
            let old = Record { date: None, host: None, hash: None, parts: None, ..whole };
            assert_eq!(Record::read(step, &text).expect("it is what older files have"), old);
            for other in steps.into_iter().filter(|&other| other != step) {
                let error = Record::read(other, &text).expect_err("it is another");
                assert!(matches!(error, ReadError::Another), "{step} for {other}: {error}");
            }
        }
        for text in ["{", "[]", "{}", "{\"date\": \"2026-11-30T08:00:00Z\"}"] {
            let error = Record::read(Step::Pilot, text.as_bytes()).expect_err("it is no part");
            assert!(matches!(error, ReadError::Content(_)), "{text}: {error}");
        }
    }

    /// Two of four parts of a battery that was not finished, or of one that does not say of how many.
    #[test]
    fn what_is_missing_is_told() {
        let [early, late] = ["2026-11-30T08:00:00Z", "2026-11-30T09:00:00Z"];
        let parts = |planned: Option<usize>| {
            let mut parts = Parts::default();
            for (step, date) in [(Step::Round(1, 0), late), (Step::Round(0, 1), early)] {
                parts.insert(step, record(Part::Round(Vec::new()), date, planned));
            }
            parts
        };
        assert_eq!(parts(Some(4)).progress(), "Battery, stopped: 2 of 4 parts");
        assert_eq!(parts(Some(2)).progress(), "Battery, complete: 2 parts");
        assert_eq!(parts(None).progress(), "Battery: 2 parts; of how many is not known");
        let document = parts(Some(4)).document();
        assert_eq!((&document["complete"], &document["planned"]), (&json!(false), &json!(4)));
        assert_eq!((&document["dates"], &document["machine"]), (&json!([early, late]), &Value::Null));
        assert_eq!(parts(None).document()["complete"], Value::Null);
        let mut whole = parts(Some(4));
        assert!(whole.facts().is_empty(), "of which machine is not known");
        whole.insert(Step::Machine, record(machine(), "2026-11-30T07:00:00Z", Some(4)));
        let facts = whole.facts().into_iter().map(|(name, value)| format!("{name}: {value}"));
        let wanted = [
            "program: Firstborn 0.9",
            "machine: A machine",
            "bench: 7",
            "table: 256 MiB",
            "rounds: from 2026-11-30T08:00:00Z to 2026-11-30T09:00:00Z",
        ];
        assert_eq!(facts.collect::<Vec<_>>(), wanted);
    }
}
