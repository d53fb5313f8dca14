//! What Syzygy tables say of a position.
//!
//! Right after a capture or pawn move the tables of results (`.rtbw`) say alone what holds under the fifty-move
//! rule. After other moves a win or loss must come in time for it, which takes the tables of distances to zeroing
//! (`.rtbz`) as well; where those are missing, or rounded so that a ply more or less decides, nothing is told.
//! A game enters the tables by a capture, so that quiet positions count only where it starts inside them, or where
//! castling rights, which no table knows, outlive the last capture.

use std::fs::{DirEntry, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use chess::{Color, PieceKind, Position, Wing};
use serde::{Deserialize, Serialize};
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, FromSetup, PositionError, Setup, Square,
};
use shakmaty_syzygy::{Material, Metric, ProbeError, Syzygy, SyzygyError, Tablebase, Wdl};

use crate::record::Score;

/// Tables in memory.
pub struct Tables {
    tables: Tablebase<Chess>,
    folders: Vec<PathBuf>,
    pieces: usize,
    /// Wins that take more than fifty moves are wins.
    ignore_fifty: bool,
    /// Which results are told: wins and losses, draws.
    results: [bool; 2],
}

/// A table that was there when its folder was read cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("tablebase {table}: {why}")]
pub struct TableError {
    /// Its file's name.
    pub table: String,
    /// The system's reason, or what is wrong with it.
    pub why: String,
}

impl TableError {
    fn new(metric: Metric, material: &Material, error: &ProbeError) -> Self {
        let kind = match metric {
            Metric::Wdl => <Chess as Syzygy>::TBW,
            Metric::Dtz => <Chess as Syzygy>::TBZ,
        };
        let why = match error {
            ProbeError::Read { error } => error.to_string(),
            ProbeError::Magic { .. } => "no Syzygy table".to_owned(),
            ProbeError::CorruptedTable { .. } => "it is damaged or was cut off".to_owned(),
        };
        Self { table: format!("{material}.{}", kind.ext), why }
    }
}

/// Adds the tables of a directory. Returns how many there are, and why others could not be added, by their names.
///
/// # Errors
/// The directory cannot be read, and why.
pub fn add_directory(
    tables: &mut Tablebase<Chess>,
    directory: &Path,
) -> Result<(usize, Vec<String>), String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        kind => kind.to_string(),
    };
    // Names and sizes are checked here first: what has been added cannot be taken out.
    let mut named = Tablebase::<Chess>::new();
    let (mut found, mut bad) = (0, Vec::new());
    for entry in directory.read_dir().map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let checked = named.add_file(&path).and_then(|()| begins_as_a_table(&path));
        match checked.and_then(|()| tables.add_file(&path)) {
            Ok(()) => found += 1,
            // Its name is not that of a table.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let why = error.get_ref().map_or_else(|| error.kind().to_string(), ToString::to_string);
                bad.push(format!("{name}: {why}"));
            }
        }
    }
    bad.sort();
    Ok((found, bad))
}

/// Checks the first bytes of a file with a table's name, which all tables of its kind have in common.
fn begins_as_a_table(table: &Path) -> io::Result<()> {
    let kind = if is_of_results(table) { <Chess as Syzygy>::TBW } else { <Chess as Syzygy>::TBZ };
    let mut bytes = [0; 4];
    File::open(table)?.read_exact(&mut bytes)?;
    let is_one = bytes == kind.magic;
    if is_one { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "no Syzygy table")) }
}

/// Whether there is a table of results in a directory, and not only those of distances (`.rtbz`).
#[must_use]
pub fn holds_results(directory: &Path) -> bool {
    let is_one = |file: io::Result<DirEntry>| file.is_ok_and(|file| is_of_results(&file.path()));
    directory.read_dir().is_ok_and(|mut files| files.any(is_one))
}

fn is_of_results(table: &Path) -> bool {
    table.extension().is_some_and(|extension| extension == "rtbw")
}

/// The position as shakmaty has it, which reads the tables; `None` if it does not take it for legal, or if there are
/// castling rights, of which no table knows.
#[must_use]
pub fn as_tables_have_it(position: &Position) -> Option<Chess> {
    if position.has_castling_rights() {
        return None;
    }
    Chess::from_setup(setup(position, position.ep_square())?, CastlingMode::Standard).ok()
}

/// The position as shakmaty sets it up, with this en passant square; its move number is not carried over.
pub(crate) fn setup(position: &Position, ep_square: Option<chess::Square>) -> Option<Setup> {
    let kinds = |kind| Bitboard(position.kind_bb(kind).0);
    let roles = ByRole {
        pawn: kinds(PieceKind::Pawn),
        knight: kinds(PieceKind::Knight),
        bishop: kinds(PieceKind::Bishop),
        rook: kinds(PieceKind::Rook),
        queen: kinds(PieceKind::Queen),
        king: kinds(PieceKind::King),
    };
    let sides = ByColor {
        white: Bitboard(position.color_bb(Color::White).0),
        black: Bitboard(position.color_bb(Color::Black).0),
    };
    let square = |square: chess::Square| Square::new(square.index() as u32);
    let rooks_of = |color| Wing::ALL.map(|wing| position.castling_rook(color, wing));
    Some(Setup {
        board: Board::try_from_bitboards(roles, sides).ok()?,
        turn: shakmaty::Color::from_white(position.side_to_move() == Color::White),
        castling_rights: Color::ALL.into_iter().flat_map(rooks_of).flatten().map(square).collect(),
        ep_square: ep_square.map(square),
        halfmoves: position.halfmove_clock(),
        ..Setup::empty()
    })
}

/// A position of shakmaty's, reachable or not: two checks that no single move gives, or more bishops on squares of one
/// colour than promotions explain. Tournaments play from such positions, too.
pub(crate) fn reachable_or_not(position: Result<Chess, PositionError<Chess>>) -> Result<Chess, String> {
    position
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| error.to_string())
}

impl Tables {
    /// Opens the tables of one or several directories, separated as in `PATH`. `pieces`: look up positions with at most
    /// this many men.
    ///
    /// # Errors
    /// A directory that cannot be read, or holds no table; or none of them holds one of results (`.rtbw`).
    pub fn open(path: &str, pieces: Option<usize>) -> Result<Self, String> {
        let mut tables = Tablebase::new();
        let mut results = false;
        let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
        for directory in &folders {
            let (found, bad) = add_directory(&mut tables, directory)
                .map_err(|why| format!("tablebases {}: {why}", directory.display()))?;
            if let Some(bad) = bad.first() {
                return Err(format!("tablebases {}: {bad}", directory.display()));
            }
            if found == 0 {
                return Err(format!("tablebases {}: there are none in this directory", directory.display()));
            }
            results |= holds_results(directory);
        }
        if !results {
            return Err(format!("tablebases {path}: there are none of results (*.rtbw)"));
        }
        let pieces = pieces.unwrap_or(usize::MAX).min(tables.max_pieces());
        Ok(Self { tables, folders, pieces, ignore_fifty: false, results: [true; 2] })
    }

    /// The same, with another word on wins that take more than fifty moves, and on which results are told: wins and
    /// losses, draws.
    #[must_use]
    pub fn with_rules(self, ignore_fifty: bool, results: [bool; 2]) -> Self {
        Self { ignore_fifty, results, ..self }
    }

    /// The directories that they lie in.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Positions of more men are not looked up.
    #[must_use]
    pub fn most_men(&self) -> usize {
        self.pieces
    }

    /// The result of a position with best play; `None` if there is no table that knows it.
    ///
    /// # Errors
    /// There is one, and it cannot be read: it was removed, cut off or damaged since its folder was read, or the disk
    /// fails.
    pub fn probe(&self, position: &Position) -> Result<Option<Score>, TableError> {
        if position.occupied().count() as usize > self.pieces {
            return Ok(None);
        }
        let Some(chess) = as_tables_have_it(position) else { return Ok(None) };
        let counts = position.halfmove_clock() != 0 && !self.ignore_fifty;
        let wdl = match self.look_up(&chess, counts) {
            Ok(Some(wdl)) => wdl,
            Err(SyzygyError::ProbeFailed { metric, material, error }) => {
                return Err(TableError::new(metric, &material, &error));
            }
            // There is no such table.
            Ok(None) | Err(_) => return Ok(None),
        };
        let score = self.score(wdl, position.side_to_move());
        let [decided, drawn] = self.results;
        Ok((if score == Score::Draw { drawn } else { decided }).then_some(score))
    }

    /// What the side to move has, where the fifty-move rule `counts` the moves before this position as well; `None` if
    /// rounding hides it.
    fn look_up(&self, chess: &Chess, counts: bool) -> Result<Option<Wdl>, SyzygyError> {
        let wdl = self.tables.probe_wdl_after_zeroing(chess)?;
        if counts && matches!(wdl, Wdl::Win | Wdl::Loss) {
            return Ok(self.tables.probe_wdl(chess)?.unambiguous());
        }
        Ok(Some(wdl))
    }

    /// What the side to move has, as a result of the game.
    fn score(&self, wdl: Wdl, side: Color) -> Score {
        let won = |colour: Color| if colour == Color::White { Score::White } else { Score::Black };
        match wdl {
            Wdl::Win => won(side),
            Wdl::Loss => won(!side),
            Wdl::CursedWin if self.ignore_fifty => won(side),
            Wdl::BlessedLoss if self.ignore_fifty => won(!side),
            // A win that takes more than fifty moves is a draw.
            Wdl::Draw | Wdl::BlessedLoss | Wdl::CursedWin => Score::Draw,
        }
    }
}

#[cfg(test)]
mod tests {
    use chess::Game;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;
    use shakmaty::fen::Fen;
    use shakmaty::{EnPassantMode, Position as _};

    use super::*;

    /// Against shakmaty's own reading of FEN, over random games.
    #[test]
    fn shakmaty_is_given_the_position_itself() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let (mut converted, mut en_passant) = (0, 0);
        for _ in 0..40 {
            let mut game = Game::default();
            while game.outcome().is_none() {
                let position = game.position();
                let fen: Fen = position.fen().parse().expect("it is a FEN");
                let wanted: Chess = fen.into_position(CastlingMode::Standard).expect("it is legal");
                let ours = as_tables_have_it(position).map(|chess| chess.to_setup(EnPassantMode::Legal));
                let castles = wanted.castles().any();
                // Full moves, of which no table knows, are not carried over.
                let mut wanted = wanted.to_setup(EnPassantMode::Legal);
                wanted.fullmoves = std::num::NonZeroU32::MIN;
                assert_eq!(ours, (!castles).then_some(wanted), "{position}");
                converted += usize::from(!castles);
                en_passant += usize::from(!castles && position.ep_square().is_some());
                let moves = position.legal_moves();
                game.play(*moves.as_slice().choose(&mut random).expect("the game goes on"))
                    .expect("it is legal");
            }
        }
        assert!(converted > 1000 && en_passant > 0, "{converted} positions, {en_passant} en passant");
    }

    #[test]
    fn missing_tables_are_named() {
        let missing = Tables::open("/no/such/tables", None).err().unwrap();
        assert!(missing.contains("/no/such/tables: there is no such folder"), "{missing}");
        let empty = tempfile::tempdir().unwrap();
        assert!(Tables::open(empty.path().to_str().unwrap(), None).err().unwrap().contains("there are none"));
    }

    /// Tables of three men.
    const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/syzygy");

    /// A table that was cut off is named, and those beside it are read.
    #[test]
    fn a_damaged_table_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<_> =
            std::fs::read_dir(TABLES).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        for name in &names {
            std::fs::copy(Path::new(TABLES).join(name), folder.path().join(name)).unwrap();
        }
        let damaged = File::options().write(true).open(folder.path().join("KQvK.rtbw")).unwrap();
        damaged.set_len(100).unwrap();
        let error = Tables::open(folder.path().to_str().unwrap(), None).err().unwrap();
        assert!(error.contains("KQvK.rtbw: unexpected file size"), "{error}");
        let [mut whole, mut rest] = [Tablebase::new(), Tablebase::new()];
        let (all, none) = add_directory(&mut whole, Path::new(TABLES)).unwrap();
        let (others, bad) = add_directory(&mut rest, folder.path()).unwrap();
        assert_eq!((others + 1, bad.len(), none.len()), (all, 1, 0));
        // Of the right length, but no table; nothing of it is known.
        std::fs::write(folder.path().join("KQvK.rtbw"), [0; 16]).unwrap();
        let queen: Chess = "8/8/8/3k4/8/8/8/KQ6 b - - 0 1"
            .parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap();
        let mut rest = Tablebase::new();
        let (others, bad) = add_directory(&mut rest, folder.path()).unwrap();
        assert_eq!((others + 1, bad), (all, vec!["KQvK.rtbw: no Syzygy table".to_owned()]));
        let is_known = |tables: &Tablebase<Chess>| tables.probe_wdl_after_zeroing(&queen).is_ok();
        assert_eq!((is_known(&whole), is_known(&rest)), (true, false));
    }

    /// root may read it all the same.
    #[cfg(unix)]
    #[test]
    fn a_table_that_may_not_be_read_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("KQvK.rtbw");
        std::fs::copy(Path::new(TABLES).join("KQvK.rtbw"), &table).unwrap();
        std::fs::set_permissions(&table, std::fs::Permissions::from_mode(0o0)).unwrap();
        let wanted = match File::open(&table) {
            Ok(_) => (1, Vec::new()),
            Err(_) => (0, vec!["KQvK.rtbw: permission denied".to_owned()]),
        };
        assert_eq!(add_directory(&mut Tablebase::new(), folder.path()), Ok(wanted));
    }

    #[test]
    fn real_tables_know_the_books() {
        know_the_books(&Tables::open(TABLES, None).unwrap());
        // The tables say nothing of more men than asked for.
        let few = Tables::open(TABLES, Some(2)).unwrap();
        assert_eq!(few.probe(&Position::from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").unwrap()), Ok(None));
    }

    /// White mates on the third ply at the latest: after a waiting move of the rook, Kh8-h7 is mated on the h-file.
    #[test]
    fn after_quiet_moves_a_win_must_come_in_time() {
        let after = |tables: &Tables, plies: u32| {
            let fen = format!("7k/R4K2/8/8/8/8/8/8 w - - {plies} 90");
            tables.probe(&Position::from_fen(&fen).unwrap()).unwrap()
        };
        let tables = || Tables::open(TABLES, None).unwrap();
        assert_eq!(after(&tables(), 20), Some(Score::White));
        assert_eq!(after(&tables(), 99), Some(Score::Draw));
        assert_eq!(after(&tables().with_rules(true, [true; 2]), 99), Some(Score::White));
        let drawn = Position::from_fen("k7/8/K7/P7/8/8/8/8 w - - 5 9").unwrap();
        assert_eq!(tables().probe(&drawn), Ok(Some(Score::Draw)));
    }

    /// Tables of distances to zeroing are not needed, and are none without those of results.
    #[test]
    fn tables_of_results_are_enough() {
        let [results, distances] = [true, false].map(|wanted| {
            let folder = tempfile::tempdir().unwrap();
            for table in std::fs::read_dir(TABLES).unwrap().map(|entry| entry.unwrap()) {
                if is_of_results(&table.path()) == wanted {
                    std::fs::copy(table.path(), folder.path().join(table.file_name())).unwrap();
                }
            }
            folder
        });
        let [results, distances] = [&results, &distances].map(|folder| folder.path().to_str().unwrap());
        know_the_books(&Tables::open(results, None).unwrap());
        assert!(Tables::open(distances, None).err().unwrap().contains("none of results"));
        let both = std::env::join_paths([distances, results]).unwrap();
        know_the_books(&Tables::open(both.to_str().unwrap(), None).unwrap());
    }

    /// What was there when the folder was read is not taken to be none: it is named where it has gone, of either kind,
    /// or has lost its end; where there never was one nothing is told.
    #[test]
    fn a_table_that_goes_meanwhile_is_named() {
        let [after_a_capture, quiet] = ["7k/R4K2/8/8/8/8/8/8 w - - 0 1", "7k/R4K2/8/8/8/8/8/8 w - - 20 90"];
        let bishop = Position::from_fen("7k/B4K2/8/8/8/8/8/8 w - - 0 1").unwrap();
        for (table, fen, length, why) in [
            ("KRvK.rtbw", after_a_capture, None, ""),
            ("KRvK.rtbz", quiet, None, ""),
            ("KRvK.rtbw", after_a_capture, Some(16), "it is damaged or was cut off"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for kind in ["KRvK.rtbw", "KRvK.rtbz"] {
                std::fs::copy(Path::new(TABLES).join(kind), folder.path().join(kind)).unwrap();
            }
            let tables = Tables::open(folder.path().to_str().unwrap(), None).unwrap();
            let gone = folder.path().join(table);
            match length {
                Some(length) => File::options().write(true).open(&gone).unwrap().set_len(length).unwrap(),
                None => std::fs::remove_file(&gone).unwrap(),
            }
            let error = tables.probe(&Position::from_fen(fen).unwrap()).unwrap_err();
            assert_eq!(error.table, table, "{error}");
            assert!(error.why.starts_with(why) && !error.why.is_empty(), "{error}");
            assert_eq!(tables.probe(&bishop), Ok(None));
        }
    }

    /// Positions whose results every endgame book has.
    fn know_the_books(tables: &Tables) {
        let probe = |fen: &str| tables.probe(&Position::from_fen(fen).unwrap()).unwrap();
        // Pawn on the sixth with the king before it wins whichever side moves; a rook's pawn does not.
        assert_eq!(probe("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"), Some(Score::White));
        assert_eq!(probe("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1"), Some(Score::White));
        assert_eq!(probe("k7/8/K7/P7/8/8/8/8 w - - 0 1"), Some(Score::Draw));
        // With the opposition the lone king holds; the side to move does not have it.
        assert_eq!(probe("8/8/8/4p3/4k3/8/4K3/8 b - - 0 1"), Some(Score::Draw));
        assert_eq!(probe("8/8/8/4p3/4k3/8/4K3/8 w - - 0 1"), Some(Score::Black));
        assert_eq!(probe("8/8/8/8/4p3/4k3/8/4K3 w - - 0 1"), Some(Score::Black));
        assert_eq!(probe("8/8/8/3k4/8/8/8/KQ6 b - - 0 1"), Some(Score::White));
    }

    /// Whichever side moves. Tables of three men hold no such win.
    #[test]
    fn a_win_of_more_than_fifty_moves_is_one_only_where_that_rule_is_ignored() {
        for ignore_fifty in [false, true] {
            let tables = Tables::open(TABLES, None).unwrap().with_rules(ignore_fifty, [true; 2]);
            let [won, lost] = if ignore_fifty { [Score::White, Score::Black] } else { [Score::Draw; 2] };
            for (wdl, of_white, of_black) in [
                (Wdl::Win, Score::White, Score::Black),
                (Wdl::CursedWin, won, lost),
                (Wdl::Draw, Score::Draw, Score::Draw),
                (Wdl::BlessedLoss, lost, won),
                (Wdl::Loss, Score::Black, Score::White),
            ] {
                let scores = [Color::White, Color::Black].map(|side| tables.score(wdl, side));
                assert_eq!(scores, [of_white, of_black], "{wdl:?}, {ignore_fifty}");
            }
        }
    }

    /// Wins and draws can each be left to the players, as the runners that leave them have it.
    #[test]
    fn only_what_is_asked_for_is_told() {
        let [won, drawn] = ["4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "k7/8/K7/P7/8/8/8/8 w - - 0 1"];
        for results in [[true, true], [true, false], [false, true], [false, false]] {
            let tables = Tables::open(TABLES, None).unwrap().with_rules(false, results);
            let told = |fen: &str| tables.probe(&Position::from_fen(fen).unwrap()).unwrap();
            let wanted = [results[0].then_some(Score::White), results[1].then_some(Score::Draw)];
            assert_eq!([told(won), told(drawn)], wanted);
        }
    }
}
