//! fastchess's and cutechess-cli's command lines, held against what both programs made of them: openings,
//! colours, rounds, ends of games, and every line on their terminals. `tests/data/runners` says which
//! versions were recorded.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use chess::{Game, Position};
use tournament::adjudicate::{Adjudicator, Manner, Rules};
use tournament::frontend::console::Console;
use tournament::frontend::reasons::reason;
use tournament::frontend::{Affinity, Asked, FrontendError, Games, Request, Results, Surroundings, read};
use tournament::openings::{Book, Opening, Reading};
use tournament::record::{Ending, GameRecord, Score};
use tournament::runner::RunEnd;
use tournament::schedule::{Next, Pairing};
use tournament::standings::Standings;
use tournament::stats::sprt::Verdict;
use tournament::trial::Greeting;

const OPENINGS: &str = include_str!("../data/runners/openings.txt");
const TERMINALS: &str = include_str!("../data/runners/terminals.txt");
const ADJUDICATED: &[u8] = include_bytes!("../data/runners/adjudicated.txt.gz");
const LINES: [(&str, Manner); 2] = [
    (include_str!("../data/runners/lines-fastchess.txt"), Manner::Fastchess),
    (include_str!("../data/runners/lines-cutechess.txt"), Manner::Cutechess),
];

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/runners").join(name)
}

/// A command line with files that are there: a shell stands for every engine.
fn words(line: &str) -> (Manner, Vec<String>) {
    let mut words = shell_words::split(line).unwrap().into_iter();
    let program = words.next().unwrap();
    let manner = if program.contains("cutechess") { Manner::Cutechess } else { Manner::Fastchess };
    let file = |word: String| match word.split_once('=') {
        Some(("cmd", "new" | "old")) => "cmd=sh".to_owned(),
        Some(("cmd", _)) => "cmd=/bin/sh".to_owned(),
        Some(("dir", _)) => "dir=/bin".to_owned(),
        Some(("file", "book.epd" | "book960.epd" | "book50.epd")) => {
            format!("file={}", data("book50.epd").display())
        }
        Some(("file", "book.pgn" | "book30.pgn")) => format!("file={}", data("book30.pgn").display()),
        Some(("file", "config.json")) => format!("file={}", data("config.json").display()),
        _ => word,
    };
    (manner, words.map(file).collect())
}

fn request(line: &str) -> Result<Request, FrontendError> {
    let (manner, words) = words(line);
    match read(manner, &words, Surroundings { cpus: 2, chance: 1, now_ms: 0 })? {
        Asked::Play(request) => Ok(*request),
        other => panic!("{line}: {other:?}"),
    }
}

/// All games of a plan that is known from the start.
fn pairings(request: &Request, book: &Book) -> Vec<Pairing> {
    let mut schedule = request.schedule(book);
    let mut list = Vec::new();
    while let Next::Game(pairing) = schedule.next(&|_| Some(0.5)) {
        list.push(pairing);
    }
    list
}

/// The same games with the same colours, rounds and openings, for every seed, policy and kind of tournament.
#[test]
fn games_and_openings_are_those_that_were_recorded() {
    let blocks = OPENINGS.split("\n\n").skip(1);
    let mut seen = 0;
    for block in blocks {
        let (command, games) = block.trim().split_once('\n').unwrap();
        let request = request(command).unwrap_or_else(|error| panic!("{command}: {error}"));
        let book = request.open_book(false).unwrap();
        let asked = request.book.clone().unwrap();
        let in_file =
            Book::from_file(&asked.path, Reading { order: Reading::WHOLE.order, start: 1, ..asked.reading });
        let in_file = in_file.unwrap();
        let mut numbers: HashMap<String, Vec<usize>> = HashMap::new();
        let text = |opening: &Opening| format!("{opening:?}");
        for number in 0..in_file.len() {
            numbers.entry(text(&in_file.opening(number).unwrap())).or_default().push(number + 1);
        }
        let planned = pairings(&request, &book);
        let games: Vec<&str> = games.split(' ').collect();
        assert_eq!(planned.len(), games.len(), "{command}");
        for (pairing, recorded) in planned.iter().zip(games) {
            let fields: Vec<&str> = recorded.split(':').collect();
            let found = &numbers[&text(&book.opening(pairing.opening).unwrap())];
            let colours = format!("{}-{}", pairing.white, pairing.black);
            assert_eq!(
                (pairing.round.to_string().as_str(), colours.as_str()),
                (fields[0], fields[1]),
                "{command}"
            );
            let known = fields[2].split('/').any(|number| found.contains(&number.parse().unwrap()));
            assert!(known, "game {}: opening {found:?}, recorded {}: {command}", pairing.id + 1, fields[2]);
        }
        seen += 1;
    }
    assert_eq!(seen, 105);
}

/// Every line that people have in their scripts is understood and planned.
#[test]
fn forty_lines_are_planned() {
    let mut planned = 0;
    for (lines, manner) in LINES {
        for line in lines.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let mut request = request(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(request.manner, manner);
            if line.contains("-config") {
                // The settings name a book in the folder of the match.
                request.book.as_mut().unwrap().path = data("book50.epd");
            }
            let book = request.open_book(false).unwrap();
            let schedule = request.schedule(&book);
            let games = request.total(&schedule).unwrap();
            assert!(request.players.len() >= 2 && games > 0, "{line}");
            planned += 1;
        }
    }
    assert_eq!(planned, 40);
}

/// How a game ended, from the words on a terminal.
fn ending(why: &str) -> Ending {
    match why {
        _ if why.ends_with("mates") => Ending::Checkmate,
        "Draw by stalemate" => Ending::Stalemate,
        "Draw by 3-fold repetition" => Ending::Repetition,
        "Draw by fifty moves rule" => Ending::FiftyMoves,
        "Draw by insufficient mating material" => Ending::InsufficientMaterial,
        "Draw by adjudication" => Ending::AdjudicatedDraw,
        "Draw by adjudication: maximal game length" => Ending::MaximumLength,
        _ if why.ends_with("wins by adjudication") => Ending::AdjudicatedWin,
        _ => panic!("{why}"),
    }
}

fn record(pairing: &Pairing, result: &str, why: &str) -> GameRecord {
    let json = serde_json::json!({
        "id": pairing.id, "round": pairing.round, "encounter": pairing.encounter, "opening": pairing.opening,
        "white": pairing.white, "black": pairing.black, "moves": [], "result": result, "ending": ending(why),
        "reason": why, "started_ms": 0, "wall_ms": 0, "slot_ms": 0,
    });
    serde_json::from_value(json).unwrap()
}

/// The games of a plan that is not known before, as the terminal has them.
fn as_told(lines: &[&str], names: &[String]) -> Vec<Pairing> {
    let started = lines.iter().filter_map(|line| line.strip_prefix("Started game "));
    let games = started.enumerate().map(|(id, rest)| {
        let (_, players) = rest.trim_end_matches(')').split_once('(').unwrap();
        let (white, black) = players.split_once(" vs ").unwrap();
        let number = |name: &str| names.iter().position(|known| known == name).unwrap();
        let (white, black) = (number(white), number(black));
        Pairing { id, round: 1, encounter: id / 2, opening: id / 2, white, black }
    });
    games.collect()
}

/// What is printed for the games of a recorded terminal, in its order of events.
fn printed(command: &str, lines: &[&str]) -> String {
    let request = request(command).unwrap_or_else(|error| panic!("{command}: {error}"));
    let book = request.open_book(false).unwrap();
    let names = request.shown_names(&[]);
    let greeting = Greeting { threads: Some("1".into()), hash: Some("4".into()), ..Greeting::default() };
    let greetings = vec![greeting; names.len()];
    let resume = request.resume("x", &[], None);
    let mut console = Console::new(request.shown(&request.schedule(&book), &names, &greetings, resume));
    let knockout = matches!(request.games, Games::Knockout(_));
    let planned = if knockout { as_told(lines, &names) } else { pairings(&request, &book) };
    let mut standings = Standings::new(names.len(), request.counting());
    let (mut text, mut end) = (String::new(), RunEnd::Complete);
    for line in lines {
        let number = |rest: &str| rest.split(' ').next().unwrap().parse::<usize>().unwrap() - 1;
        if let Some(rest) = line.strip_prefix("Started game ") {
            text += &console.started(&planned[number(rest)]);
        } else if let Some(rest) = line.strip_prefix("Finished game ") {
            let (_, told) = rest.rsplit_once("): ").unwrap();
            let (result, why) = told.split_once(' ').unwrap();
            let game = record(&planned[number(rest)], result, why.trim_matches(['{', '}']));
            standings.add(&game);
            let llr = request.stop_rule.map_or(0.0, |rule| standings.llr(&rule.sprt, rule.by_pairs));
            text += &console.finished(&game, llr);
        } else if line.contains("H1 was accepted") {
            end = RunEnd::Decided(Verdict::H1);
        } else if line.contains("H0 was accepted") {
            end = RunEnd::Decided(Verdict::H0);
        }
    }
    text + &console.ended(&end, Duration::from_secs(19))
}

/// Every line of a terminal: games, scores, blocks at their intervals, tests, outcomes, the end.
#[test]
fn terminals_are_those_that_were_recorded() {
    let mut seen = 0;
    for block in TERMINALS.split("\n$ ").skip(1) {
        let (command, terminal) = block.split_once('\n').unwrap();
        let told = |line: &&str| !line.starts_with("Indexing") && !line.starts_with("Warning:");
        let lines: Vec<&str> = terminal.lines().filter(told).collect();
        let ours = printed(command, &lines);
        let mut theirs = String::new();
        for line in &lines {
            let line = if line.starts_with("Total Time") {
                "Total Time: 00:00:19 (hours:minutes:seconds)"
            } else {
                line
            };
            writeln!(theirs, "{line}").unwrap();
        }
        for (number, (ours, theirs)) in ours.trim_end().lines().zip(theirs.trim_end().lines()).enumerate() {
            assert_eq!(ours, theirs, "line {}: {command}", number + 1);
        }
        assert_eq!(ours.trim_end().lines().count(), theirs.trim_end().lines().count(), "{command}");
        seen += 1;
    }
    assert!(seen >= 20, "{seen}");
}

/// Reads the rules of a recorded set.
fn rules(text: &str) -> Rules {
    let manner = if text.starts_with("cutechess") { Manner::Cutechess } else { Manner::Fastchess };
    let program = if manner == Manner::Cutechess { "cutechess-cli" } else { "fastchess" };
    let flags = text.split_once(' ').map_or("", |(_, flags)| flags);
    let clock = if manner == Manner::Cutechess { "tc=inf proto=uci nodes=1" } else { "nodes=1" };
    request(&format!("{program} -engine cmd=a name=A -engine cmd=b name=B -each {clock} {flags}"))
        .unwrap()
        .rules
}

/// Two hundred and twenty games end where fastchess and cutechess-cli ended them, with the same result and
/// reason.
#[test]
fn games_end_where_both_runners_ended_them() {
    let mut text = String::new();
    flate2::read::GzDecoder::new(ADJUDICATED).read_to_string(&mut text).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut seen = 0;
    for game in lines.split(|line| line.is_empty()).filter(|game| !game.is_empty()) {
        let &[flags, fen, moves, end] = game else { panic!("{game:?}") };
        let rules = rules(flags);
        let mut board = Game::new(Position::from_fen(fen).unwrap());
        let mut adjudicator = Adjudicator::new(rules, 0);
        let mut found = None;
        let all: Vec<&str> = moves.split(' ').collect();
        for (ply, word) in all.iter().enumerate() {
            let (uci, score) = word.split_once('/').unwrap();
            let mv = board.position().parse_uci(uci).unwrap();
            board.play(mv).unwrap();
            let over = board.outcome().is_some();
            let finding = adjudicator.moved(board.position(), ply + 1, score.parse().ok());
            assert!(!(over && ply + 1 < all.len()), "{flags}, {fen}: over at {}", ply + 1);
            if let Some(finding) = finding.filter(|_| !over) {
                let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 0, black: 1 };
                let mut game = record(&pairing, "1-0", "Draw by adjudication");
                (game.result, game.ending) = (finding.score, finding.ending);
                let text = reason(rules.manner, &game, false);
                found = Some(format!("{} {} {text}", ply + 1, finding.score.text()));
                break;
            }
        }
        let on_board = board.outcome().is_some();
        assert_eq!(found.is_none(), on_board, "{flags}, {fen}: {found:?}, recorded {end}");
        if let Some(found) = found {
            assert_eq!(found, end, "{flags}, {fen}");
        }
        seen += 1;
    }
    assert_eq!(seen, 220);
}

/// A knockout whose meetings all have a winner has as many games as are told from the first, byes or not.
#[test]
fn a_knockout_has_as_many_games_as_it_says() {
    for players in 2..10 {
        let engines = (0..players).map(|n| format!("-engine cmd=a name=P{n} ")).collect::<String>();
        let request = request(&format!(
            "cutechess-cli {engines} -each proto=uci tc=1 -tournament knockout -games 2 -repeat"
        ))
        .unwrap();
        let mut schedule = request.schedule(&request.open_book(false).unwrap());
        let total = request.total(&schedule);
        let mut points = Vec::new();
        while let Next::Game(game) = schedule.next(&|id| points.get(id).copied()) {
            points.push(if game.white < game.black { 1.0 } else { 0.0 });
        }
        assert_eq!(total, Some(points.len()), "{players} players");
    }
}

/// What cannot be had is an error that names the flag and says what to use.
#[test]
fn errors_name_the_flag() {
    let two = "-engine cmd=a name=A -engine cmd=b name=B -each";
    for (line, says) in [
        (
            format!("fastchess {two} tc=1 -concurency 2"),
            "unknown option -concurency: did you mean -concurrency?",
        ),
        (format!("fastchess {two} tc=1 -debug"), "-debug: there is no such flag; use -log"),
        (
            format!("fastchess {two} tc=hg60"),
            "-each tc=hg60: there is no hourglass here; `firstborn cutechess`",
        ),
        (format!("fastchess {two} tc=1 proto=xboard"), "-each proto=xboard: only uci"),
        (format!("fastchess {two} tc=1 ponder=true"), "-each: unknown key `ponder`"),
        (format!("fastchess {two} tc=1 st=1"), "cannot use tc and st together"),
        (format!("fastchess {two} tc=inf"), "no TimeControl specified"),
        (format!("fastchess {two} tc=0/1"), "-each tc=0/1: the number of moves must be positive"),
        (format!("fastchess {two} tc=1 -rounds"), "-rounds: takes exactly one value"),
        (
            format!("fastchess {two} tc=1 -tournament round-robin"),
            "-tournament: `round-robin` is neither roundrobin",
        ),
        (
            format!("fastchess {two} tc=1 -sprt elo0=5 elo1=0 alpha=0.05 beta=0.05"),
            "elo0 must be less than elo1",
        ),
        (
            format!("fastchess {two} tc=1 -openings file=absent.epd"),
            "-openings file=absent.epd: there is no such file",
        ),
        (format!("fastchess {two} tc=1 -concurrency 64"), "-concurrency: more games at once than CPUs"),
        ("fastchess -engine cmd=a tc=1".to_owned(), "at least two engines"),
        (format!("cutechess-cli {two} tc=1"), "Unknown or missing protocol"),
        (format!("cutechess-cli {two} proto=uci"), "Invalid or missing time control"),
        (format!("cutechess-cli {two} proto=uci tc=1 st=1"), "tc= and st= together"),
        (format!("cutechess-cli {two} proto=uci tc=1 -bogus 3"), "unknown option -bogus"),
        (format!("cutechess-cli {two} proto=uci tc=1 -games 2 -games 4"), "-games: is given twice"),
        (
            format!("cutechess-cli {two} proto=uci tc=1 -draw movecount=2 score=10"),
            "-draw: needs movenumber=",
        ),
        (
            format!("cutechess-cli {two} proto=uci tc=1 -variant atomic"),
            "-variant: `atomic` cannot be played here",
        ),
        (format!("cutechess-cli {two} proto=uci tc=1 -openings file=book.epd"), "write format=epd"),
        (format!("cutechess-cli {two} proto=uci tc=1 args=x"), "write arg= for each argument"),
        (format!("cutechess-cli {two} proto=uci tc=1 -tournament knockout -rounds 2"), "leave -rounds out"),
        (
            format!("cutechess-cli {two} proto=uci tc=1 -tournament knockout -games 3 -repeat"),
            "-games: a knockout here has one game of a pair, or an even number, and not 3",
        ),
        (
            format!("cutechess-cli {two} proto=uci tc=1 -tournament knockout -games 2"),
            "every two: write -repeat",
        ),
        (
            format!("cutechess-cli {two} proto=uci tc=1 -tournament knockout -games 4 -repeat 4"),
            "-repeat: a knockout of 4 games",
        ),
        (format!("cutechess-cli {two} proto=uci tc=1 -resultformat wide3"), "-resultformat"),
    ] {
        let message = request(&line).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(says), "{line}: {message}");
    }
}

/// A match that fastchess was interrupted in goes on where it was, with the results that it had.
#[test]
fn a_match_of_fastchess_goes_on() {
    let request = request("fastchess -config file=config.json").unwrap();
    let book_is_away = request.open_book(false).is_err();
    assert!(book_is_away && request.book.is_some(), "the settings name a book in the folder of the match");
    let played = request.played();
    let points: f64 = played.iter().map(|game| game.played().points_of(0)).sum();
    assert_eq!((played.len(), points), (4, 2.5));
    let book = Book::from_file(&data("book50.epd"), request.book.as_ref().unwrap().reading).unwrap();
    let left = pairings(&request, &book);
    assert_eq!((left.len(), left[0].id, left[0].round), (8, 4, 3));
    let mut standings = Standings::new(2, request.counting());
    played.iter().for_each(|game| standings.add(game));
    assert_eq!(standings.pairs().0, [0, 0, 1, 1, 0]);
    assert!(played.iter().all(|game| game.result != Score::Black || game.black == 0));
}

/// What a match has written is kept when it goes on, whatever its flags say; without its results it begins
/// anew.
#[test]
fn a_match_that_goes_on_keeps_its_files() {
    let files = "-pgnout file=g append=false -epdout file=e append=false -log file=l append=false";
    for kept in [true, false] {
        let request = request(&format!("fastchess -config file=config.json stats={kept} {files}")).unwrap();
        let appended =
            [request.pgn.unwrap().append, request.epd.unwrap().append, request.log.unwrap().append];
        assert_eq!(appended, [kept; 3]);
    }
}

/// Settings that fastchess's own file does not have hold as well when a match goes on, and stand in it only
/// where they are not the usual ones.
#[test]
fn a_match_goes_on_under_the_rules_it_was_begun_with() {
    let line = "fastchess -engine cmd=a name=A -engine cmd=b name=B -each nodes=1 -tb tables";
    let own = "-tbadjudicate WIN_LOSS -use-affinity 0-1 -startup-ms 20000 -ping-ms 70000 -strict";
    let settings = |line: &str| {
        let begun = request(line).unwrap();
        let text = begun.config.as_ref().unwrap().text(&Results::new(true));
        (begun, text)
    };
    let (begun, text) = settings(&format!("{line} {own}"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    std::fs::write(&path, text).unwrap();
    let on = request(&format!("fastchess -config file={}", path.display())).unwrap();
    assert_eq!(on.tables.unwrap().results, [true, false]);
    assert_eq!((on.affinity, on.strict), (Affinity::Cpus("0-1".to_owned()), true));
    let engine = &on.players[0].engine;
    assert_eq!([engine.start_timeout, engine.ready_timeout], [20, 70].map(Duration::from_secs));
    assert_eq!(on.players, begun.players);
    let (_, usual) = settings(line);
    assert!(!usual.contains("firstborn"));
    // A file that says nothing of them leaves what the line said before it.
    std::fs::write(&path, usual).unwrap();
    let on =
        request(&format!("fastchess -strict -startup-ms 20000 -config file={}", path.display())).unwrap();
    assert_eq!((on.strict, on.players[0].engine.start_timeout), (true, Duration::from_secs(20)));
}

/// An option of an engine may be set to nothing; flags that are not obeyed are named.
#[test]
fn lines_of_both_runners_are_taken_as_they_take_them() {
    let fast = "fastchess -engine cmd=a -engine cmd=b -each nodes=1";
    let cute = "cutechess-cli -engine cmd=a -engine cmd=b -each proto=uci tc=1";
    for line in [fast, cute] {
        let request = request(&format!("{line} option.SyzygyPath=")).unwrap();
        assert_eq!(request.players[1].engine.options, [("SyzygyPath".to_owned(), String::new())]);
        assert!(request.notes.is_empty());
    }
    let request = request(&format!("{fast} -show-latency -log file=l level=info realtime=true")).unwrap();
    for (note, flag) in request.notes.iter().zip(["-show-latency:", "-log level=:", "-log realtime=:"]) {
        assert!(note.starts_with(flag), "{note}");
    }
    assert_eq!(request.notes.len(), 3);
}
