//! The file format: nothing is lost, and no damage goes unnoticed or takes more with it than it must.

use chess::{Move, Position};
use nnue::Network;
use proptest::prelude::*;
use rand::{Rng, SeedableRng, rngs::SmallRng, seq::IndexedRandom};
use std::path::{Path, PathBuf};
use training::format::{
    BLOCK_GAMES, BLOCK_HEAD, CorruptGame, Distinct, FormatError, Header, NetworkMark, Reader, Writer,
};
use training::game::{Ending, Game, GameResult, Ply};
use training::recipe::Recipe;
use training::viriformat;

fn header() -> Header {
    let (commit, network, recipe) = (None, None, Recipe::new(7, 1500));
    Header { engine: "firstborn test".into(), commit, bench: 4711, network, recipe }
}

/// A game of random moves and scores; it need not end by the rules.
fn random_game(seed: u64) -> Game {
    let mut rng = SmallRng::seed_from_u64(seed);
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "1r1k1r2/8/8/8/8/8/8/1R1K1R2 w BFbf - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17",
    ];
    let start = Position::from_fen(starts.choose(&mut rng).unwrap()).unwrap();
    let mut position = start.clone();
    let mut moves = Vec::new();
    for _ in 0..rng.random_range(0..120) {
        let Some(&mv) = position.legal_moves().choose(&mut rng) else { break };
        moves.push(mv);
        position.play(mv);
    }
    let plies = moves.split_off(moves.len().min(rng.random_range(0..10)));
    let score = |rng: &mut SmallRng| match rng.random_range(0..10) {
        0 => rng.random_range(-32_001..=32_001),
        _ => rng.random_range(-300..300),
    };
    Game {
        start,
        opening: moves,
        plies: plies.into_iter().map(|mv| Ply { mv, score: score(&mut rng) }).collect(),
        result: [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins][rng.random_range(0..3)],
        ending: *Ending::ALL.choose(&mut rng).unwrap(),
    }
}

/// A file with these games, and the folder that it lives in.
fn file_of(games: &[Game]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.fbg");
    write(&path, games);
    (folder, path)
}

fn write(path: &Path, games: &[Game]) {
    let mut writer = Writer::open(path, &header()).unwrap().writer;
    games.iter().for_each(|game| writer.add(game).unwrap());
    writer.finish().unwrap();
}

fn read(path: &Path) -> Vec<Game> {
    Reader::open(path).unwrap().games().collect::<Result<_, _>>().unwrap()
}

/// Where each block of a file begins, and where the last ends.
fn block_ends(bytes: &[u8]) -> Vec<usize> {
    let text = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let mut ends = vec![12 + text + 4];
    while let Some(&at) = ends.last().filter(|&&at| at < bytes.len()) {
        let length = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        ends.push(at + BLOCK_HEAD + length);
    }
    ends
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_come_back_as_they_were(seeds in prop::collection::vec(any::<u64>(), 0..9)) {
        let games: Vec<Game> = seeds.into_iter().map(random_game).collect();
        let (_folder, path) = file_of(&games);
        prop_assert_eq!(read(&path), games);
        prop_assert_eq!(Reader::open(&path).unwrap().header, Some(header()));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), seed: u64) {
        let name = Path::new("noise");
        prop_assert!(Reader::from_bytes(bytes.clone(), name).is_err());
        // Behind a good header as well, and inside a block whose checksum is right.
        let (_folder, path) = file_of(&[random_game(seed)]);
        let whole = std::fs::read(&path).unwrap();
        let begin = block_ends(&whole)[0];
        let mut noisy = whole[..begin].to_vec();
        noisy.extend_from_slice(&bytes);
        let reader = Reader::from_bytes(noisy, name).unwrap();
        prop_assert_eq!(reader.game_count(), 0);
        let mut block = whole[..begin].to_vec();
        block.extend_from_slice(b"FBGB");
        block.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        let numbers = [0u64.to_le_bytes().as_slice(), &5u32.to_le_bytes()].concat();
        block.extend_from_slice(&numbers);
        block.extend_from_slice(&crc32fast::hash(&[numbers.as_slice(), &bytes].concat()).to_le_bytes());
        block.extend_from_slice(&bytes);
        let reader = Reader::from_bytes(block, name).unwrap();
        prop_assert_eq!(reader.game_count(), 5);
        prop_assert!(reader.games().count() <= 6);
    }
}

/// The places of these moves were worked out with the python package `chess`, sorting its legal moves by origin,
/// target (castling: the rook's square) and promotion. If this fails, the order has changed, and old files say
/// something else than they did.
#[test]
fn the_order_of_moves_is_the_one_in_old_files() {
    let places: [u8; 22] =
        [13, 6, 30, 8, 30, 16, 31, 17, 33, 20, 13, 26, 7, 30, 4, 15, 28, 11, 17, 20, 7, 14];
    let sans = "e4 d5 e5 f5 exf6 Nc6 fxg7 Bf5 gxh8=N e6 Nf3 Qd7 Bb5 O-O-O O-O a6 Bxc6 bxc6 h4 Ba3 bxa3 Qe8";
    let mut position = Position::startpos();
    let mut opening: Vec<Move> = Vec::new();
    for san in sans.split(' ') {
        let mv = position.parse_san(san).unwrap();
        position.play(mv);
        opening.push(mv);
    }
    let game = Game {
        start: Position::startpos(),
        opening,
        plies: Vec::new(),
        result: GameResult::WhiteWins,
        ending: Ending::AdjudicatedWin,
    };
    let (_folder, path) = file_of(std::slice::from_ref(&game));
    let bytes = std::fs::read(&path).unwrap();
    let payload = &bytes[block_ends(&bytes)[0] + BLOCK_HEAD..];
    // Result 2 and ending 5; 22 plies of opening; none with a score.
    let expected = [&[2 | 5 << 2, 22][..], &places, &[0]].concat();
    assert_eq!(payload, expected);
}

#[test]
fn scores_are_small_when_players_agree() {
    let mut position = Position::startpos();
    let mut plies = Vec::new();
    for (san, score) in [("e4", 20), ("e5", -25), ("Nf3", 30), ("Nc6", -94), ("Bb5", 94 + 64)] {
        let mv = position.parse_san(san).unwrap();
        position.play(mv);
        plies.push(Ply { mv, score });
    }
    let game = Game {
        start: Position::startpos(),
        opening: Vec::new(),
        plies,
        result: GameResult::Draw,
        ending: Ending::AdjudicatedDraw,
    };
    let (_folder, path) = file_of(std::slice::from_ref(&game));
    let bytes = std::fs::read(&path).unwrap();
    let payload = &bytes[block_ends(&bytes)[0] + BLOCK_HEAD + 3..];
    let scores: Vec<u8> = [payload[1], payload[3], payload[5], payload[7], payload[9], payload[10]].to_vec();
    // +20, -5, +5, -64, +64: zig-zag, then seven bits to a byte.
    assert_eq!(scores, [40, 9, 10, 127, 0x80, 1]);
    assert_eq!(payload.len(), 11);
}

#[test]
fn a_torn_tail_costs_the_last_block_and_is_told() {
    let games: Vec<Game> = (0..u64::from(BLOCK_GAMES) * 2 + 5).map(random_game).collect();
    let (_folder, path) = file_of(&games);
    let whole = std::fs::read(&path).unwrap();
    let ends = block_ends(&whole);
    assert_eq!(ends.len(), 4, "three blocks");
    let kept = BLOCK_GAMES as usize * 2;
    for cut in [ends[2] + 1, ends[2] + 3, ends[2] + BLOCK_HEAD, ends[2] + BLOCK_HEAD + 1, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let reader = Reader::open(&path).unwrap();
        let [damage] = &reader.damage[..] else { panic!("cut at {cut}: {:?}", reader.damage) };
        assert_eq!((damage.offset, damage.bytes, damage.tail), (ends[2], cut - ends[2], true));
        assert_eq!(reader.games().collect::<Result<Vec<_>, _>>().unwrap(), games[..kept]);

        // Going on cuts the torn part off and continues the sequence.
        let opened = Writer::open(&path, &header()).unwrap();
        assert_eq!(
            (opened.found, opened.damage.len(), opened.writer.next_game()),
            (kept as u64, 1, kept as u64)
        );
        drop(opened);
        write(&path, &games[kept..]);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}

/// Killed before its header was whole, a file holds no games yet.
#[test]
fn a_torn_header_is_begun_anew() {
    let games = [random_game(1), random_game(2)];
    let (_folder, path) = file_of(&games);
    let whole = std::fs::read(&path).unwrap();
    for cut in [0, 1, 5, 20, 100, block_ends(&whole)[0] - 1] {
        for torn in [whole[..cut].to_vec(), vec![0; cut]] {
            std::fs::write(&path, &torn).unwrap();
            let opened = Writer::open(&path, &header()).unwrap();
            assert_eq!((opened.found, opened.damage.len()), (0, usize::from(cut > 0)), "cut at {cut}");
            drop(opened);
            write(&path, &games);
            assert!(std::fs::read(&path).unwrap() == whole, "cut at {cut}");
        }
    }
    // The beginning of a file of other games is not ours to begin anew.
    let mut foreign = header();
    foreign.recipe.seed += 1;
    std::fs::write(&path, &whole[..block_ends(&whole)[0] - 1]).unwrap();
    assert!(matches!(Writer::open(&path, &foreign), Err(FormatError::Header { .. })));
}

#[test]
fn a_damaged_block_costs_itself_only() {
    let games: Vec<Game> = (0..u64::from(BLOCK_GAMES) * 3).map(random_game).collect();
    let (_folder, path) = file_of(&games);
    let whole = std::fs::read(&path).unwrap();
    let ends = block_ends(&whole);
    let per = BLOCK_GAMES as usize;
    let left: Vec<Game> = [&games[..per], &games[2 * per..]].concat();
    // Marker, length, number, count, checksum, games.
    for at in [0, 4, 6, 7, 8, 16, 20, BLOCK_HEAD, BLOCK_HEAD + 100] {
        let mut damaged = whole.clone();
        damaged[ends[1] + at] ^= 0x10;
        std::fs::write(&path, &damaged).unwrap();
        let reader = Reader::open(&path).unwrap();
        let [damage] = &reader.damage[..] else { panic!("{at}: {:?}", reader.damage) };
        assert_eq!((damage.offset, damage.bytes, damage.tail), (ends[1], ends[2] - ends[1], false));
        assert_eq!(reader.games().collect::<Result<Vec<_>, _>>().unwrap(), left);
        let opened = Writer::open(&path, &header()).unwrap();
        assert_eq!((opened.found, opened.writer.next_game()), (2 * per as u64, 3 * per as u64));
    }
}

/// A file that was removed, one that another has replaced, and one that something has written over, as `cp` does.
#[cfg(unix)]
#[test]
fn games_go_only_where_the_next_run_finds_them() {
    let full = BLOCK_GAMES as usize;
    let games: Vec<Game> = (0..full as u64 + 3).map(random_game).collect();
    let spoil: [fn(&Path); 3] = [
        |path| std::fs::remove_file(path).unwrap(),
        |path| {
            let other = path.with_extension("other");
            std::fs::write(&other, "another's").unwrap();
            std::fs::rename(&other, path).unwrap();
        },
        |path| std::fs::write(path, "another's").unwrap(),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.fbg");
    for (number, spoil) in spoil.into_iter().enumerate() {
        // How many games are added before and after: in the midst of a block, as one is full, and none.
        for (before, after) in [(0, 0), (3, 0), (0, 3), (full - 1, 1), (full, 0), (full, 3)] {
            let mut writer = Writer::open(&path, &header()).unwrap().writer;
            games[..before].iter().for_each(|game| writer.add(game).unwrap());
            spoil(&path);
            let left = std::fs::read(&path).ok();
            let added = games[before..before + after].iter().try_for_each(|game| writer.add(game));
            let error = added.and_then(|()| writer.finish()).unwrap_err().to_string();
            let says = "removed, replaced or written by something else";
            assert!(error.ends_with(says), "{number}, {before} and {after}: {error}");
            assert_eq!(std::fs::read(&path).ok(), left, "{number}, {before} and {after}");
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// `cat one two`: the second file's blocks are whole, and say nothing of the header that they came with.
#[test]
fn joined_files_are_refused() {
    let games: Vec<Game> = (0..u64::from(BLOCK_GAMES) + 9).map(random_game).collect();
    let (folder, path) = file_of(&games);
    let whole = std::fs::read(&path).unwrap();
    let begin = block_ends(&whole)[0];
    let torn = whole.len() - 5;
    let mut viri = Vec::new();
    games.iter().for_each(|game| viriformat::write(&mut viri, game).unwrap());
    for (first, second) in [
        (&whole[..], &whole[..]),
        // Behind a torn tail, a damaged header, no games, a header that is torn itself.
        (&whole[..torn], &whole),
        (&whole, &[&whole[..30], b"?", &whole[31..]].concat()),
        (&whole[..begin], &whole),
        (&whole, &whole[..20]),
        (&viri, &whole),
    ] {
        let joined = [first, second].concat();
        let other = folder.path().join("joined");
        std::fs::write(&other, &joined).unwrap();
        let refused = Reader::open(&other).unwrap_err();
        assert!(
            matches!(refused, FormatError::Joined { offset, .. } if offset == first.len()),
            "{refused}, not at {}",
            first.len()
        );
        assert!(refused.to_string().contains("give them separately"), "{refused}");
        assert!(Writer::open(&other, &header()).is_err());
        assert!(std::fs::read(&other).unwrap() == joined, "a refused file is left alone");
    }
}

/// A file may hold its games in any order, and twice: blocks can be copied from file to file.
#[test]
fn blocks_out_of_order_are_gone_on_with_and_repeated_ones_refused() {
    let games: Vec<Game> = (0..u64::from(BLOCK_GAMES) * 3).map(random_game).collect();
    let (_folder, path) = file_of(&games);
    let whole = std::fs::read(&path).unwrap();
    let ends = block_ends(&whole);
    let of = |order: &[usize]| {
        let blocks = order.iter().map(|&block| &whole[ends[block]..ends[block + 1]]);
        let bytes: Vec<&[u8]> = std::iter::once(&whole[..ends[0]]).chain(blocks).collect();
        Reader::from_bytes(bytes.concat(), &path).unwrap()
    };
    let per = u64::from(BLOCK_GAMES);
    for (order, next, repeated) in [
        (&[0, 1, 2][..], 3, None),
        (&[2, 0, 1], 3, None),
        (&[1, 0], 2, None),
        (&[2, 0], 3, None),
        (&[0, 1, 2, 0], 3, Some(0)),
        (&[2, 1, 2], 3, Some(2)),
        (&[0, 0, 1, 1], 2, Some(0)),
        (&[], 0, None),
    ] {
        let reader = of(order);
        assert_eq!(reader.next_game(), next * per, "{order:?}");
        let added = Distinct::default().add(&path, &reader);
        let game = match &added {
            Ok(()) => None,
            Err(FormatError::Repeated { game, .. }) => Some(*game),
            Err(other) => panic!("{order:?}: {other}"),
        };
        assert_eq!(game, repeated.map(|block: u64| block * per), "{order:?}");
    }
    // Blocks that were copied apart have no game in common, though their numbers are neighbours.
    for (ours, theirs) in [(0, 1), (1, 0)] {
        let mut distinct = Distinct::default();
        distinct.add(&path, &of(&[ours])).unwrap();
        distinct.add(Path::new("other"), &of(&[theirs])).unwrap();
    }
}

/// The same search under another version's name plays the same games; another search, network or recipe others.
#[test]
fn games_of_the_same_making_count_once_whatever_version_made_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, header: &Header| {
        let path = folder.path().join(name);
        let mut writer = Writer::open(&path, header).unwrap().writer;
        writer.add(&random_game(1)).unwrap();
        writer.finish().unwrap();
        let reader = Reader::open(&path).unwrap();
        (path, reader)
    };
    let made = Header { network: Some(MARK), ..header() };
    let (one, ours) = file("one", &made);
    for (name, header, same) in [
        ("version", Header { engine: "firstborn later".into(), ..made.clone() }, true),
        ("commit", Header { commit: Some("abc".into()), ..made.clone() }, true),
        ("search", Header { bench: 4712, ..made.clone() }, false),
        ("network", Header { network: Some(NetworkMark { checksum: 1, ..MARK }), ..made.clone() }, false),
        ("unnamed", Header { network: None, ..made.clone() }, false),
        ("seed", Header { recipe: Recipe::new(8, 1500), ..made.clone() }, false),
        ("nodes", Header { recipe: Recipe::new(7, 1501), ..made.clone() }, false),
    ] {
        let (two, theirs) = file(name, &header);
        let mut distinct = Distinct::default();
        distinct.add(&one, &ours).unwrap();
        match distinct.add(&two, &theirs) {
            Ok(()) => assert!(!same, "{name}"),
            Err(FormatError::Twice { path, other, game: 0 }) => assert!(same && path == two && other == one),
            Err(other) => panic!("{name}: {other}"),
        }
    }
}

/// A block of so high a number that none could follow is damage, though its checksum is right.
#[test]
fn numbers_that_cannot_be_counted_on_from_are_damage() {
    let (_folder, path) = file_of(&[random_game(1)]);
    let whole = std::fs::read(&path).unwrap();
    let at = block_ends(&whole)[0];
    for (first, games) in [(u64::MAX, 0), (u64::MAX - 1, 0), (u64::MAX - 2, 1)] {
        let mut high = whole.clone();
        high[at + 8..at + 16].copy_from_slice(&first.to_le_bytes());
        let checksum = crc32fast::hash(&[&high[at + 8..at + 20], &high[at + BLOCK_HEAD..]].concat());
        high[at + 20..at + 24].copy_from_slice(&checksum.to_le_bytes());
        let reader = Reader::from_bytes(high, &path).unwrap();
        assert_eq!(reader.game_count(), games, "{first}");
        assert_eq!(reader.next_game(), if games > 0 { first + 1 } else { 0 });
        Distinct::default().add(&path, &reader).unwrap();
    }
}

#[test]
fn what_is_not_ours_is_refused() {
    let (folder, path) = file_of(&[random_game(1)]);
    let whole = std::fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        let other = folder.path().join("other");
        std::fs::write(&other, bytes).unwrap();
        Reader::open(&other).map(|reader| reader.header)
    };
    assert!(matches!(open(b""), Err(FormatError::NotGames(_))));
    assert!(matches!(open(b"[Event \"a PGN file\"]"), Err(FormatError::NotGames(_))));
    if cfg!(unix) {
        let endless = Reader::open(Path::new("/dev/zero"));
        assert!(matches!(endless, Err(FormatError::NotGames(_))), "it is not read to its end");
    }
    let mut newer = whole.clone();
    newer[7] = b'2';
    assert!(matches!(open(&newer), Err(FormatError::Version { found: b'2', .. })));
    for damaged in [&whole[..9], &whole[..40], &[&whole[..30], b"?", &whole[31..]].concat()] {
        assert!(matches!(open(damaged), Err(FormatError::Header { .. })), "{}", damaged.len());
    }
    assert!(matches!(Reader::open(&folder.path().join("none")), Err(FormatError::Io { .. })));

    let mut foreign = header();
    foreign.recipe.seed += 1;
    foreign.recipe.chess960 = 0.5;
    foreign.bench += 1;
    let Err(FormatError::Foreign { differences, .. }) = Writer::open(&path, &foreign) else { panic!() };
    assert_eq!(
        differences,
        ["a search of signature 4711 instead of 4712", "chess960 none instead of 0.5", "seed 7 instead of 8"]
    );
    let first = Writer::open(&path, &header()).unwrap();
    assert!(matches!(Writer::open(&path, &header()), Err(FormatError::Busy(_))));
    drop(first);
    assert_eq!(std::fs::read(&path).unwrap(), whole, "refusals leave the file alone");
}

#[test]
fn what_the_format_cannot_say_is_refused() {
    let (_folder, path) = file_of(&[]);
    let mut writer = Writer::open(&path, &header()).unwrap().writer;
    let mut game = random_game(3);
    game.plies = vec![Ply { mv: Move::from_bits(1).unwrap(), score: 0 }];
    assert!(matches!(writer.add(&game), Err(FormatError::Game(CorruptGame::Illegal(_)))));
    game = random_game(3);
    game.plies[0].score = 32_002;
    assert!(matches!(writer.add(&game), Err(FormatError::Game(CorruptGame::Score(32_002)))));
    writer.add(&random_game(4)).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(&path), [random_game(4)]);
}

const MARK: NetworkMark = NetworkMark { fingerprint: 0x0123_4567, checksum: 0x89ab_cdef };

/// Files from before the network was named are gone on with as they were begun; a file that names one is its alone.
#[test]
fn the_network_is_part_of_the_making() {
    let folder = tempfile::tempdir().unwrap();
    let named = |network| Header { network, ..header() };
    let other = NetworkMark { checksum: 1, ..MARK };
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    drop(Writer::open(&old, &named(None)).unwrap());
    assert_eq!(Writer::open(&old, &named(Some(MARK))).unwrap().header, named(None));
    let opened = Writer::open(&new, &named(Some(MARK))).unwrap();
    assert_eq!(opened.header, named(Some(MARK)));
    drop(opened);
    assert_eq!(Writer::open(&new, &named(Some(MARK))).unwrap().header, named(Some(MARK)));
    let Err(FormatError::Foreign { differences, .. }) = Writer::open(&new, &named(Some(other))) else {
        panic!()
    };
    assert_eq!(differences, ["network 01234567/89abcdef instead of 01234567/00000001"]);
    // This checksum tells nothing, so that a file with it is taken for one by the same network.
    let alike = NetworkMark { checksum: NetworkMark::SAME_FOR_ALL, ..MARK };
    let kept = folder.path().join("kept");
    drop(Writer::open(&kept, &named(Some(alike))).unwrap());
    assert_eq!(Writer::open(&kept, &named(Some(MARK))).unwrap().header, named(Some(alike)));
    let foreign = NetworkMark { fingerprint: 1, ..MARK };
    assert!(Writer::open(&kept, &named(Some(foreign))).is_err());
    let text = String::from_utf8_lossy(&std::fs::read(&new).unwrap()).into_owned();
    assert!(text.contains(r#""network":{"fingerprint":"01234567","checksum":"89abcdef"}"#), "{text}");
}

/// The signature tells another search as far as it goes, the commit whether there may be one: games of another commit
/// are added, and the file names that of its first ones.
#[test]
fn the_commit_is_named_and_no_part_of_the_making() {
    let folder = tempfile::tempdir().unwrap();
    let by = |commit: Option<&str>| Header { commit: commit.map(str::to_owned), ..header() };
    let [named, unnamed] = ["named", "unnamed"].map(|name| folder.path().join(name));
    drop(Writer::open(&named, &by(Some("abc"))).unwrap());
    let text = String::from_utf8_lossy(&std::fs::read(&named).unwrap()).into_owned();
    assert!(text.contains(r#""commit":"abc""#), "{text}");
    assert_eq!(Writer::open(&named, &by(Some("def"))).unwrap().header, by(Some("abc")));
    drop(Writer::open(&unnamed, &by(None)).unwrap());
    assert_eq!(Writer::open(&unnamed, &by(Some("def"))).unwrap().header, by(None));
    let text = String::from_utf8_lossy(&std::fs::read(&unnamed).unwrap()).into_owned();
    assert!(!text.contains("commit"), "as in files of older versions: {text}");
}

/// One weight tells a network from another of the same training.
#[test]
fn a_mark_is_that_of_the_weights() {
    let own = Network::embedded();
    let mut parameters = own.parameters().clone();
    parameters.feature_weights[1000] ^= 1;
    let other = Network::new(parameters).unwrap();
    let [own, other] = [NetworkMark::of(&own), NetworkMark::of(&other)];
    assert_eq!(own.fingerprint, other.fingerprint);
    assert!(own != other && !own.fits(other) && own.fits(own));
    assert_ne!(own.checksum, NetworkMark::SAME_FOR_ALL);
}

/// The header of a file that firstborn 0.1.0 wrote before it named its network.
#[test]
fn old_headers_are_read() {
    let text = concat!(
        r#"{"engine":"firstborn 0.1.0","bench":80602,"recipe":{"seed":20002,"soft_nodes":700,"hard_nodes":10000,"#,
        r#""hash":4,"random_plies":8,"sane":400,"adjudication":{"win_score":2000,"win_plies":4,"draw_score":8,"#,
        r#""draw_plies":12,"draw_from":80,"longest":400}}}"#
    );
    let length = (text.len() as u32).to_le_bytes();
    let checksum = crc32fast::hash(text.as_bytes()).to_le_bytes();
    let bytes = [&b"FBGAMES1"[..], &length, text.as_bytes(), &checksum].concat();
    let reader = Reader::from_bytes(bytes, Path::new("old")).unwrap();
    let header = Header {
        engine: "firstborn 0.1.0".into(),
        commit: None,
        bench: 80602,
        network: None,
        recipe: Recipe::new(20002, 700),
    };
    assert_eq!(reader.header, Some(header));
}
