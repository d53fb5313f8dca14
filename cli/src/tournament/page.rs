//! The page of a tournament that is being played: a file that is written anew every few seconds, each time in
//! one step, and what is shown live.

use std::time::{Duration, Instant};

use ::tournament::report::{Report, State};
use ::tournament::runner::Plan;
use ::tournament::survey::{Survey, Tournament, Wanted};
use sys::output::{OutputError, Place};
use sys::provenance::Provenance;

use super::live::Live;
use super::running::RunningPgn;

/// Games whose moves the page shows.
const SHOWN: usize = 200;
/// It is written no more often than this.
const PERIOD: Duration = Duration::from_secs(10);
/// So many times as long as the last one took the next page waits: while one is made no game is given out.
const REST: u32 = 10;
/// Openings it lists.
const OPENINGS: usize = 50;

/// Writes the page.
pub struct PageWriter {
    place: Option<Place>,
    live: Option<Live>,
    running: Option<RunningPgn>,
    event: String,
    tournament: Tournament,
    /// What a reader should know.
    notes: Vec<String>,
    /// When it was written last, and how long that took.
    written: Option<(Instant, Duration)>,
    complained: bool,
}

/// How long a page stays as it is that took so long to make, and that is made no more often than every
/// `period`.
pub fn rest(period: Duration, took: Duration) -> Duration {
    period.max(took.saturating_mul(REST))
}

impl PageWriter {
    /// Of this tournament, to this place and to those who look on, if they do.
    pub fn new(place: Option<Place>, live: Option<Live>, event: String, tournament: Tournament) -> Self {
        let (running, notes, written) = (None, Vec::new(), None);
        Self { place, live, running, event, tournament, notes, written, complained: false }
    }

    /// Also keeps the running games in a file.
    pub fn with(self, running: Option<RunningPgn>) -> Self {
        Self { running, ..self }
    }

    /// Also tells a reader this.
    pub fn noting(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// Whether there is anybody to write for.
    pub fn is_wanted(&self) -> bool {
        self.place.is_some() || self.live.is_some()
    }

    /// What it shows of these players, as yet without games.
    pub fn survey(&self, names: &[String], plan: &Plan) -> Survey {
        let shown = if self.is_wanted() { SHOWN } else { 0 };
        let wanted = Wanted { test: plan.stop_rule, shown, ..Wanted::default() };
        Survey::of_tournament(names, wanted, plan.standings()).played_by(&plan.conditions.players)
    }

    /// True the first time that it is asked.
    pub fn complains(&mut self) -> bool {
        !std::mem::replace(&mut self.complained, true)
    }

    /// Writes how it stands, if it is time. Nothing is written to a pipe or a device, where every page would
    /// follow the one before.
    pub fn write_if_due(&mut self, survey: &Survey, scheduled: Option<usize>) -> Result<(), OutputError> {
        let games = self.running.as_mut().map_or(Ok(()), RunningPgn::write_if_due);
        if let Some(live) = self.live.as_ref().filter(|live| live.is_due()) {
            let begun = Instant::now();
            let provenance = crate::provenance::provenance();
            let page = self.report(survey, scheduled, State::Running, &provenance).live_page();
            live.update(page, begun.elapsed());
        }
        let page = match &self.place {
            Some(place) if self.is_due() && !place.is_stream() => {
                let begun = Instant::now();
                let provenance = crate::provenance::provenance();
                let report = self.report(survey, scheduled, State::Running, &provenance);
                let page = place.write(report.page(u32::try_from(PERIOD.as_secs()).unwrap_or(u32::MAX)));
                self.written = Some((Instant::now(), begun.elapsed()));
                page
            }
            _ => Ok(()),
        };
        page.and(games)
    }

    /// Whether the file is to be written anew.
    fn is_due(&self) -> bool {
        self.written.is_none_or(|(moment, took)| moment.elapsed() >= rest(PERIOD, took))
    }

    /// Writes it for the last time: first what is to be kept, since those who look on may take a while.
    pub fn finish(
        &mut self,
        survey: &Survey,
        scheduled: Option<usize>,
        how: &str,
        provenance: &Provenance,
    ) -> Result<(), OutputError> {
        let games = self.running.as_mut().map_or(Ok(()), RunningPgn::write);
        let report = self.report(survey, scheduled, State::Ended(how.to_owned()), provenance);
        let page = self.place.as_ref().map_or(Ok(()), |place| place.write(report.page(0)));
        if let Some(live) = &self.live {
            live.finish(report.live_page());
        }
        page.and(games)
    }

    fn report<'a>(
        &'a self,
        survey: &'a Survey,
        scheduled: Option<usize>,
        state: State,
        provenance: &'a Provenance,
    ) -> Report<'a> {
        Report {
            event: &self.event,
            survey,
            tournaments: std::slice::from_ref(&self.tournament),
            files: &[],
            anchors: &[],
            state,
            scheduled,
            notes: &self.notes,
            openings: OPENINGS,
            provenance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page that took long to make is not made again at once.
    #[test]
    fn a_page_that_takes_long_waits_long() {
        let due = |ago: u64, took: u64| {
            let mut page = PageWriter::new(None, None, String::new(), Tournament::default());
            // A machine that runs for less than a minute has no such moment.
            let moment = Instant::now().checked_sub(Duration::from_secs(ago))?;
            page.written = Some((moment, Duration::from_secs(took)));
            Some(page.is_due())
        };
        assert!(PageWriter::new(None, None, String::new(), Tournament::default()).is_due());
        for (ago, took, is_due) in [(0, 0, false), (30, 0, true), (30, 2, true), (30, 1000, false)] {
            assert_eq!(due(ago, took).unwrap_or(is_due), is_due, "{ago} s ago, after {took} s");
        }
        assert_eq!(rest(PERIOD, Duration::MAX), Duration::MAX);
    }
}
