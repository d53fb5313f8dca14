//! Tuning by games: simultaneous perturbation stochastic approximation (Spall 1998, "Implementation of the simultaneous
//! perturbation algorithm for stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34).
//!
//! A chess engine cannot be differentiated, but two versions of it can play. For pair of games k every parameter is
//! moved by c_k to one side or the other, each by a coin of its own; the version so moved meets the one moved the
//! opposite way; and every parameter takes a step towards its side of the winner. One pair says next to nothing, but
//! its expectation is the gradient, all parameters at once for the price of one. The gains shrink as Spall advises,
//! with the exponents 0.602 and 0.101 and a stability constant of a tenth of all pairs; they are given by their values
//! at the end, as Stockfish's testers made customary: c for each parameter, and one rate, the step as a share of c for
//! a game won.
//!
//! Everything random follows from the seed and the number of the pair, so a run that was killed goes on as if nothing had
//! happened, given where its parameters were.

use std::str::FromStr;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::journal::Entry;

/// How fast the steps become smaller...
const STEP_DECAY: f64 = 0.602;
/// ...and the distance between the versions that meet.
const DISTANCE_DECAY: f64 = 0.101;
/// The share of all pairs by which the steps' decay is put off.
const STABILITY: f64 = 0.1;

/// A whole number that an engine takes as an option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// The option's name.
    pub name: String,
    /// Where it starts.
    pub start: f64,
    /// Its least value.
    pub min: f64,
    /// Its greatest value.
    pub max: f64,
    /// How far it is moved to either side at the end of the run; further before.
    pub c: f64,
}

/// Reads `NAME=START,MIN,MAX,C`.
impl FromStr for Param {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = |why: &str| format!("parameter `{text}`: {why}; write NAME=START,MIN,MAX,C");
        let (name, values) = text.split_once('=').ok_or_else(|| bad("there is no `=`"))?;
        let numbers: Result<Vec<f64>, _> = values.split(',').map(|word| word.trim().parse()).collect();
        let numbers = numbers.map_err(|_| bad("a value is not a number"))?;
        if name.trim().is_empty() {
            return Err(bad("there is no name"));
        }
        let &[start, min, max, c] = numbers.as_slice() else { return Err(bad("it takes four values")) };
        let whole = |x: f64| x.is_finite() && x.fract() == 0.0 && x.abs() < 1e9;
        if !whole(min) || !whole(max) || !(min..=max).contains(&start) {
            return Err(bad("START lies between MIN and MAX, which are whole numbers"));
        }
        if !(c > 0.0 && c <= max - min) {
            return Err(bad("C is greater than 0 and fits between MIN and MAX"));
        }
        Ok(Self { name: name.trim().to_owned(), start, min, max, c })
    }
}

/// What makes a run this one and no other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What is tuned.
    pub params: Vec<Param>,
    /// Pairs of games in all.
    pub pairs: usize,
    /// Step at the end of the run, in parts of `c` for every game more that one side has won of a pair.
    pub rate: f64,
    /// The seed of everything random.
    pub seed: u64,
}

/// Two versions that are to meet.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The values of the version moved along the coins, in the order of the parameters.
    pub plus: Vec<i64>,
    /// The values of the one moved against them.
    pub minus: Vec<i64>,
    /// The number of the pair, from 0.
    pub pair: usize,
    coins: Vec<f64>,
}

/// What went wrong in games that a run has learnt from all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mishaps {
    /// Games lost on time: they count, and may teach more of the machine than of the parameters.
    pub lost_on_time: u64,
    /// Pairs with a fault of the engine, which taught nothing.
    pub skipped: u64,
}

impl Mishaps {
    /// Counts those of further games.
    pub fn add(&mut self, more: Self) {
        self.lost_on_time += more.lost_on_time;
        self.skipped += more.skipped;
    }

    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// What a batch of pairs taught: an entry of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Pairs played until then.
    pub pairs: usize,
    /// Of each pair of the batch, the games won by the plus version less those it lost.
    pub differences: Vec<f64>,
    /// Where the parameters were then.
    pub values: Vec<f64>,
    /// What went wrong in the batch.
    #[serde(default, skip_serializing_if = "Mishaps::is_none")]
    pub mishaps: Mishaps,
}

impl Entry for Lesson {
    fn fault(&self, run: &Value) -> Option<String> {
        let settings = run.get("spsa").and_then(|settings| Settings::deserialize(settings).ok())?;
        if self.values.len() != settings.params.len() {
            return Some(format!("has {} values of {} parameters", self.values.len(), settings.params.len()));
        }
        (self.pairs > settings.pairs || self.values.iter().any(|value| !value.is_finite()))
            .then(|| "holds a number that is out of range".to_owned())
    }

    fn number(&self) -> Option<usize> {
        None
    }
}

/// A run of the algorithm.
#[derive(Debug, Clone)]
pub struct Spsa {
    settings: Settings,
    values: Vec<f64>,
    pairs: usize,
    /// The sum of the squares of all steps, in units of a parameter's `c`.
    squares: f64,
    mishaps: Mishaps,
}

impl Spsa {
    /// At the start, or where the lessons of a journal left it.
    #[must_use]
    pub fn new(settings: Settings, lessons: &[Lesson]) -> Self {
        let values = settings.params.iter().map(|param| param.start).collect();
        let mut spsa = Self { values, pairs: 0, squares: 0.0, mishaps: Mishaps::default(), settings };
        for lesson in lessons {
            let first = lesson.pairs.saturating_sub(lesson.differences.len());
            for (pair, difference) in (first..).zip(&lesson.differences) {
                spsa.squares += (spsa.step(pair) * difference).powi(2);
            }
            spsa.values.clone_from(&lesson.values);
            spsa.pairs = lesson.pairs;
            spsa.mishaps.add(lesson.mishaps);
        }
        spsa
    }

    /// What it was made of.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where the parameters are.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Pairs played.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// How far the steps of the run carry a parameter that does nothing, as a standard deviation in units of its `c`:
    /// its steps go one way or the other by the coins alone. What has moved no further may be such a one.
    #[must_use]
    pub fn chance(&self) -> f64 {
        self.squares.sqrt()
    }

    /// What went wrong until now.
    #[must_use]
    pub fn mishaps(&self) -> Mishaps {
        self.mishaps
    }

    /// The next pairs, at most this many: none once all are played.
    #[must_use]
    pub fn batch(&self, most: usize) -> Vec<Trial> {
        (self.pairs..self.settings.pairs).take(most).map(|pair| self.trial(pair)).collect()
    }

    fn trial(&self, pair: usize) -> Trial {
        let mut random = ChaCha8Rng::seed_from_u64(self.settings.seed);
        random.set_stream(pair as u64);
        let widening = self.elapsed(pair).powf(-DISTANCE_DECAY);
        let (mut coins, mut plus, mut minus) = (Vec::new(), Vec::new(), Vec::new());
        for (param, value) in self.settings.params.iter().zip(&self.values) {
            let coin = if random.random() { 1.0 } else { -1.0 };
            // Engines take whole numbers: rounded at random, they have the right mean. Both versions share the chance, so
            // that it makes no difference between them.
            let chance: f64 = random.random();
            let whole =
                |moved: f64| (moved.clamp(param.min, param.max) + chance).floor().min(param.max) as i64;
            plus.push(whole(value + coin * param.c * widening));
            minus.push(whole(value - coin * param.c * widening));
            coins.push(coin);
        }
        Trial { plus, minus, pair, coins }
    }

    /// Takes the steps of a batch: of each of its trials, the games won by the plus version less those it lost; and
    /// counts what went wrong in it.
    pub fn learn(&mut self, batch: &[Trial], differences: &[f64], mishaps: Mishaps) -> Lesson {
        for (trial, difference) in batch.iter().zip(differences) {
            let step = self.step(trial.pair) * difference;
            self.squares += step.powi(2);
            for ((value, param), coin) in self.values.iter_mut().zip(&self.settings.params).zip(&trial.coins)
            {
                *value = (*value + step * param.c * coin).clamp(param.min, param.max);
            }
        }
        self.pairs += batch.len();
        self.mishaps.add(mishaps);
        let (differences, values) = (differences.to_vec(), self.values.clone());
        Lesson { pairs: self.pairs, differences, values, mishaps }
    }

    /// The step after this pair, in units of a parameter's `c`, for every game more that one side has won of it.
    fn step(&self, pair: usize) -> f64 {
        let all = self.settings.pairs as f64;
        let stability = STABILITY * all;
        let gain = ((stability + all) / (stability + pair as f64 + 1.0)).powf(STEP_DECAY);
        self.settings.rate * gain * self.elapsed(pair).powf(DISTANCE_DECAY)
    }

    /// The share of the run that is over with this pair.
    fn elapsed(&self, pair: usize) -> f64 {
        (pair + 1) as f64 / self.settings.pairs as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(rate: f64, pairs: usize, seed: u64) -> Settings {
        let params = ["A=40,0,200,8", "B=-30,-100,100,5", "C=1000,0,4000,120", "D=3,0,9,1"];
        let params = params.map(|text| text.parse().unwrap()).to_vec();
        Settings { params, pairs, rate, seed }
    }

    /// The best values of an engine on paper.
    const BEST: [f64; 4] = [88.0, 0.0, 1720.0, 5.0];

    /// Its strength: a quadratic that falls by 25 Elo for every 6 c that a parameter is off.
    fn elo(settings: &Settings, values: &[i64]) -> f64 {
        let off =
            |((param, value), best): ((&Param, &i64), f64)| ((*value as f64 - best) / param.c / 6.0).powi(2);
        settings.params.iter().zip(values).zip(BEST).map(|pair| -25.0 * off(pair)).sum()
    }

    /// Two games with results drawn by the logistic formula; a third of the games are drawn.
    fn play(settings: &Settings, trial: &Trial, random: &mut ChaCha8Rng) -> f64 {
        let expected =
            1.0 / (1.0 + 10f64.powf((elo(settings, &trial.minus) - elo(settings, &trial.plus)) / 400.0));
        let game = |random: &mut ChaCha8Rng| match random.random::<f64>() {
            x if x < 1.0 / 3.0 => 0.0,
            _ if random.random::<f64>() < expected => 1.0,
            _ => -1.0,
        };
        game(random) + game(random)
    }

    fn run(settings: Settings, batch: usize) -> Spsa {
        let mut random = ChaCha8Rng::seed_from_u64(settings.seed + 1000);
        let mut spsa = Spsa::new(settings, &[]);
        loop {
            let trials = spsa.batch(batch);
            if trials.is_empty() {
                return spsa;
            }
            let differences: Vec<f64> =
                trials.iter().map(|trial| play(spsa.settings(), trial, &mut random)).collect();
            spsa.learn(&trials, &differences, Mishaps::default());
        }
    }

    /// Every parameter starts 6 c from its best value (D, 2 c) and must come within 2.5 c, on average over runs within 1 c.
    #[test]
    fn a_noisy_quadratic_is_climbed() {
        let mut mean = [0.0; 4];
        for seed in 0..8 {
            let spsa = run(settings(0.02, 40_000, seed), 8);
            for (index, (param, value)) in spsa.settings().params.iter().zip(spsa.values()).enumerate() {
                let off = (value - BEST[index]) / param.c;
                assert!(off.abs() < 2.5, "seed {seed}: {} ends at {value:.1}, {off:+.2} c off", param.name);
                mean[index] += off / 8.0;
            }
        }
        assert!(mean.iter().all(|off| off.abs() < 1.0), "{mean:?}");
    }

    #[test]
    fn without_gain_nothing_moves() {
        let spsa = run(settings(0.0, 500, 1), 8);
        assert_eq!(spsa.values(), [40.0, -30.0, 1000.0, 3.0]);
    }

    /// The drift of a parameter that does nothing is that of the random walk that its steps are.
    #[test]
    fn what_makes_no_difference_walks_at_random() {
        let mut settings = settings(0.01, 1000, 3);
        settings.params = vec!["Idle=0,-1000,1000,1".parse().unwrap()];
        let mut ends = Vec::new();
        for seed in 0..200 {
            settings.seed = seed;
            let mut random = ChaCha8Rng::seed_from_u64(seed + 7);
            let mut spsa = Spsa::new(settings.clone(), &[]);
            while let trials @ [_, ..] = spsa.batch(5).as_slice() {
                let differences: Vec<f64> =
                    trials.iter().map(|_| if random.random() { 1.0 } else { -1.0 }).collect();
                spsa.learn(trials, &differences, Mishaps::default());
            }
            ends.push(spsa.values()[0]);
        }
        let square: f64 = (1..=1000)
            .map(|k| {
                let k = f64::from(k);
                (0.01 * (1100.0 / (100.0 + k)).powf(0.602) * (k / 1000.0).powf(0.101)).powi(2)
            })
            .sum();
        let mean = ends.iter().sum::<f64>() / 200.0;
        let spread = (ends.iter().map(|x| x * x).sum::<f64>() / 200.0 / square).sqrt();
        assert!(mean.abs() < 4.0 * (square / 200.0).sqrt(), "mean {mean}");
        assert!((0.8..1.2).contains(&spread), "{spread} times the spread of the walk");
    }

    #[test]
    fn versions_keep_their_bounds_and_their_mean() {
        let settings = settings(0.02, 4000, 9);
        let spsa = Spsa::new(settings.clone(), &[]);
        let trials = spsa.batch(4000);
        for (index, param) in settings.params.iter().enumerate() {
            let all = || trials.iter().map(|trial| (trial.plus[index] as f64, trial.minus[index] as f64));
            assert!(
                all().all(
                    |(a, b)| (param.min..=param.max).contains(&a) && (param.min..=param.max).contains(&b)
                )
            );
            let mean = all().map(|(a, b)| (a + b) / 2.0).sum::<f64>() / 4000.0;
            assert!((mean - param.start).abs() < 0.05, "{}: {mean}", param.name);
            // The distance is 2 c at the end, and wider before: by 1 / (1 - 0.101) on average.
            let distance = all().map(|(a, b)| (a - b).abs()).sum::<f64>() / 4000.0 / (2.0 * param.c);
            assert!((1.07..1.15).contains(&distance), "{}: {distance}", param.name);
        }
    }

    #[test]
    fn a_run_goes_on_where_it_was() {
        let whole = run(settings(0.02, 64, 5), 8);
        let mut random = ChaCha8Rng::seed_from_u64(1005);
        let mut lessons: Vec<Lesson> = Vec::new();
        loop {
            // Killed after every batch.
            let mut spsa = Spsa::new(settings(0.02, 64, 5), &lessons);
            let trials = spsa.batch(8);
            if trials.is_empty() {
                assert_eq!((spsa.values(), spsa.chance()), (whole.values(), whole.chance()));
                return;
            }
            let differences: Vec<f64> =
                trials.iter().map(|trial| play(spsa.settings(), trial, &mut random)).collect();
            let lesson = spsa.learn(&trials, &differences, Mishaps::default());
            let line = serde_json::to_string(&lesson).unwrap();
            lessons.push(serde_json::from_str(&line).unwrap());
        }
    }

    /// Four pairs at a rate of 0.5: stability is 0.4, so the steps are 0.5 (4.4 / (0.4 + k))^0.602 (k / 4)^0.101, for
    /// k = 1 and 3 the numbers below, worked out apart. The second pair taught nothing, the third one doubly.
    #[test]
    fn chance_is_the_root_of_the_squares_of_the_steps() {
        let lesson = |pairs: usize, differences: &[f64], mishaps| Lesson {
            pairs,
            differences: differences.to_vec(),
            values: vec![0.0; 4],
            mishaps,
        };
        let [none, some] = [Mishaps::default(), Mishaps { lost_on_time: 2, skipped: 1 }];
        let lessons = [lesson(1, &[1.0], none), lesson(2, &[0.0], some), lesson(3, &[-2.0], some)];
        let spsa = Spsa::new(settings(0.5, 4, 1), &lessons);
        let [first, third] = [0.866066777, 0.567230265_f64];
        let expected = f64::hypot(first, 2.0 * third);
        assert!((spsa.chance() - expected).abs() < 1e-6, "{}, not {expected}", spsa.chance());
        assert_eq!(spsa.mishaps(), Mishaps { lost_on_time: 4, skipped: 2 });
        // A lesson without mishaps is written as ever, and read.
        let line = serde_json::to_string(&lessons[0]).unwrap();
        assert!(!line.contains("mishaps"), "{line}");
        assert_eq!(serde_json::from_str::<Lesson>(&line).unwrap(), lessons[0]);
    }

    #[test]
    fn parameters_are_read_or_refused() {
        let param: Param = "reduction_base = 75, 0, 200, 12.5".parse().unwrap();
        assert_eq!(
            (param.name.as_str(), param.start, param.max, param.c),
            ("reduction_base", 75.0, 200.0, 12.5)
        );
        for (text, says) in [
            ("X", "there is no `=`"),
            ("X=1,2", "four values"),
            ("X=1,a,3,4", "not a number"),
            ("X=9,0,5,1", "between MIN and MAX"),
            ("X=1,0,5.5,1", "whole numbers"),
            ("X=1,0,5,0", "greater than 0"),
            ("X=nan,0,5,1", "between"),
            (" =1,0,5,1", "no name"),
        ] {
            let error = text.parse::<Param>().unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
