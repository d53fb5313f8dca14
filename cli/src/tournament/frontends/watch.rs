//! A run behind another runner's command line: its lines on the terminal, its files, its warnings.

use std::io::{self, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use ::tournament::adjudicate::Manner;
use ::tournament::checks::Checks;
use ::tournament::conversation::Conversation;
use ::tournament::frontend::console::Console;
use ::tournament::frontend::{ConfigRequest, Results};
use ::tournament::record::{Ending, GameRecord};
use ::tournament::runner::{Forfeits, Plan, RunEnd, Stop, StopRule, Watcher};
use ::tournament::schedule::Pairing;
use ::tournament::standings::Standings;
use ::tournament::survey::Survey;
use sys::output::Place;
use sys::provenance::Provenance;

use super::super::end::{Kept, LOST_JOURNAL, state};
use super::super::files::Files;
use super::super::logs::Logs;
use super::super::page::PageWriter;

/// fastchess's file of settings and results.
pub struct Saved {
    request: ConfigRequest,
    place: Place,
    results: Results,
}

impl Saved {
    /// With the games that were played before; `pairs`: results in whole pairs.
    pub fn new(request: ConfigRequest, place: Place, finished: &[GameRecord], pairs: bool) -> Self {
        let mut results = Results::new(pairs);
        finished.iter().for_each(|game| results.add(&game.played()));
        Self { request, place, results }
    }

    /// Adds a game, and writes the file where that is due.
    fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        self.results.add(&game.played());
        let every = self.request.every;
        if every > 0 && self.results.games().is_multiple_of(every) { self.write() } else { Ok(()) }
    }

    fn write(&self) -> io::Result<()> {
        self.place.write(self.request.text(&self.results)).map_err(io::Error::other)
    }
}

/// Prints and writes what happens.
pub struct Watch {
    files: Files,
    console: Console,
    logs: Logs,
    stop_rule: Option<StopRule>,
    saved: Option<Saved>,
    strict: Option<Stop>,
    needs_reader: Option<Stop>,
    check_pvs: bool,
    warned: bool,
    /// A crash ends the run, and that is still to be told.
    stops_at_crash: bool,
    /// What the page shows, who writes it, and the games of the whole plan, if known.
    survey: Survey,
    page: PageWriter,
    scheduled: Option<usize>,
}

impl Watch {
    /// `finished`: games that were played before.
    ///
    /// # Errors
    /// The journal, if they are its games, cannot be read any more.
    pub fn new(
        files: Files,
        console: Console,
        (logs, page): (Logs, PageWriter),
        plan: &Plan,
        finished: &[GameRecord],
    ) -> anyhow::Result<Self> {
        let mut survey = page.survey(&console.names(), plan);
        let at_crash = plan.faults.forfeits == Forfeits::StopAtCrash;
        let stops_at_crash = at_crash && console.manner() == Manner::Fastchess;
        if page.is_wanted() {
            files.each(finished, |game| survey.add_record(game))?;
            survey.standings.place(plan.placing(finished));
        }
        Ok(Self {
            files,
            console,
            logs,
            stop_rule: plan.stop_rule,
            saved: None,
            strict: None,
            needs_reader: None,
            check_pvs: false,
            warned: false,
            stops_at_crash,
            survey,
            page,
            scheduled: plan.schedule.total(),
        })
    }

    /// Keeps settings and results in a file.
    pub fn saves(&mut self, saved: Option<Saved>) {
        self.saved = saved;
    }

    /// Settings were written. That such as were not asked for cannot be stops no match, and is told once.
    fn kept(&mut self, written: io::Result<()>) -> io::Result<()> {
        match written {
            Err(error) if self.saved.as_ref().is_some_and(|saved| !saved.request.named) => {
                self.saved = None;
                eprintln!("firstborn: the settings of this match are kept no more: {error}");
                Ok(())
            }
            written => written,
        }
    }

    /// Stops the run at the first warning.
    pub fn strict(&mut self, stop: Option<Stop>) {
        self.strict = stop;
    }

    /// Stops the run, as Ctrl-C does, where what it prints has no reader.
    pub fn needs_reader(&mut self, stop: Option<Stop>) {
        self.needs_reader = stop;
    }

    /// Tells mate scores without a mate in their variations.
    pub fn checks_pvs(&mut self, on: bool) {
        self.check_pvs = on;
    }

    /// Whether there was a warning.
    pub fn warned(&self) -> bool {
        self.warned
    }

    /// The run is over, after so long: its results are printed, whatever becomes of the files.
    ///
    /// # Errors
    /// A file cannot be written to its end.
    pub fn finish(&mut self, end: &RunEnd, standings: &Standings, wall: Duration) -> anyhow::Result<()> {
        let games = self.files.finish();
        let written = self.saved.as_ref().map_or(Ok(()), Saved::write);
        let settings = self.kept(written);
        self.console.decided_by_seed(standings.level());
        if self.files.kept() == Kept::LostJournal {
            self.console.resumes(LOST_JOURNAL.to_owned());
        }
        let text = self.console.ended(end, wall);
        // There is nothing left to stop.
        self.needs_reader = None;
        self.print(&text);
        games?;
        Ok(settings?)
    }

    /// Writes our own page for the last time. The games are played and kept whatever becomes of it.
    pub fn write_page(&mut self, standings: &Standings, end: &RunEnd, run: &Provenance) {
        self.survey.standings = standings.clone();
        if let Err(error) = self.page.finish(&self.survey, self.scheduled, state(end), run)
            && self.page.complains()
        {
            eprintln!("firstborn: the report is not up to date: {error}");
        }
    }

    /// Writes the page anew if its time has come.
    fn update_page(&mut self) {
        if let Err(error) = self.page.write_if_due(&self.survey, self.scheduled)
            && self.page.complains()
        {
            eprintln!("firstborn: the report is not up to date: {error}");
        }
    }

    fn print(&mut self, text: &str) {
        print(text);
        self.logs.say(text);
        if lost_reader()
            && let Some(stop) = self.needs_reader.take()
        {
            eprintln!(
                "firstborn: standard output has no reader any more, and the match stops as by Ctrl-C (with \
                 --journal it goes on)"
            );
            stop_at_once(&stop);
        }
    }

    /// Prints a warning as the runner does.
    pub fn warn(&mut self, text: &str) {
        self.warned = true;
        if self.console.manner() == Manner::Cutechess {
            eprintln!("Warning: {text}");
        } else {
            self.print(&format!("Warning; {text}\n"));
        }
        if let Some(stop) = &self.strict {
            stop_at_once(stop);
        }
    }

    /// What was not in order in a game, in a line for each kind and player.
    fn tell_checks(&mut self, game: &GameRecord) {
        let names = self.console.names();
        let mut told: Vec<String> = Vec::new();
        for (player, checks) in [game.white, game.black].into_iter().zip(&game.checks) {
            let (name, game_number) = (&names[player], game.id + 1);
            if self.console.manner() == Manner::Cutechess {
                // What that runner warns of.
                let Checks { illegal_pv, no_score, .. } = *checks;
                let found = Checks { illegal_pv, no_score, ..Checks::default() }.found();
                let text =
                    |(count, what): (u32, &str)| format!("{name}: {what} ({count} in game {game_number})");
                told.extend(found.into_iter().map(text));
            } else {
                let mate_pv = if self.check_pvs { checks.mate_pv } else { 0 };
                told.extend(in_fastchess_words(&Checks { mate_pv, ..*checks }, name));
            }
            let loser = game.loser() == Some(player) && game.ending == Ending::IllegalMove;
            if let Some(answer) = game.answer.as_ref().filter(|_| loser) {
                told.push(format!("Illegal move {answer} played by {}", names[player]));
            }
        }
        told.iter().for_each(|text| self.warn(text));
    }

    /// The first crash of a match that does not recover ends it.
    fn tell_crash(&mut self, game: &GameRecord) {
        let crash =
            matches!(game.ending, Ending::Crash | Ending::Disconnect | Ending::Stall | Ending::StartFailure);
        if crash && self.stops_at_crash {
            self.stops_at_crash = false;
            let what = "stalled / disconnected and no recover option set for engine, stopping tournament.";
            self.print(&format!("Game {} {what}\n", game.id + 1));
        }
    }
}

/// Stops a run as both runners stop: one request alone lets the running games end.
fn stop_at_once(stop: &Stop) {
    while stop.request() {}
}

/// What fastchess says of a player's searches: a line for each kind of fault, where fastchess has one for each
/// variation, with its move.
fn in_fastchess_words(checks: &Checks, name: &str) -> Vec<String> {
    // It does not look at what material is left, so that not every variation past the end is told.
    let kinds = [
        (checks.illegal_pv, "Illegal PV move - from"),
        (checks.pv_past_repetition, "PV continues after threefold repetition - from"),
        (checks.pv_past_fifty, "PV continues after fifty-move rule - from"),
        (checks.pv_past_mate, "PV continues after checkmate - from"),
        (checks.pv_past_stalemate, "PV continues after stalemate - from"),
        (checks.other_move, "Bestmove does not match beginning of last PV - from"),
        (checks.mate_pv, "Mating PV does not end with checkmate - from"),
        (checks.no_score, "No info line available to extract score from engine"),
    ];
    kinds.iter().filter(|(count, _)| *count > 0).map(|(_, what)| format!("{what} {name}")).collect()
}

/// Set once something that was to be printed is lost.
static OUTPUT_LOST: AtomicBool = AtomicBool::new(false);

/// Set once the reader of standard output has closed it.
static READER_LOST: AtomicBool = AtomicBool::new(false);

/// Prints whole lines. The reader may have closed the pipe ([`lost_reader`]). Any other failure is told once, and the
/// run does not end as if its output were complete ([`lost_output`]).
pub fn print(text: &str) {
    for line in text.lines() {
        let Err(error) = writeln!(stdout(), "{line}") else { continue };
        if error.kind() == io::ErrorKind::BrokenPipe {
            READER_LOST.store(true, Relaxed);
        } else if !OUTPUT_LOST.swap(true, Relaxed) {
            eprintln!("firstborn: cannot write to standard output: {error}");
        }
    }
}

/// Whether standard output has no reader any more.
pub fn lost_reader() -> bool {
    READER_LOST.load(Relaxed)
}

/// Whether standard output took less than was printed, and not for want of a reader.
pub fn lost_output() -> bool {
    OUTPUT_LOST.load(Relaxed)
}

impl Watcher for Watch {
    fn started(&mut self, game: &Pairing) {
        let text = self.console.started(game);
        self.print(&text);
    }

    fn conversation(&mut self, game: &GameRecord, conversation: &Conversation) {
        if let Some(text) = self.logs.add(game, conversation) {
            eprintln!("firstborn: {text}");
        }
    }

    fn trouble(&mut self, what: &str) {
        self.warn(what);
    }

    fn notice(&mut self, what: &str) {
        eprintln!("firstborn: {what}");
    }

    fn waiting(&mut self) {
        self.update_page();
    }

    fn keep(&mut self, game: &GameRecord) -> io::Result<()> {
        self.files.keep(game)
    }

    fn unkept(&mut self) -> Vec<GameRecord> {
        self.files.unkept()
    }

    fn finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()> {
        let written = self.files.add(game, &|what: &str| eprintln!("firstborn: {what}"));
        if self.page.is_wanted() {
            self.survey.add_record(game);
            self.survey.standings.place(standings.placing().clone());
        }
        self.update_page();
        self.tell_checks(game);
        self.tell_crash(game);
        let llr = self.stop_rule.map_or(0.0, |rule| standings.llr(&rule.sprt, rule.by_pairs));
        self.console.decided_by_seed(standings.level());
        let text = self.console.finished(game, llr);
        self.print(&text);
        if let Some((checksum, path)) = self.files.checksum() {
            print(&format!("File {} has CRC32: {checksum:#x}", path.display()));
        }
        let saved = self.saved.as_mut().map_or(Ok(()), |saved| saved.add(game));
        let saved = self.kept(saved);
        written.and(saved)
    }
}

#[cfg(test)]
mod tests {
    use ::tournament::frontend::console::Shown;
    use ::tournament::schedule::Placing;

    use super::super::Manner;
    use super::super::tests::request;
    use super::*;
    use crate::tournament::watch::tests::Begun;

    #[test]
    fn settings_that_were_not_asked_for_stop_no_match() {
        for (words, named) in [("", false), (" -config outname=config.json", true)] {
            let folder = tempfile::tempdir().unwrap();
            let Begun { files, logs, page, event, plan, finished } = Begun::new(folder.path());
            let console = Console::new(Shown { names: event.players, ..Shown::default() });
            let mut watch = Watch::new(files, console, (logs, page), &plan, &finished).unwrap();
            let line = format!("-engine cmd=/bin/sh -engine cmd=/bin/sh -each nodes=1{words}");
            let asked = request(Manner::Fastchess, &line).config.unwrap();
            let path = folder.path().join("config.json");
            watch.saves(Some(Saved::new(asked, Place::find(&path).unwrap(), &finished, true)));
            // No user can write there, not even root.
            std::fs::create_dir(&path).unwrap();
            let written = watch.saved.as_ref().unwrap().write();
            assert!(written.is_err());
            assert_eq!(watch.kept(written).is_err(), named, "{words}");
            assert_eq!(watch.saved.is_some(), named, "{words}");
        }
    }

    /// The words are fastchess's, but for the move.
    #[test]
    fn fastchess_warns_of_every_fault_of_a_search() {
        let checks = Checks {
            illegal_pv: 2,
            pv_past_end: 12,
            pv_past_mate: 1,
            pv_past_stalemate: 2,
            pv_past_repetition: 3,
            pv_past_fifty: 4,
            other_move: 1,
            mate_pv: 1,
            no_score: 9,
            ..Checks::default()
        };
        assert_eq!(
            in_fastchess_words(&checks, "A"),
            [
                "Illegal PV move - from A",
                "PV continues after threefold repetition - from A",
                "PV continues after fifty-move rule - from A",
                "PV continues after checkmate - from A",
                "PV continues after stalemate - from A",
                "Bestmove does not match beginning of last PV - from A",
                "Mating PV does not end with checkmate - from A",
                "No info line available to extract score from engine A",
            ]
        );
        // Past the end where neither side can mate, which fastchess does not look at.
        let silent = Checks { pv_past_end: 2, unasked: 1, replaced: 1, ..Checks::default() };
        assert!(in_fastchess_words(&silent, "A").is_empty());
    }

    /// Each kind of warning stops a strict match at once; a mate without its variation does where that is looked at.
    #[test]
    fn every_warning_counts_where_none_may_be() {
        let none = Checks::default();
        for (checks, looks_at_mates, counts) in [
            (none, true, false),
            (Checks { illegal_pv: 1, ..none }, false, true),
            (Checks { pv_past_end: 1, ..none }, false, false),
            (Checks { pv_past_mate: 1, ..none }, false, true),
            (Checks { pv_past_stalemate: 1, ..none }, false, true),
            (Checks { pv_past_repetition: 1, ..none }, false, true),
            (Checks { pv_past_fifty: 1, ..none }, false, true),
            (Checks { other_move: 1, ..none }, false, true),
            (Checks { mate_pv: 1, ..none }, false, false),
            (Checks { mate_pv: 1, ..none }, true, true),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let Begun { files, logs, page, event, plan, finished } = Begun::new(folder.path());
            let shown = Shown { manner: Manner::Fastchess, names: event.players, ..Shown::default() };
            let mut watch = Watch::new(files, Console::new(shown), (logs, page), &plan, &finished).unwrap();
            let stop = Stop::default();
            watch.strict(Some(stop.clone()));
            watch.checks_pvs(looks_at_mates);
            let mut game = finished[0].clone();
            game.checks[1] = checks;
            watch.tell_checks(&game);
            assert_eq!([watch.warned(), stop.requested(), stop.gives_up()], [counts; 3], "{checks:?}");
        }
    }

    #[test]
    fn a_tournament_that_goes_on_is_ranked_by_its_format_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let Begun { files, logs, page, event, plan, finished } = Begun::new(folder.path());
        let console = Console::new(Shown { names: event.players, ..Shown::default() });
        let watch = Watch::new(files, console, (logs, page), &plan, &finished).unwrap();
        assert_eq!(watch.survey.standings.placing(), &Placing::ByPoints(Begun::POINTS.into()));
    }
}
