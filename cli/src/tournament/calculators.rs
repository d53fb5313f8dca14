//! `firstborn sprt` and `firstborn elo`: the statistics of results that are already there.

use std::process::ExitCode;

use ::tournament::keys::pairs;
use ::tournament::stats::elo::{Estimate, Z95, from_games, from_pairs};
use ::tournament::stats::simulate::simulate;
use ::tournament::stats::sprt::{MOST_ELO, Model, Sprt, Verdict};
use ::tournament::stats::{Pairs, Wdl};
use ::tournament::summary::{estimate_json, plus_minus};
use ::tournament::wording::rounded;
use anyhow::{Context, anyhow, bail, ensure};
use serde_json::{Value, json};

/// Results of a match, seen from the first player's side.
#[derive(clap::Args, Debug)]
pub struct Results {
    /// Pairs of games with 0, ½, 1, 1½ and 2 points: five numbers
    #[arg(long, value_name = "N0,N1,N2,N3,N4", value_delimiter = ',', num_args = 1..=5, conflicts_with = "wdl")]
    pairs: Option<Vec<u64>>,
    /// Games won, drawn and lost: three numbers
    #[arg(long, value_name = "W,D,L", value_delimiter = ',', num_args = 1..=3)]
    wdl: Option<Vec<u64>>,
}

#[derive(Clone, Copy)]
enum Given {
    Pairs(Pairs),
    Games(Wdl),
}

/// More games than a match will ever have; sums of counts below it are exact.
const MOST_COUNTED: u64 = 1 << 50;

impl Results {
    fn given(&self) -> anyhow::Result<Given> {
        let counts = self.pairs.iter().chain(&self.wdl).flatten();
        if let Some(count) = counts.copied().find(|&count| count > MOST_COUNTED) {
            bail!("{count}: a count goes up to {MOST_COUNTED}");
        }
        match (&self.pairs, &self.wdl) {
            (Some(pairs), _) => {
                let &[a, b, c, d, e] = pairs.as_slice() else {
                    bail!("--pairs takes five numbers: pairs with 0, ½, 1, 1½ and 2 points");
                };
                Ok(Given::Pairs(Pairs([a, b, c, d, e])))
            }
            (None, Some(wdl)) => {
                let &[wins, draws, losses] = wdl.as_slice() else {
                    bail!("--wdl takes three numbers: wins, draws, losses");
                };
                Ok(Given::Games(Wdl { wins, draws, losses }))
            }
            (None, None) => bail!("no results: give --pairs N0,N1,N2,N3,N4 or --wdl W,D,L"),
        }
    }
}

const COUNTS_GAMES: &str = "SPRT: the models bayesian and cutechess count single games";

/// The numbers of a sequential test.
#[derive(clap::Args, Debug, Clone, Copy)]
struct SprtOptions {
    /// Elo of the null hypothesis
    #[arg(long, default_value_t = Sprt::default().elo0, allow_negative_numbers = true)]
    elo0: f64,
    /// Elo of the alternative
    #[arg(long, default_value_t = Sprt::default().elo1, allow_negative_numbers = true)]
    elo1: f64,
    /// Chance to accept elo1 where elo0 is true
    #[arg(long, default_value_t = Sprt::default().alpha)]
    alpha: f64,
    /// Chance to accept elo0 where elo1 is true
    #[arg(long, default_value_t = Sprt::default().beta)]
    beta: f64,
    /// normalized, logistic, bayesian (fastchess's, by games) or cutechess (cutechess-cli's, by games)
    #[arg(long, default_value = "normalized", value_parser = |s: &str| s.parse::<Model>())]
    model: Model,
}

/// The keys of a test in words.
pub const SPRT_KEYS: [&str; 6] = ["elo0", "elo1", "alpha", "beta", "model", "stats"];

/// Reads the list of an engine runner's `-sprt`: the test, and whether pairs are counted (`stats=pentanomial`, or
/// `by_pairs` where it does not say).
pub fn read_sprt(text: &str, by_pairs: bool) -> anyhow::Result<(Sprt, bool)> {
    let (mut sprt, mut pentanomial) = (Sprt::default(), None);
    for pair in pairs("--sprt", &SPRT_KEYS, text)? {
        match pair.key {
            "elo0" => sprt.elo0 = pair.number(-MOST_ELO..=MOST_ELO)?,
            "elo1" => sprt.elo1 = pair.number(-MOST_ELO..=MOST_ELO)?,
            "alpha" => sprt.alpha = pair.number(0.0..=0.5)?,
            "beta" => sprt.beta = pair.number(0.0..=0.5)?,
            "model" => sprt.model = pair.value.parse().map_err(|why: String| pair.bad(why))?,
            _ => {
                pentanomial = match pair.value {
                    "pentanomial" => Some(true),
                    "trinomial" => Some(false),
                    _ => return Err(pair.bad("is neither pentanomial nor trinomial").into()),
                }
            }
        }
    }
    sprt.check().map_err(|e| anyhow!(e))?;
    let counts_games = sprt.model.counts_games();
    ensure!(!(counts_games && pentanomial == Some(true)), "{COUNTS_GAMES}, not stats=pentanomial");
    Ok((sprt, pentanomial.unwrap_or(by_pairs) && !counts_games))
}

impl From<SprtOptions> for Sprt {
    fn from(options: SprtOptions) -> Self {
        let SprtOptions { elo0, elo1, alpha, beta, model } = options;
        Self { elo0, elo1, alpha, beta, model }
    }
}

/// The log-likelihood ratio of match results and what it means
#[derive(clap::Args)]
pub struct SprtArgs {
    #[command(flatten)]
    results: Results,
    #[command(flatten)]
    options: SprtOptions,
    /// Also simulate this many matches at elo0 and as many at elo1, between players whose pairs come out like --pairs,
    /// and report the test's error rates
    #[arg(
        long, value_name = "MATCHES", requires = "pairs", conflicts_with = "wdl",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    simulate: Option<u64>,
    /// The seed of the simulated matches
    #[arg(long, default_value_t = 1, requires = "simulate", conflicts_with = "wdl")]
    seed: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// A rate of wrong verdicts with its 95 % interval (Wilson, *Probable inference*, 1927).
fn wrong_rate(wrong: u64, matches: u64) -> Value {
    let (n, p) = (matches as f64, wrong as f64 / matches as f64);
    let scale = 1.0 + Z95 * Z95 / n;
    let middle = (p + Z95 * Z95 / (2.0 * n)) / scale;
    let half = Z95 * (p * (1.0 - p) / n + Z95 * Z95 / (4.0 * n * n)).sqrt() / scale;
    json!({ "wrong": wrong, "rate": p, "low": (middle - half).max(0.0), "high": (middle + half).min(1.0) })
}

/// Both hypotheses' matches, as one JSON value.
fn simulation(sprt: &Sprt, shape: Pairs, matches: u64, seed: u64) -> Value {
    let null = simulate(sprt, sprt.elo0, shape, matches, seed);
    let alternative = simulate(sprt, sprt.elo1, shape, matches, seed.wrapping_add(1));
    let mut result = json!({ "matches": matches });
    for (key, verdicts, wrong) in [("elo0", null, null.h1), ("elo1", alternative, alternative.h0)] {
        result[key] = wrong_rate(wrong, matches);
        result[key]["mean_pairs"] = json!(verdicts.mean_pairs());
    }
    result
}

fn print_simulation(simulation: &Value, sprt: &Sprt) {
    for (key, elo, stated) in [("elo0", sprt.elo0, sprt.alpha), ("elo1", sprt.elo1, sprt.beta)] {
        let number = |name: &str| simulation[key][name].as_f64().unwrap_or(f64::NAN);
        println!(
            "at {elo}: {} of {} verdicts wrong, {:.2} % [{:.2}, {:.2}], stated {:.2} %; {:.0} pairs each",
            simulation[key]["wrong"],
            simulation["matches"],
            number("rate") * 100.0,
            number("low") * 100.0,
            number("high") * 100.0,
            stated * 100.0,
            number("mean_pairs")
        );
    }
}

/// Runs `firstborn sprt`.
pub fn run_sprt(args: &SprtArgs) -> anyhow::Result<ExitCode> {
    let sprt = Sprt::from(args.options);
    sprt.check().map_err(|e| anyhow!(e))?;
    let given = args.results.given()?;
    let of_pairs = matches!(given, Given::Pairs(_));
    ensure!(!(sprt.model.counts_games() && of_pairs), "{COUNTS_GAMES}: give --wdl, not --pairs");
    let llr = match given {
        Given::Pairs(pairs) => sprt.llr_of_pairs(pairs),
        Given::Games(wdl) => sprt.llr_of_games(wdl),
    };
    let simulation = match (given, args.simulate) {
        (Given::Pairs(shape), Some(matches)) => Some(simulation(&sprt, shape, matches, args.seed)),
        _ => None,
    };
    let (lower, upper) = sprt.bounds();
    let verdict = match sprt.verdict(llr) {
        Verdict::H0 => "H0 accepted",
        Verdict::H1 => "H1 accepted",
        Verdict::Continue => "undecided",
    };
    if args.json {
        let mut document =
            json!({ "schema": 1, "llr": llr, "lower": lower, "upper": upper, "verdict": verdict });
        if let Some(simulation) = simulation {
            document["simulation"] = simulation;
        }
        println!("{document}");
    } else {
        println!(
            "LLR {} ({lower:.2}, {upper:.2}) [{}, {}] {}: {verdict}",
            rounded(llr, 2),
            sprt.elo0,
            sprt.elo1,
            sprt.model.unit()
        );
        if let Some(simulation) = &simulation {
            print_simulation(simulation, &sprt);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Elo difference, error, normalized Elo and likelihood of superiority of match results
///
/// Errors are half of a 95 % interval in the normal approximation, as fastchess prints them; with few pairs that is too
/// narrow (that of normalized Elo also where one player is much stronger), so the interval that a tournament's report
/// gives Elo is printed as well. Where that has no interval (below ten pairs, or if all ended alike) there is no
/// likelihood of superiority either. With --json the names are those of a report's `match`: `elo_error` and
/// `nelo_error` are a report's intervals, `elo_error_normal` and `nelo_error_normal` those of fastchess.
#[derive(clap::Args)]
pub struct EloArgs {
    #[command(flatten)]
    results: Results,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs `firstborn elo`.
pub fn run_elo(args: &EloArgs) -> anyhow::Result<ExitCode> {
    let estimate = match args.results.given()? {
        Given::Pairs(pairs) => from_pairs(pairs),
        Given::Games(wdl) => from_games(wdl),
    };
    let estimate = estimate.context("no games")?;
    let Estimate { score, elo, error, interval, nelo, nelo_error, los, .. } = estimate;
    if args.json {
        let mut document = estimate_json(&estimate);
        document["schema"] = json!(1);
        document["score"] = json!(score);
        println!("{document}");
    } else {
        println!("Elo  {}\nnElo {}", plus_minus(elo, error), plus_minus(nelo, nelo_error));
        let los = los.map_or_else(|| "?".to_owned(), |los| format!("{:.2} %", los * 100.0));
        println!("LOS  {los}\nScore {:.2} %", score * 100.0);
        if interval.is_finite() {
            println!(
                "Elo {}, with the small-sample interval of a tournament's report",
                plus_minus(elo, interval)
            );
        } else {
            println!("Too few games, or too like each other, for the interval of a tournament's report");
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As tables of Wilson's interval have it; with no wrong verdict it reaches to z² / (n + z²), worked out by hand.
    #[test]
    fn the_rate_of_wrong_verdicts_has_wilsons_interval() {
        for (wrong, rate, low, high) in
            [(1, 0.05, 0.0089, 0.2361), (0, 0.0, 0.0, 0.1611), (20, 1.0, 0.8389, 1.0)]
        {
            let told = wrong_rate(wrong, 20);
            for (key, value) in [("rate", rate), ("low", low), ("high", high)] {
                let number = told[key].as_f64().unwrap();
                assert!((number - value).abs() < 0.00005, "{wrong} of 20: {key} is {number}");
            }
        }
    }

    /// Wald's bounds: a false H1 is as rare as alpha says, a false H0 as beta says.
    #[test]
    fn a_test_has_the_error_rates_of_its_words() {
        let (sprt, by_pairs) = read_sprt("elo0=-1 elo1=4 alpha=0.01 beta=0.2", true).unwrap();
        assert_eq!((sprt.elo0, sprt.elo1, by_pairs), (-1.0, 4.0, true));
        let (lower, upper) = sprt.bounds();
        let (low, high) = ((0.2 / 0.99_f64).ln(), (0.8 / 0.01_f64).ln());
        assert!((lower - low).abs() < 1e-9 && (upper - high).abs() < 1e-9, "{sprt:?}");
    }
}
