//! The score of a tournament, brought up to date game by game.

use std::collections::BTreeMap;

use crate::record::{Ending, GameRecord, Played};
use crate::runner::Forfeits;
use crate::schedule::{Level, Placing};
use crate::stats::elo::{self, Estimate};
use crate::stats::ratings::{self, Bound, Encounter, Field, LEAST_GAMES, MOST_RATED, NoInterval, Rating};
use crate::stats::sprt::Sprt;
use crate::stats::{Pairs, Wdl};

/// One encounter: as a rule a pair of games.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Meeting {
    first: usize,
    second: usize,
    all: Sum,
    /// Of these the games that were not lost by a fault of the program.
    without_faults: Sum,
}

/// Games of an encounter, and the points of its first player in them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sum {
    games: u64,
    points: f64,
}

impl Sum {
    /// The points of a pair. A single game is none, and neither are three games of one encounter.
    fn pair(self) -> Option<f64> {
        (self.games == 2).then_some(self.points)
    }

    /// Counts a game of these points `by` times more, and among the pairs what has become one or is one no more.
    fn change(&mut self, pairs: &mut Pairs, points: f64, by: i64) {
        if let Some(points) = self.pair() {
            pairs.change(points, -1);
        }
        self.games = self.games.saturating_add_signed(by);
        self.points += points * by as f64;
        if let Some(points) = self.pair() {
            pairs.change(points, 1);
        }
    }
}

/// What the results of two players are judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Pairs of games: each encounter has two, and one that has been played alone waits for the other.
    Pairs,
    /// Single games.
    Games,
    /// It is not known how the games were planned, as in files of other programs: pairs if nearly all games of the two
    /// belong to one.
    AsFound,
}

/// The finished pairs and the games between player 0 and player 1, from the side of player 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    all: (Pairs, Wdl),
    /// Of those that were not lost by a fault of the program.
    without_faults: (Pairs, Wdl),
}

/// Counts of everything that has been played.
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// By player, its results against those that it has met: of a large field only a small part of all.
    crosstable: Vec<BTreeMap<usize, Wdl>>,
    forfeits: Vec<BTreeMap<Ending, u64>>,
    endings: BTreeMap<Ending, u64>,
    meetings: BTreeMap<usize, Meeting>,
    /// The finished pairs of every two players that met, from the side of the one with the smaller number.
    pairs: BTreeMap<(usize, usize), Pairs>,
    counting: Counting,
    white: Wdl,
    placing: Placing,
    /// Of the games between player 0 and player 1 those that were not lost by a fault of the program, and their pairs.
    without_faults: (Pairs, Wdl),
    /// Whether a sequential test sees the others, too.
    tests_all: bool,
}

impl Standings {
    /// Nothing played yet.
    #[must_use]
    pub fn new(players: usize, counting: Counting) -> Self {
        Self {
            crosstable: vec![BTreeMap::new(); players],
            forfeits: vec![BTreeMap::new(); players],
            endings: BTreeMap::new(),
            meetings: BTreeMap::new(),
            pairs: BTreeMap::new(),
            counting,
            white: Wdl::default(),
            placing: Placing::default(),
            without_faults: (Pairs::default(), Wdl::default()),
            tests_all: true,
        }
    }

    /// The same, except that a sequential test does not see games that were lost by a fault of the program
    /// ([`Ending::is_fault`]), nor the pairs they belong to.
    #[must_use]
    pub fn tested_without_faults(self) -> Self {
        Self { tests_all: false, ..self }
    }

    /// A sequential test sees from now on, of games played before as well, what a run with this policy sees.
    pub fn test_by(&mut self, forfeits: Forfeits) {
        self.tests_all = forfeits.are_tested();
    }

    /// Makes room for so many players, if there is not yet.
    pub fn grow(&mut self, players: usize) {
        let players = players.max(self.crosstable.len());
        self.crosstable.resize(players, BTreeMap::new());
        self.forfeits.resize(players, BTreeMap::new());
    }

    /// From now on results are judged by this.
    pub fn count_by(&mut self, counting: Counting) {
        self.counting = counting;
    }

    /// Ranks the players as the schedule sees them from now on.
    pub fn place(&mut self, placing: Placing) {
        self.placing = placing;
    }

    /// What ranks the players.
    #[must_use]
    pub fn placing(&self) -> &Placing {
        &self.placing
    }

    /// Who is left of a knockout.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        match &self.placing {
            Placing::ByStage { winner, .. } => *winner,
            _ => None,
        }
    }

    /// The meetings of a knockout that the seeds decided, in their order.
    #[must_use]
    pub fn level(&self) -> &[Level] {
        match &self.placing {
            Placing::ByStage { level, .. } => level,
            _ => &[],
        }
    }

    /// That the winner of a knockout was level in the last meeting, in words; `None` if it won it.
    #[must_use]
    pub fn winner_by_seed(&self, names: &[String]) -> Option<String> {
        let (winner, last) = (self.winner()?, self.level().last()?);
        let Placing::ByStage { reached, .. } = &self.placing else { return None };
        let is_final = last.through == winner && reached.get(winner) == Some(&(last.stage + 1));
        is_final.then(|| last.describe(names))
    }

    /// Who else went on by its seed, a sentence for each.
    #[must_use]
    pub fn through_by_seed(&self, names: &[String]) -> Vec<String> {
        let told = usize::from(self.winner_by_seed(names).is_some());
        let earlier = &self.level()[..self.level().len() - told];
        let name = |player: usize| names.get(player).map_or("?", String::as_str);
        earlier
            .iter()
            .map(|level| format!("Stage {}: {}, {}", level.stage, name(level.through), level.describe(names)))
            .collect()
    }

    /// A player's points, with those for byes.
    #[must_use]
    pub fn points(&self, player: usize) -> f64 {
        match &self.placing {
            Placing::ByPoints(points) => points[player],
            _ => self.of(player).points(),
        }
    }

    /// The points among them that a player has for byes.
    #[must_use]
    pub fn bye_points(&self, player: usize) -> f64 {
        self.points(player) - self.of(player).points()
    }

    /// Who has points for byes, in words.
    #[must_use]
    pub fn byes(&self, names: &[String]) -> Option<String> {
        let with = self.ranking().into_iter().filter(|&player| self.bye_points(player) > 0.0);
        let name = |player: usize| names.get(player).map_or("?", String::as_str);
        let told: Vec<String> =
            with.map(|player| format!("{} {:.1}", name(player), self.bye_points(player))).collect();
        (!told.is_empty()).then(|| format!("Points for byes, counted above: {}", told.join(", ")))
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        self.count(&game.played());
    }

    /// Counts a game whose moves are of no interest.
    pub fn count(&mut self, game: &Played) {
        self.change(game, 1);
    }

    /// Takes back a game that was counted, as if it had never been.
    pub fn take_back(&mut self, game: &GameRecord) {
        self.change(&game.played(), -1);
    }

    /// Counts a game `by` times more.
    fn change(&mut self, game: &Played, by: i64) {
        let white = game.result.white_points();
        change(&mut self.crosstable[game.white], game.black, |wdl| wdl.change(white, by));
        change(&mut self.crosstable[game.black], game.white, |wdl| wdl.change(1.0 - white, by));
        self.white.change(white, by);
        let count = |games: &mut u64| *games = games.saturating_add_signed(by);
        change(&mut self.endings, game.ending, count);
        if let Some(loser) = game.loser().filter(|_| game.ending.is_forfeit()) {
            change(&mut self.forfeits[loser], game.ending, count);
        }
        let (first, second) = (game.white.min(game.black), game.white.max(game.black));
        let points = game.points_of(first);
        let (all, without_faults) = (Sum::default(), Sum::default());
        let new = Meeting { first, second, all, without_faults };
        let meeting = self.meetings.entry(game.encounter).or_insert(new);
        change(&mut self.pairs, (meeting.first, meeting.second), |pairs| {
            meeting.all.change(pairs, points, by);
        });
        if (first, second) == (0, 1) && !game.ending.is_fault() {
            let (pairs, games) = &mut self.without_faults;
            meeting.without_faults.change(pairs, points, by);
            games.change(points, by);
        }
        if meeting.all.games == 0 {
            self.meetings.remove(&game.encounter);
        }
    }

    /// Games counted.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.white.games()
    }

    /// White's results over all games.
    #[must_use]
    pub fn white(&self) -> Wdl {
        self.white
    }

    /// How games ended.
    #[must_use]
    pub fn endings(&self) -> &BTreeMap<Ending, u64> {
        &self.endings
    }

    /// Games that ended by forfeit.
    #[must_use]
    pub fn forfeited(&self) -> u64 {
        self.endings.iter().filter(|(ending, _)| ending.is_forfeit()).map(|(_, games)| games).sum()
    }

    /// The forfeits of a player, by kind.
    #[must_use]
    pub fn forfeits(&self, player: usize) -> &BTreeMap<Ending, u64> {
        &self.forfeits[player]
    }

    /// One player's results against another; none of players that are not there.
    #[must_use]
    pub fn between(&self, player: usize, opponent: usize) -> Wdl {
        let row = self.crosstable.get(player);
        row.and_then(|row| row.get(&opponent)).copied().unwrap_or_default()
    }

    /// Results of two players that are kept.
    #[cfg(test)]
    pub(crate) fn meetings_kept(&self) -> usize {
        self.crosstable.iter().map(BTreeMap::len).sum()
    }

    /// Those that a player has met, in their order.
    pub fn opponents(&self, player: usize) -> impl Iterator<Item = usize> {
        self.crosstable[player].keys().copied()
    }

    /// One player's results against all.
    #[must_use]
    pub fn of(&self, player: usize) -> Wdl {
        self.crosstable[player].values().fold(Wdl::default(), |sum, wdl| Wdl {
            wins: sum.wins + wdl.wins,
            draws: sum.draws + wdl.draws,
            losses: sum.losses + wdl.losses,
        })
    }

    /// The finished pairs between player 0 and player 1, from the side of player 0.
    #[must_use]
    pub fn pairs(&self) -> Pairs {
        self.pairs_between(0, 1)
    }

    /// The finished pairs between two players, from the side of the first.
    fn pairs_between(&self, player: usize, opponent: usize) -> Pairs {
        let found = |key| self.pairs.get(&key).copied().unwrap_or_default();
        if player < opponent { found((player, opponent)) } else { found((opponent, player)).reversed() }
    }

    /// Are the games of two players judged in pairs? As found, not where more than a tenth of them (and more than one)
    /// belong to no pair.
    fn in_pairs(&self, player: usize, opponent: usize) -> bool {
        let (pairs, games) =
            (self.pairs_between(player, opponent).count(), self.between(player, opponent).games());
        match self.counting {
            Counting::Pairs => true,
            Counting::Games => false,
            Counting::AsFound => pairs > 0 && games.saturating_sub(2 * pairs) <= (games / 10).max(1),
        }
    }

    /// The difference between player 0 and player 1, as [`Self::estimate_between`] has it.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        self.estimate_between(0, 1)
    }

    /// The difference between two players, from the side of the first, by pairs or by games (see [`Counting`]). By
    /// games while there is no pair; `None` if they have not met.
    #[must_use]
    pub fn estimate_between(&self, player: usize, opponent: usize) -> Option<Estimate> {
        let pairs = self.pairs_between(player, opponent);
        let by_pairs = elo::from_pairs(pairs).filter(|_| self.in_pairs(player, opponent));
        by_pairs.or_else(|| elo::from_games(self.between(player, opponent)))
    }

    /// Games between player 0 and player 1 that their [`Self::estimate`] leaves out: it goes by pairs, and these are in
    /// none.
    #[must_use]
    pub fn unpaired(&self) -> u64 {
        let pairs = self.pairs().count();
        let by_pairs = pairs > 0 && self.in_pairs(0, 1);
        if by_pairs { self.between(0, 1).games().saturating_sub(2 * pairs) } else { 0 }
    }

    /// Games between player 0 and player 1 that a sequential test does not see since the program failed in them.
    #[must_use]
    pub fn games_left_out(&self) -> u64 {
        let (_, seen) = self.without_faults;
        if self.tests_all { 0 } else { self.between(0, 1).games() - seen.games() }
    }

    /// The log-likelihood ratio between player 0 and player 1, from pairs or from single games.
    #[must_use]
    pub fn llr(&self, sprt: &Sprt, by_pairs: bool) -> f64 {
        self.llr_of(&self.evidence(), sprt, by_pairs)
    }

    /// What there is now for a test between player 0 and player 1.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        Evidence { all: (self.pairs(), self.between(0, 1)), without_faults: self.without_faults }
    }

    /// The log-likelihood ratio of what there was earlier, counted as what there is now: in pairs or not, with
    /// the program's faults or without.
    #[must_use]
    pub fn llr_of(&self, evidence: &Evidence, sprt: &Sprt, by_pairs: bool) -> f64 {
        let (pairs, games) = if self.tests_all { evidence.all } else { evidence.without_faults };
        if self.tests_pairs(sprt, by_pairs) { sprt.llr_of_pairs(pairs) } else { sprt.llr_of_games(games) }
    }

    /// Does [`Self::llr`] count pairs? `by_pairs`: where it can. All games decide, whichever of them it sees.
    #[must_use]
    pub fn tests_pairs(&self, sprt: &Sprt, by_pairs: bool) -> bool {
        by_pairs && !sprt.model.counts_games() && self.in_pairs(0, 1)
    }

    /// Elo of every player, the one source for whatever shows it: over a field its maximum-likelihood rating
    /// with mean zero, in a match the difference to the opponent that [`Self::estimate`] gives. A field of
    /// more than [`MOST_RATED`] players is not rated.
    #[must_use]
    pub fn field(&self) -> Field {
        self.anchored_field(&vec![None; self.crosstable.len()])
    }

    /// The same on a scale on which some players have a rating that is known: `anchors`, one for each player.
    /// Without any, as [`Self::field`] has it; in a match against an anchor that difference from it.
    #[must_use]
    pub fn anchored_field(&self, anchors: &[Option<f64>]) -> Field {
        if let &[first, second] = anchors
            && first.is_none_or(|_| second.is_none())
            && let Some(estimate) = self.estimate()
        {
            return self.match_field(&estimate, [first, second]);
        }
        if anchors.len() > MOST_RATED {
            return Field::unrated(anchors.len());
        }
        let encounters: Vec<Encounter> = self
            .meetings
            .values()
            .map(|m| Encounter {
                first: m.first,
                second: m.second,
                games: m.all.games as f64,
                points: m.all.points,
            })
            .collect();
        ratings::anchored(&encounters, anchors)
    }

    /// The ratings of two players by the difference between them; at most one of them is known.
    fn match_field(&self, estimate: &Estimate, anchors: [Option<f64>; 2]) -> Field {
        let Estimate { elo, interval: error, .. } = *estimate;
        let bound = |elo: f64| match elo.is_finite() {
            true => None,
            false => Some(if elo > 0.0 { Bound::Above } else { Bound::Below }),
        };
        let counted = self.games() - self.unpaired();
        let no_interval = match error {
            error if error.is_finite() => None,
            _ if (counted as f64) < LEAST_GAMES => Some(NoInterval::TooFew),
            _ => Some(NoInterval::NothingVaries),
        };
        let rating = |(own, other, ahead): (Option<f64>, Option<f64>, f64)| match own {
            Some(elo) => Rating { elo, error: if error.is_finite() { 0.0 } else { f64::NAN }, bound: None },
            None => {
                let elo = other.unwrap_or(0.0) + ahead;
                Rating { elo, error, bound: bound(elo) }
            }
        };
        let [first, second] = anchors;
        Field { ratings: [(first, second, elo), (second, first, -elo)].map(rating).to_vec(), no_interval }
    }

    /// Players by what counts in this format (see [`Placing`]), in a knockout then by their share of points,
    /// then by number.
    #[must_use]
    pub fn ranking(&self) -> Vec<usize> {
        self.places().into_iter().map(|(_, player)| player).collect()
    }

    /// The same with their places before them, from 1: players that nothing but their number tells apart
    /// share one, and the next place counts them all.
    #[must_use]
    pub fn places(&self) -> Vec<(usize, usize)> {
        let share = |player: usize| self.of(player).share();
        let merit = |player: usize| match &self.placing {
            Placing::ByShare => (share(player), 0.0),
            Placing::ByPoints(points) => (points[player], 0.0),
            Placing::ByStage { reached, .. } => (reached[player] as f64, share(player)),
        };
        let mut order: Vec<_> = (0..self.crosstable.len()).map(|player| (merit(player), player)).collect();
        order.sort_by(|(a, first), (b, second)| {
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(first.cmp(second))
        });
        let equals = order.chunk_by(|(a, _), (b, _)| a == b);
        let before =
            equals.clone().scan(1, |place, equals| Some(std::mem::replace(place, *place + equals.len())));
        let placed = before.zip(equals);
        placed.flat_map(|(place, equals)| equals.iter().map(move |&(_, player)| (place, player))).collect()
    }
}

/// Changes what is counted under a key, which stands there for as long as that is anything.
fn change<K: Ord + Copy, V: Default + PartialEq>(
    counts: &mut BTreeMap<K, V>,
    key: K,
    change: impl FnOnce(&mut V),
) {
    let count = counts.entry(key).or_default();
    change(count);
    if *count == V::default() {
        counts.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::game;
    use crate::record::Score;
    use crate::stats::sprt::Model;

    #[test]
    fn a_small_match_by_hand() {
        let mut standings = Standings::new(2, Counting::Pairs);
        // Player 0 is White in even games: 1 + 0, 1 + ½, ½.
        for (id, result) in
            [Score::White, Score::White, Score::White, Score::Draw, Score::Draw].into_iter().enumerate()
        {
            let mut record = game(id);
            record.result = result;
            if id == 1 {
                record.ending = Ending::TimeForfeit;
            }
            standings.add(&record);
        }
        assert_eq!(standings.of(0), Wdl { wins: 2, draws: 2, losses: 1 });
        assert_eq!(standings.of(0).reversed(), standings.of(1));
        assert_eq!(standings.pairs().0, [0, 0, 1, 1, 0], "the open pair is not counted");
        assert_eq!(standings.white(), Wdl { wins: 3, draws: 2, losses: 0 });
        assert_eq!(standings.forfeits(0).get(&Ending::TimeForfeit), Some(&1));
        assert!(standings.forfeits(1).is_empty());
        assert_eq!(standings.ranking(), [0, 1]);
    }

    /// Three games of 1, ½ and 1 points in one encounter beside a whole pair of 2.
    #[test]
    fn three_games_of_an_encounter_are_no_pair() {
        let mut standings = Standings::new(2, Counting::Pairs);
        for (id, encounter, result) in [
            (0, 0, Score::White),
            (1, 1, Score::Black),
            (2, 1, Score::White),
            (3, 0, Score::Draw),
            (4, 0, Score::White),
        ] {
            standings.add(&GameRecord { encounter, result, ..game(id) });
        }
        assert_eq!(standings.pairs().0, [0, 0, 0, 0, 1]);
        assert_eq!(standings.of(0), Wdl { wins: 4, draws: 1, losses: 0 });
    }

    /// Whichever it is: of a pair, of three games of an encounter, lost by a fault, or the only one of two players.
    #[test]
    fn a_game_that_is_taken_back_was_never_counted() {
        let mut games: Vec<GameRecord> = [
            (0, Score::White, Ending::Checkmate),
            (0, Score::White, Ending::Crash),
            (1, Score::Draw, Ending::Stalemate),
            (1, Score::White, Ending::TimeForfeit),
            (2, Score::White, Ending::Checkmate),
            (2, Score::Draw, Ending::Repetition),
            (2, Score::Black, Ending::Checkmate),
        ]
        .into_iter()
        .enumerate()
        .map(|(id, (encounter, result, ending))| GameRecord { encounter, result, ending, ..game(id) })
        .collect();
        games.push(GameRecord { encounter: 3, white: 2, black: 0, result: Score::White, ..game(7) });
        for back in &games {
            let none = Standings::new(3, Counting::Pairs).tested_without_faults();
            let (mut standings, mut without) = (none.clone(), none);
            games.iter().for_each(|game| standings.add(game));
            games.iter().filter(|game| game.id != back.id).for_each(|game| without.add(game));
            standings.take_back(back);
            assert_eq!(standings, without, "{back:?}");
        }
    }

    /// What two players of a field have done is judged as in a match of their own: by pairs, in which the opening here
    /// decides every game.
    #[test]
    fn any_two_players_are_judged_by_their_pairs() {
        let results = [Score::White, Score::White, Score::Black, Score::Black, Score::White, Score::Draw];
        let mut alone = Standings::new(2, Counting::Pairs);
        let mut field = Standings::new(4, Counting::Pairs);
        for (id, result) in results.into_iter().cycle().take(36).enumerate() {
            let mut record = game(id);
            record.result = result;
            alone.add(&record);
            (record.white, record.black) = (3 - record.white, 3 - record.black);
            field.add(&record);
        }
        let wanted = alone.estimate().unwrap();
        let (ours, theirs) = (field.estimate_between(3, 2).unwrap(), field.estimate_between(2, 3).unwrap());
        assert_eq!((ours.elo, ours.interval), (wanted.elo, wanted.interval));
        assert!((theirs.elo + wanted.elo).abs() < 1e-9 && (theirs.interval - wanted.interval).abs() < 1e-9);
        let by_games = elo::from_games(field.between(3, 2)).unwrap();
        assert!(by_games.interval > 2.0 * wanted.interval, "{by_games:?} {wanted:?}");
        assert!(field.estimate_between(0, 1).is_none());
    }

    /// Files of other programs: a few pairs say nothing for many single games beside them, which here player 1 wins.
    #[test]
    fn games_that_form_no_pairs_are_judged_one_by_one() {
        let standings = |counting, single: usize| {
            let mut standings = Standings::new(2, counting);
            for id in 0..20 {
                standings.add(&GameRecord { result: [Score::White, Score::Draw][id % 2], ..game(id) });
            }
            for id in 20..20 + single {
                standings.add(&GameRecord {
                    encounter: id,
                    result: Score::Black,
                    white: 0,
                    black: 1,
                    ..game(id)
                });
            }
            standings
        };
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
        let sign = |counting, single| {
            let standings = standings(counting, single);
            let (elo, field) = (standings.estimate().unwrap().elo, standings.field().ratings[0].elo);
            assert_eq!(elo, field);
            assert_eq!(standings.llr(&sprt, true) > 0.0, elo > 0.0, "{counting:?}, {single}");
            elo > 0.0
        };
        assert!(!sign(Counting::AsFound, 40) && !sign(Counting::Games, 40));
        // Two games that wait for their partners.
        assert!(sign(Counting::AsFound, 2) && sign(Counting::Pairs, 40));
    }

    /// As a file of another program has them: sixty pairs, of which twenty have a game that was lost by a crash.
    /// The test goes by the forty whole ones, as its outputs say, though many games are left alone by the faults.
    #[test]
    fn what_a_test_counts_is_decided_by_all_games() {
        let mut standings = Standings::new(2, Counting::AsFound).tested_without_faults();
        // Points of player 0: 35 pairs of 1 and 0, 5 of 1 and ½, 20 of 1 and a crash.
        for pair in 0..60 {
            let (second, ending) = match pair {
                0..35 => (0.0, Ending::Checkmate),
                35..40 => (0.5, Ending::Checkmate),
                _ => (0.0, Ending::Crash),
            };
            for (id, points, ending) in [(2 * pair, 1.0, Ending::Checkmate), (2 * pair + 1, second, ending)] {
                let white = if id % 2 == 0 { points } else { 1.0 - points };
                let result = [Score::Black, Score::Draw, Score::White][(2.0 * white) as usize];
                standings.add(&GameRecord { encounter: pair, result, ending, ..game(id) });
            }
        }
        let sprt = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
        assert_eq!((standings.pairs().count(), standings.games_left_out()), (60, 20));
        assert!(standings.tests_pairs(&sprt, true));
        assert_eq!(standings.llr(&sprt, true), sprt.llr_of_pairs(Pairs([0, 0, 35, 5, 0])));
        let games = Wdl { wins: 60, draws: 5, losses: 35 };
        assert_eq!(standings.llr(&sprt, false), sprt.llr_of_games(games));
        standings.test_by(Forfeits::Count);
        assert_eq!(standings.llr(&sprt, true), sprt.llr_of_pairs(Pairs([0, 0, 55, 5, 0])));
    }

    /// A match that was stopped within a pair: the open game is no part of any Elo, and there is one Elo
    /// only, on the scale of a known opponent as well.
    #[test]
    fn a_match_has_one_elo() {
        let mut standings = Standings::new(2, Counting::Pairs);
        let results = [Score::White, Score::White, Score::White, Score::Draw, Score::White];
        for (id, result) in results.into_iter().enumerate() {
            let mut record = game(id);
            record.result = result;
            standings.add(&record);
        }
        // Pairs of 1 and 1½ points: 5/8 of them, 400 log10(5/3).
        let (estimate, field) = (standings.estimate().unwrap(), standings.field());
        assert!((estimate.elo - 88.7395).abs() < 1e-3, "{estimate:?}");
        assert_eq!((field.ratings[0].elo, field.ratings[1].elo), (estimate.elo, -estimate.elo));
        assert_eq!(field.no_interval, Some(NoInterval::TooFew));
        for (anchors, elo) in [
            ([Some(1500.0), None], [1500.0, 1500.0 - estimate.elo]),
            ([None, Some(1500.0)], [1500.0 + estimate.elo, 1500.0]),
        ] {
            let field = standings.anchored_field(&anchors);
            assert_eq!([field.ratings[0].elo, field.ratings[1].elo], elo);
            assert_eq!(field.no_interval, Some(NoInterval::TooFew));
        }
        for id in 5..41 {
            standings.add(&game(id));
        }
        let (estimate, field) = (standings.estimate().unwrap(), standings.field());
        let anchored = standings.anchored_field(&[None, Some(1500.0)]);
        assert_eq!([0, 1].map(|player| anchored.ratings[player].error), [estimate.interval, 0.0]);
        assert_eq!(anchored.ratings[0].elo, 1500.0 + estimate.elo);
        assert_eq!(field.no_interval, None);
        assert_eq!((field.ratings[0].error, field.ratings[1].error), (estimate.interval, estimate.interval));
    }

    /// Four players: the first stage by results but for B, who was level with C; then the final, level as
    /// well or not yet played.
    #[test]
    fn a_knockout_says_what_the_seeds_decided() {
        let names = ["A", "B", "C", "D"].map(str::to_owned);
        let level = |stage, through, out| Level { stage, through, out, replays: 4 };
        let place = |reached: [usize; 4], winner, level: &[Level]| {
            let mut standings = Standings::new(4, Counting::Pairs);
            standings.place(Placing::ByStage { reached: reached.into(), winner, level: level.into() });
            (standings.winner_by_seed(&names), standings.through_by_seed(&names))
        };
        let first = "Stage 1: B, level with C after 4 replays: the better seed goes on".to_owned();
        let both = [level(1, 1, 2), level(2, 0, 1)];
        let by_seed = "level with B after 4 replays: the better seed goes on".to_owned();
        assert_eq!(place([3, 2, 1, 1], Some(0), &both), (Some(by_seed), vec![first.clone()]));
        assert_eq!(place([2, 3, 1, 1], Some(1), &both[..1]), (None, vec![first.clone()]), "B won the final");
        assert_eq!(place([2, 2, 1, 1], None, &both[..1]), (None, vec![first]));
        assert_eq!(place([3, 2, 1, 1], Some(0), &[]), (None, vec![]));
    }

    #[test]
    fn a_swept_match_is_a_bound_everywhere() {
        let mut standings = Standings::new(2, Counting::Pairs);
        for id in 0..24 {
            let mut record = game(id);
            record.result = if record.white == 0 { Score::White } else { Score::Black };
            standings.add(&record);
        }
        let field = standings.field();
        assert_eq!(field.ratings[0].elo, f64::INFINITY);
        assert_eq!(
            (field.ratings[0].bound, field.ratings[1].bound),
            (Some(Bound::Above), Some(Bound::Below))
        );
        assert_eq!(field.no_interval, Some(NoInterval::NothingVaries));
    }
}
