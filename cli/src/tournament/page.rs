//! The page of a tournament that is being played: a file that is written anew every few seconds, each time in
//! one step, and what is shown live.

use std::time::{Duration, Instant};

use ::tournament::report::{Report, State};
use ::tournament::survey::{Survey, Tournament};
use sys::output::{OutputError, Place};
use sys::provenance::Provenance;

use super::live::Live;
use super::running::RunningPgn;

/// Games whose moves the page shows.
pub const SHOWN: usize = 200;
/// How often it is written.
const PERIOD: Duration = Duration::from_secs(10);
/// Openings it lists.
const OPENINGS: usize = 50;

/// Writes the page.
pub struct PageWriter {
    place: Option<Place>,
    live: Option<Live>,
    running: Option<RunningPgn>,
    event: String,
    tournament: Tournament,
    written: Option<Instant>,
    complained: bool,
}

impl PageWriter {
    /// Of this tournament, to this place and to those who look on, if they do.
    pub fn new(place: Option<Place>, live: Option<Live>, event: String, tournament: Tournament) -> Self {
        Self { place, live, running: None, event, tournament, written: None, complained: false }
    }

    /// Also keeps the running games in a file.
    pub fn with(self, running: Option<RunningPgn>) -> Self {
        Self { running, ..self }
    }

    /// Whether there is anybody to write for.
    pub fn is_wanted(&self) -> bool {
        self.place.is_some() || self.live.is_some()
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
            let provenance = crate::provenance::provenance();
            live.update(self.report(survey, scheduled, State::Running, &provenance).live_page());
        }
        let is_due = self.written.is_none_or(|moment| moment.elapsed() >= PERIOD);
        let page = match &self.place {
            Some(place) if is_due && !place.is_stream() => {
                self.written = Some(Instant::now());
                let provenance = crate::provenance::provenance();
                let report = self.report(survey, scheduled, State::Running, &provenance);
                place.write(report.page(u32::try_from(PERIOD.as_secs()).unwrap_or(u32::MAX)))
            }
            _ => Ok(()),
        };
        page.and(games)
    }

    /// Writes it for the last time.
    pub fn finish(
        &mut self,
        survey: &Survey,
        scheduled: Option<usize>,
        how: &str,
        provenance: &Provenance,
    ) -> Result<(), OutputError> {
        let games = self.running.as_mut().map_or(Ok(()), RunningPgn::write);
        let report = self.report(survey, scheduled, State::Ended(how.to_owned()), provenance);
        if let Some(live) = &self.live {
            live.finish(report.live_page());
        }
        self.place.as_ref().map_or(Ok(()), |place| place.write(report.page(0))).and(games)
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
            notes: &[],
            openings: OPENINGS,
            provenance,
        }
    }
}
