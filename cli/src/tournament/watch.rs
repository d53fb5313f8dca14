//! A tournament in progress: keeps its files and shows a bar where there is a terminal, or else says now and
//! then how far it is.

use std::io::{self, Write as _};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ::tournament::conversation::Conversation;
use ::tournament::pgn::Event;
use ::tournament::record::GameRecord;
use ::tournament::runner::{Plan, StopRule, Watcher};
use ::tournament::schedule::Pairing;
use ::tournament::standings::Standings;
use ::tournament::summary::{Tally, plus_minus};
use ::tournament::survey::Survey;
use ::tournament::wording::{counted, rounded};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sys::provenance::Provenance;

use super::end::Kept;
use super::files::Files;
use super::logs::Logs;
use super::page::PageWriter;

/// How often progress is told where there is no terminal for a bar.
pub const NEWS: Duration = Duration::from_secs(60);

/// Columns of a line where there is no terminal to ask.
const COLUMNS: usize = 80;

/// Two lines, neither of which is longer than the terminal is wide: what does not fit is left out.
const TEMPLATE: &str = "games {pos}/{len} {wide_bar} {elapsed} ETA {eta}\n{wide_msg}";

/// Writes finished games and shows how far the tournament is.
pub struct Watch {
    files: Files,
    logs: Logs,
    event: Event,
    stop_rule: Option<StopRule>,
    bar: ProgressBar,
    /// Games of the whole schedule, if known.
    scheduled: Option<usize>,
    /// When progress was told last, where there is no bar to show it; `None` where it is not wanted.
    told: Option<Instant>,
    /// What is told then: how it stood after the last game that ended.
    progress: String,
    /// Sums over all games.
    pub tally: Tally,
    /// Sums over the games of this run.
    pub this_run: Tally,
    /// What the page shows.
    pub survey: Survey,
    /// Writes the page.
    pub page: PageWriter,
    /// What is said of every game.
    news: News,
}

/// What is said of every game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Nothing: one JSON document is to be all there is.
    Silent,
    /// Forfeits only.
    Forfeits,
    /// A line.
    Games,
}

impl Watch {
    /// `finished`: games found in the journal, which are counted and not written again.
    ///
    /// # Errors
    /// The journal cannot be read any more.
    pub fn new(
        (files, logs): (Files, Logs),
        page: PageWriter,
        event: &Event,
        plan: &Plan,
        finished: &[GameRecord],
        news: News,
    ) -> anyhow::Result<Self> {
        let (scheduled, stop_rule) = (plan.schedule.total(), plan.stop_rule);
        let silent = news == News::Silent;
        let bar = match scheduled {
            _ if silent => ProgressBar::hidden(),
            Some(total) => ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr()),
            None => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
        };
        // The template is a constant that indicatif understands; its own would do as well.
        let style = ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = bar.with_style(style);
        bar.set_position(finished.len() as u64);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        let (mut tally, paged) = (Tally::default(), page.is_wanted());
        let mut survey = page.survey(&event.players, plan);
        files.each(finished, |game| {
            tally.add(game);
            if paged {
                survey.add_record(game);
            }
        })?;
        if paged {
            survey.standings.place(plan.placing(finished));
        }
        let mut watch = Self {
            files,
            logs,
            event: event.clone(),
            stop_rule,
            told: (bar.is_hidden() && !silent).then(Instant::now),
            progress: String::new(),
            bar,
            scheduled,
            tally,
            this_run: Tally::default(),
            survey,
            page,
            news,
        };
        if watch.told.is_some() {
            let mut standings = plan.standings();
            finished.iter().for_each(|game| standings.add(game));
            watch.progress = watch.progress(&standings);
        }
        watch.write_page();
        Ok(watch)
    }

    /// Has what people are told from now on not disturb the bar.
    pub fn spared_by(&self, teller: &Teller) {
        // There is one bar.
        let _ = teller.0.set(self.bar.clone());
    }

    /// Where the next run finds the games.
    pub fn kept(&self) -> Kept {
        self.files.kept()
    }

    /// The run is over: takes the bar away and brings the files of games to their end.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        self.files.finish()
    }

    /// Counts a game for the page, where there is one.
    fn survey(&mut self, game: &GameRecord) {
        if self.page.is_wanted() {
            self.survey.add_record(game);
        }
    }

    /// Writes the page anew if its time has come.
    fn write_page(&mut self) {
        // The games are worth more than the page; it is tried again.
        if let Err(error) = self.page.write_if_due(&self.survey, self.scheduled)
            && self.page.complains()
        {
            tell(&self.bar, &format!("the report is not up to date: {error}"));
        }
    }

    /// Writes the page for the last time. The games are played and kept whatever becomes of it.
    pub fn write_last_page(&mut self, scheduled: Option<usize>, how: &str, provenance: &Provenance) {
        if let Err(error) = self.page.finish(&self.survey, scheduled, how, provenance)
            && self.page.complains()
        {
            tell(&self.bar, &format!("the report is not up to date: {error}"));
        }
    }

    /// Says something about a game.
    fn say(&self, game: &GameRecord) {
        let name = |player: usize| &self.event.players[player];
        match self.news {
            News::Games => self.bar.suspend(|| {
                // The reader may have closed the pipe; the games go on.
                let _ = writeln!(
                    io::stdout(),
                    "game {}: {} - {} {} {} ({}, {} plies)",
                    game.id + 1,
                    name(game.white),
                    name(game.black),
                    game.result.text(),
                    game.ending,
                    game.reason,
                    game.moves.len()
                );
            }),
            News::Forfeits if game.ending.is_forfeit() && !self.bar.is_hidden() => {
                self.bar.println(format!("game {}: {}", game.id + 1, game.reason));
            }
            News::Forfeits | News::Silent => {}
        }
    }

    /// How far it is and how it stands, in a line for those who have no terminal.
    fn progress(&self, standings: &Standings) -> String {
        let of = self.scheduled.map_or_else(String::new, |total| format!("/{total}"));
        let begin = format!("games {}{of}", standings.games());
        let message = self.message(standings, COLUMNS.saturating_sub(begin.chars().count() + 2));
        if message.is_empty() { begin } else { format!("{begin}: {message}") }
    }

    /// The line of progress, if it is to be told at this moment; then it is not for as long as [`NEWS`].
    fn due(&mut self, now: Instant) -> Option<&str> {
        let told = self.told?;
        if now.saturating_duration_since(told) < NEWS {
            return None;
        }
        self.told = Some(now);
        Some(&self.progress)
    }

    /// Tells how far it is, if it is time: whether games end meanwhile or not.
    fn tell_progress(&mut self) {
        if let Some(line) = self.due(Instant::now()) {
            // The reader may have closed the pipe; the games go on.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// How it stands, in at most so many columns: what does not fit is left out, the less important first.
    fn message(&self, standings: &Standings, columns: usize) -> String {
        let mut parts = Vec::new();
        if let (2, Some(estimate)) = (self.event.players.len(), standings.estimate()) {
            let wdl = standings.between(0, 1);
            parts.push(format!("+{} ={} -{}", wdl.wins, wdl.draws, wdl.losses));
            parts.push(format!("Elo {}", plus_minus(estimate.elo, estimate.interval)));
        }
        if let Some(rule) = self.stop_rule {
            let (lower, upper) = rule.sprt.bounds();
            parts.push(format!(
                "LLR {} ({lower:.2}, {upper:.2})",
                rounded(standings.llr(&rule.sprt, rule.by_pairs), 2)
            ));
        }
        let forfeits: u64 =
            standings.endings().iter().filter(|(ending, _)| ending.is_forfeit()).map(|(_, n)| n).sum();
        if forfeits > 0 {
            parts.insert(parts.len().min(1), counted(forfeits, "forfeit"));
        }
        let mut message = parts.join(", ");
        while message.chars().count() > columns && parts.pop().is_some() {
            message = parts.join(", ");
        }
        message
    }
}

/// Says something to people at any time and from any thread: above the bar, once there is one.
#[derive(Clone, Default)]
pub struct Teller(Arc<OnceLock<ProgressBar>>);

impl Teller {
    /// Says it.
    pub fn tell(&self, text: &str) {
        match self.0.get() {
            Some(bar) => tell(bar, text),
            None => say(text),
        }
    }
}

/// Tells something above the bar.
pub fn tell(bar: &ProgressBar, text: &str) {
    bar.suspend(|| say(text));
}

fn say(text: &str) {
    // Who closed the pipe does not want to know; the games go on.
    let _ = writeln!(io::stderr(), "firstborn: {text}");
}

impl Watcher for Watch {
    fn started(&mut self, _: &Pairing) {}

    fn conversation(&mut self, game: &GameRecord, conversation: &Conversation) {
        if let Some(text) = self.logs.add(game, conversation) {
            tell(&self.bar, &text);
        }
    }

    fn trouble(&mut self, what: &str) {
        tell(&self.bar, what);
    }

    fn notice(&mut self, what: &str) {
        tell(&self.bar, what);
    }

    fn waiting(&mut self) {
        self.write_page();
        self.tell_progress();
    }

    fn keep(&mut self, game: &GameRecord) -> io::Result<()> {
        self.files.keep(game)
    }

    fn unkept(&mut self) -> Vec<GameRecord> {
        self.files.unkept()
    }

    fn finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()> {
        let written = self.files.add(game, &|what: &str| tell(&self.bar, what));
        self.tally.add(game);
        self.this_run.add(game);
        self.survey(game);
        self.survey.standings.place(standings.placing().clone());
        self.say(game);
        self.write_page();
        if self.told.is_some() {
            self.progress = self.progress(standings);
            self.tell_progress();
        }
        let message = self.message(standings, usize::MAX);
        self.bar.set_message(message);
        self.bar.inc(1);
        written
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use ::tournament::openings::{Book, Order};
    use ::tournament::play::Conditions;
    use ::tournament::runner::Stop;
    use ::tournament::schedule::{Format, Placing, Schedule};
    use ::tournament::spec::{Settings, players};
    use ::tournament::standings::Counting;
    use ::tournament::stats::sprt::Sprt;
    use ::tournament::survey::Tournament;
    use serde_json::json;

    use super::*;
    use crate::tournament::files::Wanted;
    use crate::tournament::logs::Target;

    /// What a Swiss of three players goes on with, whose page is wanted: in the first of two stages the first
    /// player won both games.
    pub struct Begun {
        pub files: Files,
        pub logs: Logs,
        pub page: PageWriter,
        pub event: Event,
        pub plan: Plan,
        pub finished: Vec<GameRecord>,
    }

    impl Begun {
        /// The points before the second stage: two for the wins, one for a bye in each stage.
        pub const POINTS: [f64; 3] = [2.0, 1.0, 1.0];

        /// With all files in this folder.
        pub fn new(folder: &Path) -> Self {
            let names = ["A", "B", "C"];
            let player = |name: &str| {
                let words = ["cmd=/bin/sh".to_owned(), format!("name={name}"), "depth=1".to_owned()];
                Settings::from_words("engine", &words).unwrap()
            };
            let conditions = Conditions::new(players(&names.map(player), &[]).unwrap());
            let schedule = Schedule::new(Format::Swiss(2), 3, 1, false);
            let book = Book::embedded(Order::Sequential, 1).unwrap();
            let plan = Plan::new(conditions, schedule, book, vec![0]);
            let event = Event { players: names.map(str::to_owned).into(), ..Event::default() };
            let wanted = Wanted { report: Some(folder.join("r.html")), ..Wanted::default() };
            let (files, _) = Files::open(&wanted, &plan, &json!({}), &event, &Stop::default()).unwrap();
            let place = files.report().cloned();
            let page = PageWriter::new(place, None, String::new(), Tournament::default());
            let target = Target::Forfeits(folder.to_owned());
            let logs = Logs::new(target, false, event.players.clone(), &plan.conditions.players);
            let finished = vec![won(0, [0, 1], "1-0"), won(1, [1, 0], "0-1")];
            Self { files, logs, page, event, plan, finished }
        }
    }

    /// A game as a journal has it.
    fn won(id: usize, [white, black]: [usize; 2], result: &str) -> GameRecord {
        serde_json::from_value(json!({
            "id": id, "round": 1, "encounter": 0, "opening": 0, "white": white, "black": black, "moves": [],
            "result": result, "ending": "checkmate", "reason": "", "started_ms": 0, "wall_ms": 0, "slot_ms": 0,
        }))
        .unwrap()
    }

    /// Before any further game has ended: by points with those for byes, and not by shares.
    #[test]
    fn a_tournament_that_goes_on_is_ranked_by_its_format_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let Begun { files, logs, page, event, plan, finished } = Begun::new(folder.path());
        let watch = Watch::new((files, logs), page, &event, &plan, &finished, News::Silent).unwrap();
        assert_eq!(watch.survey.standings.placing(), &Placing::ByPoints(Begun::POINTS.into()));
        let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
        assert!(page.contains("Points for byes, counted above: B 1.0, C 1.0"), "{page}");
    }

    /// Whether there is a page or not: the games found in the journal are in the sums over all games.
    #[test]
    fn sums_hold_the_games_that_were_played_before() {
        for paged in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let Begun { files, logs, page, event, plan, mut finished } = Begun::new(folder.path());
            let none = PageWriter::new(None, None, String::new(), Tournament::default());
            (finished[0].slot_ms, finished[1].slot_ms) = (300, 500);
            let page = if paged { page } else { none };
            let watch = Watch::new((files, logs), page, &event, &plan, &finished, News::Silent).unwrap();
            assert_eq!((watch.tally.slot_ms, watch.this_run.slot_ms), (800, 0), "{paged}");
        }
    }

    /// What was said before the first game stands on the page as well.
    #[test]
    fn the_page_tells_what_was_told_before_the_games() {
        let folder = tempfile::tempdir().unwrap();
        let Begun { files, logs, page, event, plan, finished } = Begun::new(folder.path());
        let page = page.noting(vec!["B: option.EvalFile=x: `x` is not there".to_owned()]);
        Watch::new((files, logs), page, &event, &plan, &finished, News::Silent).unwrap();
        let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
        assert!(page.contains("Note: B: option.EvalFile=x: `x` is not there"), "{page}");
    }

    /// Every minute, also while one game takes longer: how it stood after the last one.
    #[test]
    fn progress_is_told_while_no_game_ends() {
        let folder = tempfile::tempdir().unwrap();
        let Begun { files, logs, page, event, plan, finished } = Begun::new(folder.path());
        let mut watch = Watch::new((files, logs), page, &event, &plan, &finished, News::Silent).unwrap();
        let mut standings = plan.standings();
        finished.iter().for_each(|game| standings.add(game));
        watch.scheduled = Some(6);
        watch.progress = watch.progress(&standings);
        let begun = Instant::now();
        let mut due = |seconds: u64| watch.due(begun + Duration::from_secs(seconds)).map(str::to_owned);
        assert_eq!(due(600), None, "nothing is wanted");
        watch.told = Some(begun);
        let mut due = |seconds: u64| watch.due(begun + Duration::from_secs(seconds)).map(str::to_owned);
        let line = || Some("games 2/6".to_owned());
        assert_eq!([59, 60, 61, 119, 120].map(&mut due), [None, line(), None, None, line()]);
        // A machine that runs for less than a minute has no such moment.
        if let Some(before) = Instant::now().checked_sub(NEWS) {
            watch.told = Some(before);
            watch.waiting();
            assert_ne!(watch.told, Some(before));
        }
    }

    /// What fits in is told, and of what does not the last part is left out first.
    #[test]
    fn the_line_of_progress_fits_its_room() {
        let folder = tempfile::tempdir().unwrap();
        let Begun { files, logs, page, event, plan, finished } = Begun::new(folder.path());
        let mut watch = Watch::new((files, logs), page, &event, &plan, &finished, News::Silent).unwrap();
        // The same two games as a match of the first two players, with a test.
        watch.event.players.truncate(2);
        watch.stop_rule = Some(StopRule { sprt: Sprt::default(), by_pairs: true });
        let mut standings = Standings::new(2, Counting::Pairs);
        finished.iter().for_each(|game| standings.add(game));
        let results = "+2 =0 -0, Elo +∞ ± ?";
        let whole = watch.message(&standings, usize::MAX);
        let test = whole.strip_prefix(results).unwrap_or_else(|| panic!("{whole}"));
        assert!(test.starts_with(", LLR ") && test.ends_with(" (-2.94, 2.94)"), "{whole}");
        let columns = whole.chars().count();
        assert_eq!(watch.message(&standings, columns), whole);
        assert_eq!(watch.message(&standings, columns - 1), results);
        assert_eq!(watch.message(&standings, 3), "");
    }
}
