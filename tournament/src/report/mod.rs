//! What games come to: as text, as a JSON document and as a page, all made of one [`Survey`].
//!
//! The same report is made of a tournament that is being played, whose runner writes the page anew every few
//! seconds, and of journals and PGN files that were finished long ago.

mod conditions;
mod json;
mod page;
pub mod tables;
mod text;

use sys::provenance::Provenance;

use crate::archive::Found;
use crate::runner::StopRule;
use crate::stats::ratings::Field;
use crate::stats::sprt::Verdict;
use crate::summary::{left_out_line, plus_minus, ratio_line, word};
use crate::survey::{Survey, Tournament};
use crate::wording::{counted, plural, rounded};

/// Players who share the first place that are named at most, unless one more is left.
const NAMED: usize = 3;

/// How far the games are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// More are being played.
    Running,
    /// The run has ended, and how.
    Ended(String),
    /// Only the files know.
    Unknown,
}

/// Everything a report says.
pub struct Report<'a> {
    /// The event's name, or the file's.
    pub event: &'a str,
    /// The sums.
    pub survey: &'a Survey,
    /// The tournaments whose games were counted.
    pub tournaments: &'a [Tournament],
    /// The files that were read; none while a tournament is played.
    pub files: &'a [Found],
    /// Ratings that are known, by player; empty for none.
    pub anchors: &'a [Option<f64>],
    /// How far the games are.
    pub state: State,
    /// Games of the whole schedule, if known.
    pub scheduled: Option<usize>,
    /// What a reader should know.
    pub notes: &'a [String],
    /// Openings to list at most.
    pub openings: usize,
    /// Who made the report, and when.
    pub provenance: &'a Provenance,
}

impl Report<'_> {
    fn players(&self) -> &[String] {
        self.survey.players()
    }

    /// The ratings, which take long where there are thousands of players.
    fn field(&self) -> Field {
        match self.anchors {
            [] => self.survey.standings.field(),
            anchors => self.survey.standings.anchored_field(anchors),
        }
    }

    /// The heading of the ratings.
    fn scale(&self, field: &Field) -> &'static str {
        if self.anchors.iter().any(Option::is_some) { "Elo (anchored)" } else { tables::scale(field) }
    }

    /// The test with its ratio and verdict.
    fn test(&self) -> Option<(StopRule, f64, Verdict)> {
        let rule = self.survey.test()?;
        let llr = self.survey.standings.llr(&rule.sprt, rule.by_pairs);
        Some((rule, llr, rule.sprt.verdict(llr)))
    }

    /// The test with its ratio and verdict, in a line.
    fn test_line(&self) -> Option<String> {
        let (rule, llr, verdict) = self.test()?;
        let games = !self.survey.standings.tests_pairs(&rule.sprt, rule.by_pairs);
        let unasked = if games && rule.by_pairs { ", by single games since they form no pairs" } else { "" };
        Some(format!("{}{unasked}: {}", ratio_line(&rule.sprt, llr), word(verdict)))
    }

    /// What the test does not count, in a line, if there is such.
    fn left_out_line(&self) -> Option<String> {
        let (rule, standings) = (self.survey.test()?, &self.survey.standings);
        let left_out = standings.games_left_out();
        (left_out > 0).then(|| left_out_line(standings, rule, left_out))
    }

    /// The main result in a sentence.
    fn headline(&self, field: &Field) -> String {
        let standings = &self.survey.standings;
        if standings.games() == 0 {
            return "No game is finished.".to_owned();
        }
        if let Some(winner) = standings.winner() {
            let level = standings.winner_by_seed(self.players());
            let level = level.map_or_else(String::new, |level| format!(", {level}"));
            return format!("{} wins the knockout{level}.", self.players()[winner]);
        }
        match self.players() {
            [first, second] => self.match_headline(first, second),
            _ => self.field_headline(field),
        }
    }

    fn match_headline(&self, first: &str, second: &str) -> String {
        let test = |StopRule { sprt, .. }: StopRule| {
            format!("the test of [{}, {}] {} against {second}", sprt.elo0, sprt.elo1, sprt.model.unit())
        };
        match self.test() {
            Some((rule, _, Verdict::H1)) => return format!("{first} passes {}.", test(rule)),
            Some((rule, _, Verdict::H0)) => return format!("{first} fails {}.", test(rule)),
            _ => {}
        }
        let Some(estimate) = self.survey.standings.estimate() else {
            return format!("{first} and {second} have not met.");
        };
        let (elo, error) = (estimate.elo, estimate.interval);
        let by = plus_minus(elo.abs(), error);
        let by = by.trim_start_matches('+');
        if !error.is_finite() {
            let elo = plus_minus(elo, error);
            return format!("{first} against {second}: {} Elo.", elo.trim_end_matches(" ± ?"));
        }
        if elo.abs() > error {
            // The figures beside it are the first player's.
            let stronger = if elo >= 0.0 { "stronger" } else { "weaker" };
            format!("{first} is {stronger} than {second} by {by} Elo.")
        } else {
            format!("No difference is shown yet: {first} against {second} {} Elo.", plus_minus(elo, error))
        }
    }

    fn field_headline(&self, field: &Field) -> String {
        let standings = &self.survey.standings;
        let places = standings.places();
        let leaders: Vec<usize> = places.iter().filter(|at| at.0 == 1).map(|at| at.1).collect();
        let [leader, others @ ..] = &leaders[..] else { return String::new() };
        let (leader, rating) = (*leader, field.ratings[*leader]);
        let of = counted(places.len() as u64, "player");
        let share = standings.of(leader).share();
        if !others.is_empty() {
            let names = self.named(&leaders);
            // With points for byes shares may differ where points do not.
            let with = match others.iter().all(|&other| standings.of(other).share() == share) {
                true => format!("{:.1} %", share * 100.0),
                false => format!("{:.1} points", standings.points(leader)),
            };
            return format!("{names} share the first place of {of} with {with}.");
        }
        let above = match self.anchors.iter().any(Option::is_some) {
            true => "",
            false if !field.has_bounds() => " above the mean of the field",
            false => " above the mean of those with a rating",
        };
        let elo = match rating.bound {
            Some(_) => String::new(),
            None if rating.error.is_finite() => {
                format!(": {} Elo{above}", plus_minus(rating.elo, rating.error).trim_start_matches('+'))
            }
            None => format!(": {} Elo{above}", rounded(rating.elo, 0)),
        };
        let leads = if self.state == State::Running { "leads" } else { "is first of" };
        format!("{} {leads} {of} with {:.1} %{elo}.", self.players()[leader], share * 100.0)
    }

    /// `A, B and C`, or `A, B, C and 5 others`.
    fn named(&self, players: &[usize]) -> String {
        let told = if players.len() > NAMED + 1 { NAMED } else { players.len().saturating_sub(1) };
        let (first, rest) = players.split_at(told);
        let first: Vec<&str> = first.iter().map(|&player| self.players()[player].as_str()).collect();
        let last = match rest {
            [one] => self.players()[*one].clone(),
            _ => counted(rest.len() as u64, "other"),
        };
        format!("{} and {last}", first.join(", "))
    }

    /// What stands below the headline.
    fn detail(&self) -> String {
        let standings = &self.survey.standings;
        let games = standings.games();
        let of = self.scheduled.map_or_else(String::new, |total| format!(" of {total}"));
        let noun = plural(self.scheduled.map_or(games, |total| total as u64), "game");
        let mut parts = vec![format!("{games}{of} {noun}")];
        if let ([_, _], Some(estimate)) = (self.players(), standings.estimate()) {
            let wdl = standings.between(0, 1);
            parts.push(format!("+{} ={} -{}", wdl.wins, wdl.draws, wdl.losses));
            parts.extend(estimate.los.map(|los| format!("likelihood of superiority {:.1} %", los * 100.0)));
        }
        parts.extend(self.test_line());
        parts.extend(standings.through_by_seed(self.players()));
        let forfeits = standings.forfeited();
        if forfeits > 0 {
            parts.push(counted(forfeits, "forfeit"));
        }
        match &self.state {
            State::Running => parts.push(format!("running, as of {}", self.provenance.date)),
            State::Ended(how) => parts.push(how.clone()),
            State::Unknown => {}
        }
        parts.join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::game;
    use crate::record::{Ending, MoveRecord, Score};
    use crate::stats::sprt::{Model, Sprt};
    use crate::summary::elo_cell;
    use crate::survey::Wanted;

    fn names(players: usize) -> Vec<String> {
        (0..players).map(|player| format!("Engine {player}")).collect()
    }

    /// Games of a field in which lower numbers win more often.
    fn survey(players: &[String], games: usize, wanted: Wanted) -> Survey {
        let count = players.len();
        let mut survey = Survey::of_tournament(
            players,
            wanted,
            crate::standings::Standings::new(count, crate::standings::Counting::Pairs),
        );
        for id in 0..games {
            let mut record = game(id);
            (record.white, record.black) = (id / 2 % count, (id / 2 + 1) % count);
            if id % 2 == 1 {
                (record.white, record.black) = (record.black, record.white);
            }
            let strong = record.white.min(record.black);
            record.result = match id % 5 {
                0 => Score::Draw,
                _ if (record.white == strong) == (id % 5 != 1) => Score::White,
                _ => Score::Black,
            };
            if id == 3 {
                record.ending = Ending::TimeForfeit;
                record.reason = format!("{} loses on time", players[record.black]);
            }
            let mv = |san: &str, uci: &str| MoveRecord {
                ms: Some(40),
                clock_ms: Some(900),
                score: Some(-12),
                depth: Some(7),
                nodes: Some(4000),
                ..MoveRecord::of_opening(san.into(), uci.into())
            };
            record.moves = vec![mv("e4", "e2e4"), mv("d5", "d7d5"), mv("exd5", "e4d5")];
            survey.add_record(&record);
        }
        survey
    }

    fn shown() -> Wanted {
        Wanted { shown: 10, ..Wanted::default() }
    }

    fn rule() -> StopRule {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
        StopRule { sprt, by_pairs: true }
    }

    fn report<'a>(survey: &'a Survey, provenance: &'a Provenance) -> Report<'a> {
        Report {
            event: "Test",
            survey,
            tournaments: &[],
            files: &[],
            anchors: &[],
            state: State::Unknown,
            scheduled: Some(100),
            notes: &[],
            openings: 10,
            provenance,
        }
    }

    /// Every place that shows a rating shows the same: page, text and document, of a match and of a field.
    #[test]
    fn text_document_and_page_show_the_same_ratings() {
        let provenance = Provenance::default();
        for players in [2, 3] {
            let survey = survey(&names(players), 61, shown());
            let report = report(&survey, &provenance);
            let (page, text, json) = (report.page(0), report.text(200), report.json());
            // Of a game on the mean, as the table has it.
            assert_eq!(json["openings"][0]["plies"], 3.0);
            let field = survey.standings.field();
            for (place, player) in survey.standings.ranking().into_iter().enumerate() {
                let rating = field.ratings[player];
                assert!(rating.error.is_finite(), "{rating:?}");
                let cell = elo_cell(rating, survey.standings.of(player));
                assert!(page.contains(&cell) && text.contains(&cell), "{cell}: {text}");
                let near =
                    |value: &serde_json::Value, ours: f64| (value.as_f64().unwrap() - ours).abs() < 1e-3;
                assert!(near(&json["players"][place]["elo"], rating.elo));
                assert!(near(&json["players"][place]["elo_error"], rating.error));
            }
        }
    }

    /// Two builds played as the first player, as the journal says: each has its row.
    #[test]
    fn every_program_that_played_has_a_row() {
        let (players, provenance) = (names(2), Provenance::default());
        let survey = survey(&players, 4, Wanted::default());
        let of = |name: &str| crate::identity::Identity {
            name: Some(name.to_owned()),
            ..crate::identity::Identity::default()
        };
        let tournaments = [Tournament {
            description: serde_json::json!({"players": [{"name": "Engine 0"}, {"name": "Engine 1"}]}),
            engines: vec![vec![of("X 1"), of("Y")], vec![of("X 2"), of("Y")]],
            ..Tournament::default()
        }];
        let report = Report { tournaments: &tournaments, ..report(&survey, &provenance) };
        let table = report.players_table();
        let rows: Vec<String> = table.rows.iter().map(|row| row[..2].join(": ")).collect();
        assert_eq!(rows, ["Engine 0: X 1", "Engine 0: X 2", "Engine 1: Y"]);
    }

    /// Who is level shares a place, in the headline and in the table.
    #[test]
    fn level_players_share_a_place() {
        let provenance = Provenance::default();
        let told = |players: usize, result: &dyn Fn(usize, usize) -> Score| {
            let players = names(players);
            let counting = crate::standings::Counting::Games;
            let standings = crate::standings::Standings::new(players.len(), counting);
            let mut survey = Survey::of_tournament(&players, Wanted::default(), standings);
            let meetings = (0..players.len()).flat_map(|white| (0..white).map(move |black| (white, black)));
            for (id, (white, black)) in meetings.enumerate() {
                let result = result(white, black);
                survey.add_record(&crate::record::GameRecord { white, black, result, ..game(id) });
            }
            let table = tables::standings(&players, &survey.standings, &survey.standings.field(), "Elo");
            let report = report(&survey, &provenance);
            let places: Vec<String> = table.rows.into_iter().map(|row| row[0].to_string()).collect();
            (report.headline(&report.field()), places.join(" "))
        };
        let (headline, places) = told(3, &|_, _| Score::Draw);
        assert_eq!(
            headline,
            "Engine 0, Engine 1 and Engine 2 share the first place of 3 players with 50.0 %."
        );
        assert_eq!(places, "1 1 1");
        let last_loses = |white, _| if white == 2 { Score::Black } else { Score::Draw };
        let (headline, places) = told(3, &last_loses);
        assert_eq!(headline, "Engine 0 and Engine 1 share the first place of 3 players with 75.0 %.");
        assert_eq!(places, "1 1 3");
        let (headline, places) = told(3, &|_, _| Score::White);
        assert!(headline.starts_with("Engine 2 is first of 3 players with 100.0 %"), "{headline}");
        assert_eq!(places, "1 2 3");
        let (headline, _) = told(9, &|_, _| Score::Draw);
        assert!(headline.starts_with("Engine 0, Engine 1, Engine 2 and 6 others share"), "{headline}");
    }

    /// One of three won its five pairs against either of the others, who drew theirs: it has a bound, which is in no
    /// mean, and the five other pairs are too few for an interval.
    #[test]
    fn a_field_with_a_bound_says_what_its_zero_is() {
        let (players, provenance) = (names(3), Provenance::default());
        let told = |wins: bool| {
            let standings = crate::standings::Standings::new(3, crate::standings::Counting::Pairs);
            let mut survey = Survey::of_tournament(&players, Wanted::default(), standings);
            for id in 0..30 {
                let (first, second) = [(0, 1), (0, 2), (1, 2)][id / 10];
                let (white, black) = if id % 2 == 0 { (first, second) } else { (second, first) };
                let result = match (white, black) {
                    (0, _) if wins => Score::White,
                    (_, 0) if wins => Score::Black,
                    _ => Score::Draw,
                };
                survey.add_record(&crate::record::GameRecord { white, black, result, ..game(id) });
            }
            let text = report(&survey, &provenance).text(200);
            let reason = "too few games for 95 % intervals in the part of the field";
            ["Elo (field mean 0)", "Elo (largest part's mean 0)", reason].map(|words| text.contains(words))
        };
        assert_eq!(told(true), [false, true, true]);
        assert_eq!(told(false), [true, false, false]);
    }

    /// On an anchor's scale the picture of the ratings is one of these; a player who lost everything has a bound,
    /// which is told in the table and is no place in the picture.
    #[test]
    fn the_picture_shows_ratings_and_no_bounds() {
        let (players, provenance) = (names(3), Provenance::default());
        let standings = crate::standings::Standings::new(3, crate::standings::Counting::Pairs);
        let mut survey = Survey::of_tournament(&players, Wanted::default(), standings);
        for id in 0..60 {
            let result = [Score::White, Score::White, Score::Draw, Score::Black][id % 4];
            survey.add_record(&crate::record::GameRecord { result, ..game(id) });
        }
        for id in 60..64 {
            let result = if id % 2 == 0 { Score::White } else { Score::Black };
            let (white, black) = if id % 2 == 0 { (0, 2) } else { (2, 1) };
            let lost = crate::record::GameRecord { white, black, result, encounter: id, ..game(id) };
            survey.add_record(&lost);
        }
        let anchors = [Some(3500.0), None, None];
        let page = Report { anchors: &anchors, ..report(&survey, &provenance) }.page(0);
        let (_, picture) = page.split_once("Elo (anchored), with 95 % intervals</figcaption>").unwrap();
        let (picture, _) = picture.split_once("</figure>").unwrap();
        let shown = players.iter().map(|name| picture.contains(name.as_str())).collect::<Vec<_>>();
        assert_eq!(shown, [true, true, false]);
        assert!(!picture.contains(">0<") && picture.contains(">3500<"), "{picture}");
        assert!(page.contains("&lt; +3"), "{page}");
    }

    /// Of a large field there is no crosstable and on the page no table of every two players, and that is
    /// said.
    #[test]
    fn a_large_field_has_no_crosstable() {
        let provenance = Provenance::default();
        for (players, has_one) in [(100, true), (101, false)] {
            let survey = survey(&names(players), 2 * players, Wanted::default());
            let report = report(&survey, &provenance);
            let (page, text) = (report.page(0), report.text(2000));
            let line = "No crosstable: there are more than 100 players.";
            let longer = "No crosstable and no table of every two players: there are more than 100 players.";
            assert_eq!((page.contains(longer), text.contains(line)), (!has_one, !has_one));
            assert_eq!(page.contains("<summary>Every two players"), has_one);
            assert_eq!(text.contains("Crosstable"), has_one);
            assert_eq!(page.contains("when one points at it"), has_one);
        }
    }

    /// Thousands of players, each of whom met one other: memory and time go by the games, and that there are
    /// no ratings is said.
    #[test]
    fn a_huge_field_has_a_report_without_ratings() {
        let (players, provenance) = (names(5000), Provenance::default());
        let counting = crate::standings::Counting::Games;
        let standings = crate::standings::Standings::new(0, counting).tested_without_faults();
        let mut survey = Survey::of_tournament(&players, Wanted::default(), standings);
        for id in 0..2500 {
            let result = [Score::White, Score::Draw, Score::Black][id % 3];
            let (white, black) = (2 * id, 2 * id + 1);
            survey.add_record(&crate::record::GameRecord { white, black, result, encounter: id, ..game(id) });
        }
        assert_eq!(survey.standings.meetings_kept(), 5000, "one for each player");
        let report = report(&survey, &provenance);
        let (page, text, json) = (report.page(0), report.text(2000), report.json());
        let line = "Elo: not rated, since there are more than 4000 players.";
        assert!(page.contains(line) && text.contains(line));
        assert!(json["crosstable"].is_null() && json["players"][0]["elo"].is_null());
        let meetings = json["meetings"].as_array().unwrap();
        assert_eq!((meetings.len(), json["players"].as_array().unwrap().len()), (2500, 5000));
        assert_eq!(
            meetings[4],
            serde_json::json!({
                "first": "Engine 8", "second": "Engine 9", "results": {"wins": 0, "draws": 1, "losses": 0},
                "speed": null, "speed_low": null, "speed_high": null, "speed_games": null,
            })
        );
    }

    /// A page of every size is whole, holds nothing from outside, and shows what it is told to.
    #[test]
    fn a_page_needs_nothing_else() {
        let provenance = Provenance::default();
        for (players, games) in [(2, 0), (2, 1), (2, 61), (3, 40), (20, 800)] {
            let wanted = Wanted { test: Some(rule()), ..shown() };
            let survey = survey(&names(players), games, wanted);
            let page = Report { state: State::Running, ..report(&survey, &provenance) }.page(10);
            let outside = page.replace("http://www.w3.org/2000/svg", "");
            assert!(
                !outside.contains("http:")
                    && !outside.contains("https:")
                    && !outside.contains("src=")
                    && !outside.contains("@import")
            );
            assert!(!page.contains("NaN") && !page.contains("inf\""), "{players} {games}");
            assert!(page.contains("RELOAD_SECONDS=10"));
            assert_eq!(page.contains("id=\"games-data\""), games > 0);
            assert_eq!(page.contains("Sequential test</h2>"), players == 2);
            assert_eq!(page.contains("Crosstable</h2>"), players > 2);
        }
    }

    /// What stands above the viewer names the games that it has: of many forfeits only the first have places of their
    /// own.
    #[test]
    fn the_text_above_the_viewer_says_which_games_it_has() {
        let (players, provenance) = (names(2), Provenance::default());
        let page = |games: usize, most: usize, forfeits: std::ops::Range<usize>| {
            let wanted = Wanted { shown: most, ..Wanted::default() };
            let standings = crate::standings::Standings::new(2, crate::standings::Counting::Pairs);
            let mut survey = Survey::of_tournament(&players, wanted, standings);
            for id in 0..games {
                let ending = if forfeits.contains(&id) { Ending::Crash } else { Ending::Stalemate };
                survey.add_record(&crate::record::GameRecord { ending, ..game(id) });
            }
            report(&survey, &provenance).page(0)
        };
        for (most, forfeits, says) in [
            (30, 3..5, "All 30 games."),
            (8, 0..0, "8 of 30 games: the last ones."),
            (8, 3..5, "8 of 30 games: the last ones, and those that ended by forfeit."),
            (8, 3..6, "8 of 30 games: the last ones, and the first 2 of 3 that ended by forfeit."),
            (8, 0..30, "8 of 30 games: the last ones, and the first 2 of 30 that ended by forfeit."),
            (4, 3..5, "4 of 30 games: the last ones, and the first of 2 that ended by forfeit."),
            (3, 3..5, "3 of 30 games: the last ones."),
            (1, 3..5, "1 of 30 games: the last one."),
        ] {
            assert!(page(30, most, forfeits).contains(&format!("<p>{says}</p>")), "{most}: not {says}");
        }
        assert!(page(1, 30, 0..0).contains("<p>The only game.</p>"));
    }

    /// PGN of other programs has a word for how a game ended, and often no more.
    #[test]
    fn a_forfeit_without_a_sentence_is_told_in_a_word() {
        let (players, provenance) = (names(2), Provenance::default());
        for (reason, told) in
            [("", "\nGame 1: illegal-move\n"), ("Black plays Ke9", "\nGame 1: Black plays Ke9\n")]
        {
            let standings = crate::standings::Standings::new(2, crate::standings::Counting::Pairs);
            let mut survey = Survey::of_tournament(&players, Wanted::default(), standings);
            let (ending, reason) = (Ending::IllegalMove, reason.to_owned());
            survey.add_record(&crate::record::GameRecord { ending, reason, ..game(0) });
            let text = report(&survey, &provenance).text(200);
            assert!(text.contains(told), "{text}");
        }
    }

    /// Contrast by the formula of WCAG 2.2: the coordinates stand on squares of every kind.
    #[test]
    fn coordinates_of_a_board_have_the_contrast_of_level_aa() {
        let luminance = |hex: &str| {
            let wide = |i: usize| i64::from_str_radix(&hex[1 + 2 * i..3 + 2 * i], 16).unwrap() as f64 / 255.0;
            let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            0.2126 * linear(wide(0)) + 0.7152 * linear(wide(1)) + 0.0722 * linear(wide(2))
        };
        let fill = |class: &str| {
            let begin = format!(".{class}{{");
            let (_, rule) = include_str!("board.css").split_once(begin.as_str()).expect(class);
            let (rule, _) = rule.split_once('}').expect(class);
            rule.split(';').find_map(|pair| pair.strip_prefix("fill:")).expect(class)
        };
        for ground in ["sl", "sd", "sm"] {
            let (a, b) = (luminance(fill("sc")), luminance(fill(ground)));
            let ratio = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(ratio >= 4.5, ".sc on .{ground}: {ratio:.2}");
        }
    }

    /// The scripts of the pages, run by `reader.js` with a reader of whom it tells what they spoil.
    #[test]
    fn the_scripts_of_a_page_leave_its_reader_alone() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/reader.js");
        match std::process::Command::new("node").arg(script).output() {
            Ok(output) => {
                let said = [output.stdout, output.stderr].concat();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
            }
            Err(error) => {
                use std::io::Write as _;
                // If it cannot be told, the test is skipped all the same.
                let _ = writeln!(std::io::stderr(), "SKIPPED: node: {error}");
            }
        }
    }

    /// The games of the page are the last ones, and before all others the forfeits.
    #[test]
    fn the_viewer_gets_forfeits_and_the_last_games() {
        let survey = survey(&names(2), 61, shown());
        let numbers: Vec<u64> = survey.shown.games().iter().map(|game| game["n"].as_u64().unwrap()).collect();
        assert_eq!(numbers, [4, 53, 54, 55, 56, 57, 58, 59, 60, 61]);
        let last = survey.shown.games()[9];
        assert_eq!((last["m"].as_str(), last["s"].as_str()), (Some("e2e4 d7d5 e4d5"), Some("e4 d5 exd5")));
        assert_eq!((&last["v"][0], &last["c"][2], &last["k"][1]), (&(-12).into(), &900.into(), &4000.into()));
    }

    /// What is told of forfeits in part says how many there are, also where no more than a thousand are kept.
    #[test]
    fn forfeits_are_counted_whole() {
        let (players, provenance) = (names(2), Provenance::default());
        let standings = crate::standings::Standings::new(2, crate::standings::Counting::Pairs);
        let mut survey = Survey::of_tournament(&players, Wanted::default(), standings);
        for id in 0..1234 {
            let (ending, result) = (Ending::Crash, Score::White);
            survey.add_record(&crate::record::GameRecord { ending, result, ..game(id) });
        }
        let report = report(&survey, &provenance);
        assert!(report.text(100).contains("\n... and 1214 more forfeits\n"), "{}", report.text(100));
        assert!(report.page(0).contains("<summary>1234 forfeits, the first of them (50)</summary>"));
    }

    /// Names, reasons and notes come from users and engines.
    #[test]
    fn hostile_names_stay_text() {
        let nasty = "</script><img src=x onerror=alert(1)>";
        let players = vec![nasty.to_owned(), "B&B \"'".to_owned()];
        let survey = survey(&players, 8, Wanted { pairs: true, ..shown() });
        let provenance = Provenance { command: Some(nasty.into()), ..Provenance::default() };
        let notes = [nasty.to_owned()];
        let page = Report { event: nasty, notes: &notes, ..report(&survey, &provenance) }.page(0);
        assert!(!page.contains("<img"), "a name became markup");
        let (_, rest) = page.split_once("id=\"games-data\">").unwrap();
        let (data, _) = rest.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["players"][0], nasty);
    }

    /// A filter can leave one player, or none, and a field can be of one that did not play.
    #[test]
    fn a_report_on_nobody_is_a_report() {
        let provenance = Provenance::default();
        for players in 0..4 {
            let survey = survey(&names(players), 0, Wanted { test: Some(rule()), ..shown() });
            let report = report(&survey, &provenance);
            assert!(report.text(80).contains("No game is finished") && report.page(0).contains("No game is"));
            assert_eq!(report.json()["games"], 0);
        }
    }

    /// After a single pair no output gives a likelihood of superiority.
    #[test]
    fn superiority_is_withheld_with_the_interval() {
        let (players, provenance) = (names(2), Provenance::default());
        let after = |results: &[Score]| {
            let standings = crate::standings::Standings::new(2, crate::standings::Counting::Pairs);
            let mut survey = Survey::of_tournament(&players, Wanted::default(), standings);
            for (id, &result) in results.iter().enumerate() {
                survey.add_record(&crate::record::GameRecord { result, ..game(id) });
            }
            let report = report(&survey, &provenance);
            (report.json()["match"]["los"].clone(), report.text(100), report.page(0))
        };
        let (los, text, page) = after(&[Score::Draw, Score::White]);
        assert!(los.is_null() && text.contains("LOS ?") && !text.contains("superiority"), "{text}");
        assert!(!page.contains("superiority"));
        // Forty pairs of 1 and 1½ points in turns.
        let (los, text, page) = after(&[Score::Draw, Score::White, Score::White, Score::White].repeat(20));
        assert!(los.is_number() && text.contains("LOS 0.0 %") && page.contains("likelihood of superiority"));
    }

    /// Whose Elo the bounds are in: the reader of [0, 5] takes them for Elo otherwise.
    #[test]
    fn a_test_names_the_elo_of_its_bounds() {
        let (players, provenance) = (names(2), Provenance::default());
        for (model, unit) in [
            (Model::Normalized, "nElo"),
            (Model::Logistic, "Elo"),
            (Model::Bayesian, "BayesElo"),
            (Model::Cutechess, "Elo"),
        ] {
            let sprt = Sprt { model, ..rule().sprt };
            let test = Some(StopRule { sprt, by_pairs: !model.counts_games() });
            let survey = survey(&players, 8, Wanted { test, ..shown() });
            let report = report(&survey, &provenance);
            let line = format!("SPRT [0, 5] {unit}, alpha 0.05, beta 0.05: LLR ");
            assert!(report.text(200).contains(&format!("\n{line}")), "{}", report.text(200));
            assert!(report.page(0).contains(&line), "{line}");
        }
    }

    /// Of eight games in pairs the fourth was lost by a crash, which the test does not see.
    #[test]
    fn page_and_text_say_what_the_test_does_not_see() {
        let (players, provenance) = (names(2), Provenance::default());
        let line = "The SPRT does not see 1 game lost by a fault of the program, nor the other of its pair.";
        for (ending, is_said) in [(Ending::Crash, true), (Ending::Checkmate, false)] {
            let counting = crate::standings::Counting::Pairs;
            let standings = crate::standings::Standings::new(2, counting).tested_without_faults();
            let wanted = Wanted { test: Some(rule()), ..Wanted::default() };
            let mut survey = Survey::of_tournament(&players, wanted, standings);
            for id in 0..8 {
                let mut record = game(id);
                if id == 3 {
                    (record.ending, record.result) = (ending, Score::White);
                }
                survey.add_record(&record);
            }
            let report = report(&survey, &provenance);
            let (page, text) = (report.page(0), report.text(200));
            assert_eq!(page.contains(&format!("<p>{line}</p>")), is_said, "the page, {ending}");
            assert_eq!(text.contains(&format!("\n{line}\n")), is_said, "{text}");
        }
    }

    /// The live page says when its tournament was begun, which runs that go on with it do not change.
    #[test]
    fn a_live_page_has_the_mark_of_its_tournament() {
        let (players, provenance) = (names(2), Provenance::default());
        let survey = survey(&players, 4, shown());
        let of = |date: &str| crate::journal::Run {
            provenance: Some(Provenance { date: date.to_owned(), ..Provenance::default() }),
            ..crate::journal::Run::default()
        };
        let dates = ["2026-11-26T08:00:00Z", "2026-11-27T09:00:00Z"];
        let runs = dates.map(of).to_vec();
        let tournaments = [Tournament { runs, ..Tournament::default() }];
        let live = |tournaments: &[Tournament]| {
            let report = Report { tournaments, ..report(&survey, &provenance) };
            report.live_page()
        };
        let page = live(&tournaments);
        let marked = |mark: &str| format!("id=\"live-data\">{{\"begun\":{mark}}}</script>");
        assert!(page.contains(&marked("\"2026-11-26T08:00:00Z\"")), "{page}");
        assert!(live(&[]).contains(&marked("null")));
        // Its boards and the viewer's have one style.
        assert!(page.contains("id=\"games-data\""));
        assert_eq!(page.matches(include_str!("board.css")).count(), 1);
    }

    #[test]
    fn the_headline_says_what_the_numbers_say() {
        let provenance = Provenance::default();
        let headline = |counts: [u64; 5], test: Option<StopRule>| {
            let wanted = Wanted { test, ..Wanted::default() };
            let players = vec!["A".to_owned(), "B".to_owned()];
            let mut survey = Survey::of_tournament(
                &players,
                wanted,
                crate::standings::Standings::new(2, crate::standings::Counting::Pairs),
            );
            let (mut id, halves) = (0, [[0, 0], [0, 1], [1, 1], [1, 2], [2, 2]]);
            for (points, &count) in halves.iter().zip(&counts) {
                for _ in 0..count {
                    for half in points {
                        let mut record = game(id);
                        let white = if record.white == 0 { *half } else { 2 - *half };
                        record.result = [Score::Black, Score::Draw, Score::White][white];
                        survey.add_record(&record);
                        id += 1;
                    }
                }
            }
            assert_eq!(survey.standings.pairs().0, counts);
            let report = report(&survey, &provenance);
            report.headline(&report.field())
        };
        assert_eq!(headline([0; 5], None), "No game is finished.");
        assert!(headline([1, 5, 30, 40, 20], None).starts_with("A is stronger than B by "));
        assert!(headline([20, 40, 30, 5, 1], None).starts_with("A is weaker than B by "));
        assert!(headline([10, 20, 40, 20, 10], None).starts_with("No difference is shown yet"));
        // fastchess's test of this LLR has 2.25 for elo0=0, elo1=2: undecided; three times as much is not.
        let pairs = |times: u64| [365, 16618, 36029 + 200, 16974, 390].map(|count: u64| count * times / 100);
        assert!(headline(pairs(1), Some(rule())).starts_with("No difference"));
        assert!(
            headline([1, 5, 30, 90, 80], Some(rule()))
                .starts_with("A passes the test of [0, 5] nElo against B")
        );
        assert!(
            headline([80, 90, 30, 5, 1], Some(rule()))
                .starts_with("A fails the test of [0, 5] nElo against B")
        );
    }
}
