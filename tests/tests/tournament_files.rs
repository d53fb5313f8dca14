//! The files of a tournament: what is added to them is whole games, what is read of them is held against what
//! it claims to be, and what does not fit is refused by file and line.

use crate::hall::{Hall, document, formats};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output, Stdio};

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn read(hall: &Hall, name: &str) -> String {
    fs::read_to_string(hall.path(name)).unwrap()
}

/// What `firstborn report FILE --json` says.
fn report(hall: &Hall, file: &str) -> Value {
    let output = hall.other(tests::firstborn(), &format!("report {file} --json"));
    assert!(output.status.success(), "{file}: {}", errors(&output));
    document(&output)
}

/// A command is refused, and says these words.
fn refused(output: &Output, words: &[&str]) {
    let told = errors(output);
    assert!(!output.status.success(), "{words:?}: {told}");
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
}

/// Opened anew, standard output would be written from its beginning: the report over the games.
#[test]
#[cfg(unix)]
fn standard_output_is_no_journal() {
    let hall = Hall::new();
    for journal in ["/dev/stdout", "out"] {
        let journal = format!("--journal {journal}");
        let mut command = hall.command(&format!("--each depth=1 --rounds 1 --budget 1 {journal}"));
        command.env("QUIET_START", "1").stdout(fs::File::create(hall.path("out")).unwrap());
        let output = command.stderr(Stdio::piped()).output().unwrap();
        refused(&output, &[&journal, "a regular file is needed"]);
        assert_eq!(read(&hall, "out"), "");
    }
}

/// Three games as fastchess writes them, the moves given as SAN or as UCI has them. Numbers in their fields
/// must not be taken for words of the reason.
fn fastchess_games(uci: bool) -> String {
    let fields = |nps: u32, rest: &str| {
        format!(
            "{{+0.50/9 0.010s, tl=0.000s, latency=0.001s, n=50, sd=6, nps={nps}, hashfull=50, \
             tbhits=0, pv=\"e7e5\"{rest}}}"
        )
    };
    let game = |result: &str, tags: &str, moves: &[(&str, &str)], reason: &str| {
        let mut text =
            format!("[Event \"?\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"{result}\"]\n{tags}\n");
        for (index, (san, coordinates)) in moves.iter().enumerate() {
            let last = index + 1 == moves.len();
            let number = if index % 2 == 0 { format!("{}. ", index / 2 + 1) } else { String::new() };
            let mv = if uci { coordinates } else { san };
            let end = if last { format!(", {reason}") } else { String::new() };
            text += &format!("{number}{mv} {}\n", fields(1_504_500, &end));
        }
        text + result + "\n\n"
    };
    [
        game(
            "1-0",
            "[Termination \"adjudication\"]\n",
            &[("e4", "e2e4"), ("e5", "e7e5"), ("Qh5", "d1h5")],
            "White wins by adjudication",
        ),
        game(
            "1/2-1/2",
            "[FEN \"4k3/8/8/8/8/8/3p4/4KB2 w - - 0 1\"]\n[Termination \"normal\"]\n",
            &[("Kxd2", "e1d2")],
            "Draw by insufficient mating material",
        ),
        game(
            "0-1",
            "[FEN \"8/k3P3/8/8/8/8/8/4K2R w K - 0 1\"]\n[Termination \"normal\"]\n",
            &[("O-O", "e1g1"), ("Kb7", "a7b7"), ("e8=N", "e7e8n")],
            "White resigns",
        ),
    ]
    .concat()
}

#[test]
fn games_of_another_runner_end_as_it_says_in_any_notation() {
    let hall = Hall::new();
    fs::write(hall.path("san.pgn"), fastchess_games(false)).unwrap();
    fs::write(hall.path("uci.pgn"), fastchess_games(true)).unwrap();
    let ends = json!({"adjudicated-win": 1, "insufficient-material": 1, "resignation": 1});
    let san = report(&hall, "san.pgn");
    assert_eq!(san["endings"], ends);
    let uci = report(&hall, "uci.pgn");
    assert_eq!(uci["endings"], ends);
    for key in ["players", "crosstable", "openings", "white"] {
        assert_eq!(san[key], uci[key], "{key}");
    }
    // The same games in both notations are copies of each other.
    assert_eq!(report(&hall, "san.pgn uci.pgn")["games"], 3);
}

/// One game that cannot be read refuses the file, unless such games are left out.
#[test]
fn a_report_leaves_out_games_that_cannot_be_read() {
    let hall = Hall::new();
    let games = fastchess_games(false);
    let text = format!("{games}{}", games.replace("Qh5", "Lg5"));
    fs::write(hall.path("g.pgn"), &text).unwrap();
    let line = text.lines().position(|line| line.contains("Lg5")).expect("it stands there") + 1;
    let told = format!("g.pgn, game 4: line {line}: `Lg5` is not a move");
    refused(&hall.other(tests::firstborn(), "report g.pgn"), &[told.as_str()]);
    let lenient = report(&hall, "g.pgn --skip-bad");
    assert_eq!((&lenient["games"], &lenient["files"][0]["bad"]), (&json!(5), &json!(1)));
    assert_eq!(lenient["notes"], json!([format!("1 game cannot be read and does not count: {told}.")]));
}

/// The same by our own fastchess front end.
#[test]
fn fields_that_the_front_end_writes_are_not_reasons() {
    let hall = Hall::new();
    let line = "fastchess -engine cmd=./engine name=A -engine cmd=./engine name=B -each depth=2 -rounds 2 \
                -maxmoves 3 -pgnout file=g.pgn tbhits=true nps=true pv=true notation=uci";
    let output = hall.other(tests::firstborn(), line);
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(report(&hall, "g.pgn")["endings"], json!({"adjudicated-draw": 4}));
}

/// Makes a Polyglot book of one game.
fn make_book(hall: &Hall, moves: &str) {
    fs::write(hall.path("book.pgn"), format!("{moves} 1-0\n")).unwrap();
    let made = hall.other(tests::firstborn(), "book book.pgn --out b.bin");
    assert!(made.status.success(), "{}", errors(&made));
}

const ITALIAN: &str = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O";
const ENGLISH: &str = "1. c4 c5 2. Nc3 Nc6 3. g3 g6 4. Bg2 Bg7";

/// What decides the games is part of what a journal belongs to, a player's own book and the seed that draws from it as
/// well; one that does not say so yet learns it.
#[test]
fn another_rule_book_or_seed_is_another_tournament() {
    let hall = Hall::new();
    fs::write(hall.path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
    make_book(&hall, ITALIAN);
    let options = "--each depth=1 book=b.bin --openings start.epd --rounds 1 --draw movenumber=30 \
                   --resign score=90000 --maxmoves 9 --journal j --seed 3";
    let first = hall.run(options);
    assert!(first.status.success(), "{}", errors(&first));
    let journal = read(&hall, "j");
    for (setting, ours, others) in [
        ("draw", "movenumber=30", "movenumber=31"),
        ("resign", "score=90000", "score=80000"),
        ("maxmoves", "--maxmoves 9", "--maxmoves 8"),
        ("format", "--rounds 1", "--rounds 1 --format gauntlet"),
        ("single", "--rounds 1", "--rounds 1 --single"),
        ("chess960", "--rounds 1", "--rounds 1 --chess960"),
        ("policy", "--rounds 1", "--rounds 1 --policy default"),
        ("colours", "--rounds 1", "--rounds 1 --noswap"),
        ("sprt", "--rounds 1", "--rounds 1 --sprt elo0=0"),
    ] {
        refused(&hall.run(&options.replace(ours, others)), &[&format!("its `{setting}` is ")]);
    }
    refused(&hall.run(&options.replace("--seed 3", "--seed 4")), &["its `seed` is 3, here it is 4"]);
    make_book(&hall, ENGLISH);
    refused(&hall.run(options), &["player `A`", "its own book", "b.bin is another file", "--same-engine"]);
    assert_eq!(read(&hall, "j"), journal);

    // As an older version wrote it.
    make_book(&hall, ITALIAN);
    let (header, games) = journal.split_once('\n').unwrap();
    let mut header: Value = serde_json::from_str(header).unwrap();
    header["tournament"].as_object_mut().unwrap().remove("seed");
    for engine in header["engines"].as_array_mut().unwrap() {
        engine["files"].as_array_mut().unwrap().retain(|file| file["role"] != "own book");
    }
    fs::write(hall.path("j"), format!("{header}\n{games}")).unwrap();
    let more = options.replace("--rounds 1", "--rounds 2");
    let goes_on = hall.run(&more);
    assert!(goes_on.status.success(), "{}", errors(&goes_on));
    assert_eq!(hall.games("j").len(), 4);
    make_book(&hall, ENGLISH);
    refused(&hall.run(&more), &["its own book"]);
    // The engines are asked for their own moves only, whatever the book.
    let replayed = hall.other(tests::firstborn(), "replay j --game 1");
    assert_eq!(replayed.status.code(), Some(0), "{}", errors(&replayed));
}

/// The journal keeps the seed that was not given, and the same command goes on with it.
#[test]
fn a_match_without_a_seed_goes_on_with_the_one_it_began_with() {
    for (front, each) in [("fastchess", "depth=1"), ("cutechess", "proto=uci tc=inf depth=1")] {
        let hall = Hall::new();
        let lines: Vec<String> = ["e5", "c5", "c6", "e6", "d6", "g6", "d5", "Nf6", "Nc6", "b6"]
            .iter()
            .map(|reply| format!("[Event \"?\"]\n\n1. e4 {reply} *\n\n"))
            .collect();
        fs::write(hall.path("book.pgn"), lines.concat()).unwrap();
        let line = format!(
            "{front} -engine cmd=./engine name=A -engine cmd=./engine name=B -each {each} -rounds 3 -games 2 \
             -repeat -maxmoves 3 -openings file=book.pgn format=pgn order=random --journal j"
        );
        let play = |more: &str| hall.other(tests::firstborn(), &format!("{line} {more}"));
        let first = play("");
        assert!(first.status.success(), "{}", errors(&first));
        let whole = games(&hall, "j");
        let openings = |games: &[Value]| games.iter().map(opening).collect::<Vec<_>>();
        // Killed after the second game.
        let text = read(&hall, "j");
        let kept: Vec<&str> = text.split_inclusive('\n').take(4).collect();
        fs::write(hall.path("j"), kept.concat()).unwrap();
        assert_eq!(hall.games("j").len(), 2);
        let again = play("");
        assert!(again.status.success(), "{front}: {}", errors(&again));
        assert_eq!(openings(&games(&hall, "j")), openings(&whole), "{front}");
        refused(&play("-srand 7"), &["here it is"]);
    }
}

/// The games of a journal.
fn games(hall: &Hall, journal: &str) -> Vec<Value> {
    let text = read(hall, journal);
    let lines = text.lines().filter(|line| line.starts_with("{\"id\""));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The moves of a game's opening.
fn opening(game: &Value) -> String {
    let moves = game["moves"].as_array().unwrap().iter().filter(|mv| mv.get("t").is_none());
    moves.map(|mv| mv["m"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// Lines are drawn from a book one after the other: more rounds only add some, whether there are enough or not.
#[test]
fn more_rounds_go_on_with_lines_of_a_polyglot_book() {
    let hall = Hall::new();
    let lines: Vec<String> = ["e5", "c5", "c6", "e6", "d6", "g6", "d5", "Nf6", "Nc6", "b6"]
        .iter()
        .map(|reply| format!("[Event \"?\"]\n\n1. e4 {reply} 2. Nf3 1-0\n"))
        .collect();
    fs::write(hall.path("book.pgn"), lines.join("\n")).unwrap();
    let made = hall.other(tests::firstborn(), "book book.pgn --out b.bin");
    assert!(made.status.success(), "{}", errors(&made));
    for order in ["", "--random --seed 5", "--random --start 3"] {
        let play = |rounds: u8, journal: &str| {
            let output = hall.run(&format!(
                "--each nodes=1 --single --maxmoves 3 --plies 2 --openings b.bin {order} --rounds {rounds} \
                 --budget 1 --journal {journal}"
            ));
            assert!(output.status.success(), "{order}: {}", errors(&output));
            games(&hall, journal).iter().map(opening).collect::<Vec<_>>()
        };
        let (few, more, all) = (play(2, "j"), play(6, "j"), play(13, "j"));
        assert_eq!((few.len(), more.len(), all.len()), (2, 6, 13));
        assert_eq!((&few[..], &more[..]), (&all[..2], &all[..6]));
        assert_eq!(all, play(13, "whole"), "{order}");
        // Ten lines, and then the first again.
        assert_eq!((all[..10].iter().collect::<BTreeSet<_>>().len(), &all[10..]), (10, &all[..3]));
        let header: Value = serde_json::from_str(read(&hall, "j").lines().next().unwrap()).unwrap();
        assert_eq!(header["tournament"]["openings"]["polyglot"]["plies"], 2);
        let facts = hall.other(tests::firstborn(), "report j --html r.html");
        assert!(facts.status.success() && read(&hall, "r.html").contains("from a Polyglot book (SHA-256"));
        // An older version knew its lines by their digest; these are others.
        let journal = read(&hall, "j");
        let (_, played) = journal.split_once('\n').unwrap();
        let mut old = header;
        old["tournament"]["openings"] = json!({"count": 13, "digest": "0123456789abcdef"});
        fs::write(hall.path("old"), format!("{old}\n{played}")).unwrap();
        let output = hall.run(&format!(
            "--each nodes=1 --single --maxmoves 3 --plies 2 --openings b.bin {order} --rounds 13 --journal old"
        ));
        refused(&output, &["b.bin", "other lines of a Polyglot book", "give another --journal"]);
        ["j", "whole", "old"].iter().for_each(|name| fs::remove_file(hall.path(name)).unwrap());
    }
}

/// In a gauntlet of single games the seed has White in every other one; a journal that was begun when it had White
/// in all goes on as it was.
#[test]
fn a_gauntlet_of_single_games_changes_colours() {
    let hall = Hall::new();
    let options = "--engine name=C cmd=./engine proto=uci --engine name=D cmd=./engine proto=uci --each nodes=1 \
                   --format gauntlet --single --rounds 2 --maxmoves 6 --budget 1";
    let whites = |journal: &str| -> Vec<u64> {
        let output = hall.run(&format!("{options} --journal {journal}"));
        assert!(output.status.success(), "{}", errors(&output));
        assert_eq!(report(&hall, journal)["games"], 6);
        games(&hall, journal).iter().map(|game| game["white"].as_u64().unwrap()).collect()
    };
    assert_eq!(whites("j"), [0, 2, 0, 1, 0, 3]);
    let journal = read(&hall, "j");
    let mut lines = journal.lines();
    let mut header: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert!(header["tournament"].as_object_mut().unwrap().remove("pairing").is_some());
    let begun: Vec<&str> = lines.take_while(|line| !line.starts_with("{\"id\":1")).collect();
    fs::write(hall.path("old"), format!("{header}\n{}\n", begun.join("\n"))).unwrap();
    assert_eq!(whites("old"), [0, 0, 0, 1, 2, 3]);
}

/// Moves of openings count towards a control; a journal that was begun when they did not goes on without them.
#[test]
fn a_journal_keeps_what_counts_towards_a_control() {
    let hall = Hall::new();
    fs::write(hall.path("o.pgn"), format!("{ITALIAN} *\n")).unwrap();
    let first_search = |journal: &str| {
        let output = hall.run(&format!(
            "--each tc=40/60 nodes=1 --openings o.pgn --plies 4 --rounds 1 --maxmoves 4 --budget 1 \
             --journal {journal} --log {journal}.logs"
        ));
        assert!(output.status.success(), "{}", errors(&output));
        let log = read(&hall, &format!("{journal}.logs/game-000001.log"));
        log.lines().find(|line| line.contains("A< go ")).unwrap().to_owned()
    };
    assert!(first_search("j").contains(" movestogo 38"), "{}", first_search("j"));
    let journal = read(&hall, "j");
    let mut header: Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    assert_eq!(header["tournament"].as_object_mut().unwrap().remove("opening_counts"), Some(json!(true)));
    fs::write(hall.path("old"), format!("{header}\n")).unwrap();
    assert!(first_search("old").contains(" movestogo 40"), "{}", first_search("old"));
}

/// The file of the running games replaces what a killed run has left of them, and no games that are over.
#[test]
fn running_games_replace_no_finished_ones() {
    let hall = Hall::new();
    let archive = fastchess_games(false);
    fs::write(hall.path("archive.pgn"), &archive).unwrap();
    let play = |file: &str| {
        hall.run(&format!("--each depth=1 --rounds 1 --maxmoves 2 --pgn g.pgn --live-pgn {file}"))
    };
    refused(&play("archive.pgn"), &["--live-pgn archive.pgn", "something else than running games"]);
    assert_eq!(read(&hall, "archive.pgn"), archive);
    assert!(!hall.path("g.pgn").exists(), "nothing was begun");
    let left = "[Event \"E\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n[UTCTime \"10:00:00\"]\n\n\
                1. e4 {book} *\n\n";
    for there in [left, ""] {
        fs::write(hall.path("now.pgn"), there).unwrap();
        let output = play("now.pgn");
        assert!(output.status.success(), "{}", errors(&output));
        assert_eq!(read(&hall, "now.pgn"), "");
    }
}

/// A book without a move would be played without a word.
#[test]
fn an_empty_book_of_a_player_is_refused() {
    let hall = Hall::new();
    fs::write(hall.path("b.bin"), "").unwrap();
    refused(&hall.run("--each depth=1 book=b.bin"), &["b.bin", "empty"]);
}

/// Options that would change nothing are told.
#[test]
fn a_report_takes_no_option_in_vain() {
    let hall = Hall::new();
    fs::write(hall.path("g.pgn"), fastchess_games(false)).unwrap();
    let report = |words: &str| hall.other(tests::firstborn(), &format!("report g.pgn {words}"));
    refused(&report("--forfeits 3"), &["`3` is neither stop nor count\n"]);
    refused(&report("--drop 100"), &["--blunders"]);
    refused(&report("--shown 100"), &["--html"]);
    for words in ["--forfeits count", "--forfeits stop", "--html h --shown 100", "--blunders b --drop 100"] {
        assert!(report(words).status.success(), "{words}");
    }
    for words in ["--simulate 10", "--seed 3"] {
        refused(&hall.other(tests::firstborn(), &format!("sprt --wdl 1,2,3 {words}")), &["--wdl"]);
    }
}

/// White thinks half a pawn of its first move, and at its second that it is three behind.
#[test]
fn a_report_writes_where_an_evaluation_drops() {
    let hall = Hall::new();
    let game = "[Event \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n1. e4 {+0.50/5 0.1s} e5 {+0.00/5 0.1s} \
                2. Qh5 {-3.00/5 0.1s} Nc6 {+1.00/5 0.1s} 0-1\n";
    fs::write(hall.path("g.pgn"), game).unwrap();
    let output = hall.other(tests::firstborn(), "report g.pgn --blunders b.epd");
    let told = errors(&output);
    assert!(output.status.success() && told.contains("b.epd: 1 position\n"), "{told}");
    let lines = read(&hall, "b.epd");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - sm e4; ce 50;";
    assert!(lines.starts_with(start) && lines.lines().count() == 1, "{lines}");
}

/// A merge replaces what it has written before, and nothing that has other games or is being written.
#[test]
fn a_merge_loses_no_games() {
    let hall = Hall::new();
    for (journal, rounds) in [("m1", 2), ("m2", 1)] {
        let output = hall.run(&format!("--each depth=1 --rounds {rounds} --maxmoves 4 --journal {journal}"));
        assert!(output.status.success(), "{}", errors(&output));
    }
    let merge = |words: &str| hall.other(tests::firstborn(), &format!("report {words}"));
    let before = read(&hall, "m1");
    refused(&merge("m2 --merge m1"), &["m1", "4 games", "would be lost"]);
    assert_eq!(read(&hall, "m1"), before);
    for (files, games) in [("m1", 4), ("m1", 4), ("m1 m2", 6), ("m2 m1", 6)] {
        let output = merge(&format!("{files} --merge all"));
        assert!(output.status.success(), "{files}: {}", errors(&output));
        assert_eq!(hall.games("all").len(), games, "{files}");
    }
    refused(&merge("m1 m2 --without B --merge all"), &["all", "6 games", "would be lost"]);
    fs::write(hall.path("notes"), "not to be lost\n").unwrap();
    refused(&merge("m1 --merge notes"), &["notes", "it exists"]);
    fs::write(hall.path("empty"), "").unwrap();
    assert!(merge("m1 --merge empty").status.success());
    // A tournament that writes a journal has it locked.
    let written = fs::File::open(hall.path("all")).unwrap();
    written.try_lock().unwrap();
    refused(&merge("m1 m2 --merge all"), &["all", "a tournament is writing it"]);
    assert_eq!((hall.games("all").len(), read(&hall, "notes").as_str()), (6, "not to be lost\n"));
}

/// The longest game counts moves of openings, books and engines alike, and the reason tells how long it was.
#[test]
fn the_longest_game_counts_openings_and_books() {
    let hall = Hall::new();
    make_book(&hall, ITALIAN);
    fs::write(hall.path("o.pgn"), format!("{ENGLISH} *\n")).unwrap();
    fs::write(hall.path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
    for (options, plies, says) in [
        ("--each depth=1 book=b.bin --openings start.epd --maxmoves 3", 6, "3 moves played"),
        ("--each depth=1 --openings o.pgn --maxmoves 2", 8, "4 moves played"),
        ("--each depth=1 --openings o.pgn --plies 2 --maxmoves 1", 2, "1 move played"),
        ("--each depth=1 --openings o.pgn --plies 3 --maxmoves 2", 4, "2 moves played"),
    ] {
        let output = hall.run(&format!("{options} --rounds 1 --journal j"));
        assert!(output.status.success(), "{options}: {}", errors(&output));
        for line in read(&hall, "j").lines().filter(|line| line.starts_with("{\"id\"")) {
            let game: Value = serde_json::from_str(line).unwrap();
            assert_eq!(game["moves"].as_array().unwrap().len(), plies, "{options}: {line}");
            assert_eq!(game["ending"], "maximum-length", "{options}: {line}");
            assert!(game["reason"].as_str().unwrap().ends_with(says), "{options}: {line}");
        }
        fs::remove_file(hall.path("j")).unwrap();
    }
}

/// Where a file cannot grow any more, as on a full disk, it ends with a whole game, and goes on with the
/// next. A game that it has no room for does not count.
#[test]
fn what_cannot_be_written_whole_is_not_there() {
    let hall = Hall::new();
    for (option, name, blocks) in [("--pgn", "g.pgn", 8), ("--moves", "m", 16), ("--epd", "e", 2)] {
        let options = format!("--each depth=1 --maxmoves 9 --budget 1 {option} {name}");
        let inner = hall.command(&format!("{options} --rounds 60 --json"));
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"")).arg("sh");
        command.arg(inner.get_program()).args(inner.get_args()).current_dir(hall.folder.path());
        command.env("FIRSTBORN_CPU_LOCKS", hall.path("locks")).env("QUIET_START", "1");
        let output = command.stdin(Stdio::null()).output().unwrap();
        let told = errors(&output);
        assert_eq!(output.status.code(), Some(3), "{option}: {told}");
        assert!(told.contains(&format!("cannot write {name}: File too large")), "{option}: {told}");
        let before = read(&hall, name);
        let last = before.lines().last().unwrap();
        match option {
            "--pgn" => assert!(before.ends_with(" 1/2-1/2\n\n") || before.ends_with("-1\n\n"), "{last}"),
            "--moves" => assert!(before.ends_with("}\n") && serde_json::from_str::<Value>(last).is_ok()),
            _ => assert!(before.ends_with('\n') && last.split(' ').count() == 6, "{last}"),
        }
        let game = |line: &str| serde_json::from_str::<Value>(line).unwrap()["game"].as_u64();
        let games = match option {
            "--pgn" => before.matches("[Event ").count(),
            "--moves" => before.lines().map(game).collect::<BTreeSet<_>>().len(),
            _ => before.lines().count(),
        };
        assert!(games > 0 && document(&output)["games"] == games, "{option}: {games}, {told}");
        let again = hall.run(&format!("{options} --rounds 1"));
        assert!(again.status.success(), "{option}: {}", errors(&again));
        assert!(read(&hall, name).starts_with(&before), "{option}");
    }
    let text = read(&hall, "g.pgn");
    assert_eq!(report(&hall, "g.pgn")["games"], text.matches("[Event ").count());
    // A file that is replaced in one step is the one that is named, not the one that is to take its place.
    let mut command = Command::new("sh");
    command.arg("-c").arg("trap '' XFSZ; ulimit -f 8; exec \"$0\" report g.pgn --html r.html");
    let output = command.arg(tests::firstborn()).current_dir(hall.folder.path()).output().unwrap();
    let told = errors(&output);
    assert!(told.contains("r.html") && told.contains("File too large") && !told.contains(".tmp"), "{told}");
    assert!(!output.status.success() && !hall.path("r.html").exists(), "{told}");
}

/// What becomes of games lost by a fault is what the last run said, also where that found all games played: its own
/// table and a report of the journal say the same. Where nothing changes there is nothing to write down.
#[test]
fn a_run_without_a_game_says_how_faults_count() {
    let hall = Hall::new();
    let options = "--each depth=1 --rounds 2 --maxmoves 5 --budget 1 --sprt elo0=0 --json --journal j";
    let first = hall.run(options);
    assert!(first.status.success(), "{}", errors(&first));
    let journal = read(&hall, "j");
    let last = journal.lines().last().unwrap();
    let crash = last.replace("\"ending\":\"maximum-length\"", "\"ending\":\"crash\"");
    assert_ne!(crash, last);
    fs::write(hall.path("j"), journal.replace(last, &crash)).unwrap();
    let runs = |text: &str| text.lines().filter(|line| line.starts_with("{\"run\":")).count();
    for (forfeits, left_out, lines) in
        [("", 1, 1), ("--forfeits count", 0, 2), ("--forfeits count", 0, 2), ("", 1, 3)]
    {
        let output = hall.run(&format!("{options} {forfeits}"));
        let (ours, report) = (document(&output), report(&hall, "j"));
        assert_eq!(hall.games("j").len(), 4, "{}", errors(&output));
        for told in [ours, report] {
            assert_eq!(told["sprt"]["games_left_out"], left_out, "{forfeits}: {told}");
        }
        assert_eq!(runs(&read(&hall, "j")), lines, "{forfeits}");
    }
}

/// Games are added behind what is there, whatever it ends with.
#[test]
fn games_are_added_behind_what_is_there() {
    let hall = Hall::new();
    let game = "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0";
    for end in ["", "\n", "\r\n", "\n\n", "\n\n\n", "\r\n\r\n"] {
        fs::write(hall.path("g.pgn"), format!("{game}{end}")).unwrap();
        fs::write(hall.path("e.epd"), format!("one{end}")).unwrap();
        let output = hall.run("--each depth=1 --rounds 1 --maxmoves 5 --pgn g.pgn --epd e.epd");
        assert!(output.status.success(), "{end:?}: {}", errors(&output));
        let text = read(&hall, "g.pgn").replace('\r', "");
        assert!(text.starts_with(&format!("{game}\n\n")), "{end:?}: {text}");
        assert!(!text.trim_start_matches(game).trim_start().contains("\n\n\n"), "{end:?}: {text}");
        assert_eq!(report(&hall, "g.pgn")["games"], 3, "{end:?}");
        let lines = read(&hall, "e.epd");
        assert_eq!(lines.lines().filter(|line| line.split(' ').count() == 6).count(), 2, "{end:?}: {lines}");
    }
    // Nothing is changed by a tournament without a game.
    fs::write(hall.path("g.pgn"), game).unwrap();
    let failed = hall.run("--engine name=C cmd=./missing --each depth=1 --pgn g.pgn");
    assert_eq!((failed.status.code(), read(&hall, "g.pgn")), (Some(1), game.to_owned()));
}

/// A text in a tag is one line of PGN, whatever it holds.
#[test]
fn names_with_line_breaks_do_not_break_tags() {
    let hall = Hall::new();
    let script = format!(
        "#!/bin/sh\n'{}' uci | sed -u 's/^id name .*/id name X\\t\\x1b[1m\"Y\\\\Z/'\n",
        tests::firstborn().display()
    );
    tests::executable(&hall.path("odd"), script);
    for runner in ["tournament", "fastchess"] {
        let mut command = Command::new(tests::firstborn());
        command.current_dir(hall.folder.path()).env("FIRSTBORN_CPU_LOCKS", hall.path("locks"));
        let dashes = if runner == "tournament" { "--" } else { "-" };
        let words =
            |text: &str| -> Vec<String> { text.split(' ').map(|word| word.replace('@', dashes)).collect() };
        command.arg(runner).args(words("@engine cmd=./odd name=A")).arg("proto=uci");
        command.args(words("@engine cmd=./odd proto=uci")).arg("name=B\tC");
        command.args(words("@each depth=1 @rounds 1 @maxmoves 5 @event")).arg("one\ntwo\r\x1b[1m");
        command.arg(format!("{dashes}site")).arg("here\n[White \"me\"]");
        let file = format!("{runner}.pgn");
        let output = match runner {
            "tournament" => command.arg("--pgn").arg(&file),
            _ => command.arg("-pgnout").arg(format!("file={file}")),
        };
        let output = output.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}{}", errors(&output), String::from_utf8_lossy(&output.stdout));
        let text = read(&hall, &file);
        let tags: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
        assert!(tags.iter().all(|tag| tag.ends_with("\"]")), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
        assert!(tags.contains(&"[Event \"one two  [1m\"]"), "{text}");
        assert!(tags.contains(&"[Site \"here [White \\\"me\\\"]\"]"), "{text}");
        assert!(tags.contains(&"[EngineWhiteName \"X  [1m\\\"Y\\\\Z\"]"), "{text}");
        let told = report(&hall, &file);
        assert_eq!(told["games"], 2, "{text}");
        assert!(told["names"].as_array().is_some_and(|names| names.contains(&json!("B C"))), "{told}");
    }
}

/// One digit of a journal is another one: no command takes its games for what was played.
#[test]
fn a_digit_changed_in_a_journal_is_found() {
    let hall = Hall::new();
    let options = "--each depth=1 --rounds 3 --maxmoves 9 --budget 1 --journal j";
    assert!(hall.run(options).status.success());
    let whole = read(&hall, "j");
    let line = whole.lines().position(|line| line.starts_with("{\"id\":2,")).unwrap();
    let game = whole.lines().nth(line).unwrap();
    let mv = game.split("\"m\":\"").nth(1).unwrap().split('"').next().unwrap();
    let san = game.split("\"s\":\"").nth(1).unwrap().split('"').next().unwrap();
    let coordinates = format!("\"m\":\"{mv}\"");
    for (what, changed, says) in [
        ("id", game.replace("\"id\":2,", "\"id\":1002,"), "is game 1003, which the plan does not have"),
        ("id", game.replace("\"id\":2,", "\"id\":3,"), "number 3, which line"),
        ("colours", game.replace("\"white\":1,\"black\":0", "\"white\":0,\"black\":1"), "where the plan has"),
        ("encounter", game.replace("\"encounter\":1,", "\"encounter\":2,"), "has encounter 2"),
        (
            "round",
            game.replace("\"round\":2,", "\"round\":3,"),
            "has round 3 in game 3, where the plan has 2",
        ),
        (
            "opening",
            game.replace("\"opening\":1,", "\"opening\":77,"),
            "has opening 77 in game 3, where the plan has 1",
        ),
        ("move", game.replacen(&coordinates, "\"m\":\"a1a5\"", 1), "ply 1: "),
        ("san", game.replacen(&format!("\"s\":\"{san}\""), "\"s\":\"h3\"", 1), "are not the same move"),
    ] {
        assert_ne!(changed, game, "{what}");
        fs::write(hall.path("j"), whole.replace(game, &changed)).unwrap();
        let tampered = read(&hall, "j");
        let line = format!("line {}", line + 1);
        // The number that is there twice is found in the second line that has it.
        let place = if says.contains("which line") { "line " } else { line.as_str() };
        refused(&hall.run(options), &["j, ", place, says]);
        refused(&hall.other(tests::firstborn(), "report j"), &["j, ", place, says]);
        assert_eq!(read(&hall, "j"), tampered, "{what}");
    }
    fs::write(hall.path("j"), &whole).unwrap();
    assert!(hall.run(options).status.success());
}

/// Games are held against the plan that they were played by, those of a Swiss and a knockout too, which depend on
/// results.
#[test]
fn journals_of_every_format_are_checked_and_go_on() {
    let hall = Hall::new();
    for format in formats() {
        let options = format!(
            "--engine name=C cmd=./engine proto=uci --each depth=1 --format {format} --rounds 1 \
             --maxmoves 9 --json --journal {format}"
        );
        let first = hall.run(&options);
        assert!(first.status.success(), "{}", errors(&first));
        let again = hall.run(&options);
        assert_eq!(document(&again)["games"], document(&first)["games"], "{}", errors(&again));
        assert_eq!(report(&hall, &format)["games"], document(&first)["games"]);
        let text = read(&hall, &format);
        fs::write(hall.path(&format), text.replacen("{\"id\":1,", "{\"id\":1001,", 1)).unwrap();
        refused(&hall.run(&options), &["which the plan does not have"]);
    }
}

/// A stop while files are made again from a journal, of so many games that it takes a moment: nothing half made is
/// left, and no game is played.
#[test]
#[cfg(unix)]
fn a_stop_leaves_no_file_half_made() {
    let hall = Hall::new();
    let options = "--each depth=1 --maxmoves 2 --budget 1 --journal j --pgn g --epd e --moves m";
    let first = hall.run(&format!("{options} --rounds 2"));
    assert!(first.status.success(), "{}", errors(&first));
    let (journal, played, copies) = (read(&hall, "j"), games(&hall, "j"), 4_000);
    let mut text: String =
        journal.split_inclusive('\n').take_while(|line| !line.starts_with("{\"id\"")).collect();
    for copy in 0..copies {
        for game in &played {
            let mut game = game.clone();
            for (key, step) in [("id", 4), ("encounter", 2), ("round", 2), ("opening", 2)] {
                game[key] = json!(game[key].as_u64().unwrap() + copy * step);
            }
            text += &format!("{game}\n");
        }
    }
    fs::write(hall.path("j"), text).unwrap();
    let half_made = |least: u64| {
        let mut files = fs::read_dir(hall.folder.path()).unwrap().flatten();
        files.any(|file| {
            let long = file.metadata().is_ok_and(|found| found.len() >= least);
            long && file.file_name().to_string_lossy().starts_with(".firstborn-")
        })
    };
    // It may be done before the signal comes.
    let stopped = (0..10).any(|_| {
        let mut command = hall.command(&format!("{options} --rounds {}", 2 * copies));
        command.env("QUIET_START", "1").stdout(Stdio::null()).stderr(Stdio::piped());
        let mut run = tests::Running::start(&mut command);
        while !half_made(1) && run.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        crate::hall::signal(&run, "-TERM");
        let told = std::io::read_to_string(run.stderr.take().unwrap()).unwrap();
        let status = run.wait().unwrap().code();
        assert!(!half_made(0), "{told}");
        let stopped = told.contains("stopped before the first game");
        assert!(!stopped || status == Some(130), "{status:?}: {told}");
        stopped
    });
    assert!(stopped, "ten runs were done before the signal came");
    let again = hall.run(&format!("{options} --rounds {}", 2 * copies));
    assert!(again.status.success(), "{}", errors(&again));
    assert_eq!(read(&hall, "g").matches("[Event ").count() as u64, 4 * copies);
}

/// The games are played and kept; what becomes of the page does not change that.
#[test]
fn a_page_that_cannot_be_written_is_said_once() {
    if !std::path::Path::new("/dev/full").exists() {
        return tests::skipped("no /dev/full");
    }
    let hall = Hall::new();
    let output = hall.run("--each depth=1 --rounds 1 --maxmoves 5 --json --report /dev/full");
    let told = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(told.matches("/dev/full").count(), 1, "{told}");
    assert_eq!(document(&output)["games"], 2);
}

/// A game cannot begin where its counters are none or where it is over.
#[test]
fn openings_that_begin_no_game_are_refused() {
    let hall = Hall::new();
    let good = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    for (line, says) in [
        ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - -1 1", "half-move clock"),
        ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - x 1", "half-move clock"),
        ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 5 -3", "move number"),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "the game is drawn in this position"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 100 80", "the game is drawn in this position"),
    ] {
        fs::write(hall.path("b.fen"), format!("{good}\n{line}\n")).unwrap();
        let options = "--each depth=1 --rounds 2 --maxmoves 5 --openings b.fen";
        refused(&hall.run(options), &["b.fen, line 2", says]);
    }
    let output = hall.run("--each depth=1 --rounds 2 --maxmoves 5 --openings b.fen --skip-bad");
    assert!(
        output.status.success() && errors(&output).contains("1 opening of 2 left out"),
        "{}",
        errors(&output)
    );
}

/// Points for byes are points like others, and are said to be there.
#[test]
fn points_for_byes_are_told() {
    let hall = Hall::new();
    let options =
        "--engine name=C cmd=./engine proto=uci --each depth=1 --format swiss --rounds 1 --maxmoves 5";
    let told = document(&hall.run(&format!("{options} --json --journal j")));
    for player in
        told["players"].as_array().unwrap().iter().chain(report(&hall, "j")["players"].as_array().unwrap())
    {
        let number = |key: &str| player[key].as_f64().unwrap();
        let played = number("wins") + number("draws") / 2.0;
        assert!((number("points") - number("bye_points") - played).abs() < 1e-9, "{player}");
    }
    let byes: f64 =
        told["players"].as_array().unwrap().iter().map(|player| player["bye_points"].as_f64().unwrap()).sum();
    assert!((byes - 2.0).abs() < 1e-9, "two stages, each with a bye worth a drawn meeting: {told}");
    let text = hall.run(&format!("{options} --journal j --report r.html"));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("Points for byes, counted above: "), "{text}");
    assert!(read(&hall, "r.html").contains("Points for byes"));
}

/// Numbers that make no plan and no test are named.
#[test]
fn numbers_that_make_no_sense_are_named() {
    let hall = Hall::new();
    refused(&hall.run("--each depth=1 --format gauntlet:0"), &["gauntlet:0", "must be at least 1"]);
    // Two meetings of these would fill the memory with pairings before the first game.
    let engines = "-engine cmd=./engine name=A -engine cmd=./engine name=B -each depth=1 -rounds 100000000";
    for (words, all) in [
        (format!("fastchess {engines} -repeat"), "200000000 games are too many"),
        (
            format!("cutechess {engines} -games 3").replace("-each", "-each proto=uci tc=inf"),
            "300000000 games",
        ),
    ] {
        refused(&hall.other(tests::firstborn(), &words), &[all, "at most 10000000"]);
    }
    let sprt =
        |words: &str| hall.other(tests::firstborn(), &format!("sprt --pairs 5,20,40,22,8 {words} --json"));
    refused(&sprt("--elo1 1e300"), &["elo1=", "must lie between -1000 and 1000"]);
    for model in ["normalized", "logistic"] {
        let told = document(&sprt(&format!("--elo0 -1000 --elo1 1000 --model {model}")));
        assert!(told["llr"].is_number(), "{told}");
    }
}
