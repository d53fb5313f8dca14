//! `firstborn sprt` and `firstborn elo`: the statistics of results that are already there.

use std::process::ExitCode;

use ::tournament::stats::elo::{Estimate, from_games, from_pairs};
use ::tournament::stats::sprt::{Model, Sprt, Verdict};
use ::tournament::stats::{Pairs, Wdl};
use ::tournament::summary::plus_minus;
use anyhow::{Context, anyhow, bail};
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

enum Given {
    Pairs(Pairs),
    Games(Wdl),
}

impl Results {
    fn given(&self) -> anyhow::Result<Given> {
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

/// The numbers of a sequential test.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct SprtOptions {
    /// Elo of the null hypothesis
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Elo of the alternative
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Chance to accept elo1 where elo0 is true
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Chance to accept elo0 where elo1 is true
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// normalized or logistic
    #[arg(long, default_value = "normalized", value_parser = |s: &str| s.parse::<Model>())]
    model: Model,
}

impl Default for SprtOptions {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Normalized }
    }
}

impl SprtOptions {
    /// Takes one `key=value` of an engine runner's `-sprt`.
    pub fn set(&mut self, key: &str, value: &str) -> anyhow::Result<()> {
        let number = || value.parse::<f64>().with_context(|| format!("--sprt: {key}={value} is no number"));
        match key {
            "elo0" => self.elo0 = number()?,
            "elo1" => self.elo1 = number()?,
            "alpha" => self.alpha = number()?,
            "beta" => self.beta = number()?,
            "model" => self.model = value.parse().map_err(|e: String| anyhow!(e))?,
            _ => bail!("--sprt: unknown key `{key}`; known are elo0, elo1, alpha, beta, model, stats"),
        }
        Ok(())
    }
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
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs `firstborn sprt`.
pub fn run_sprt(args: &SprtArgs) -> anyhow::Result<ExitCode> {
    let sprt = Sprt::from(args.options);
    sprt.check().map_err(|e| anyhow!(e))?;
    let llr = match args.results.given()? {
        Given::Pairs(pairs) => sprt.llr_of_pairs(pairs),
        Given::Games(wdl) => sprt.llr_of_games(wdl),
    };
    let (lower, upper) = sprt.bounds();
    let verdict = match sprt.verdict(llr) {
        Verdict::H0 => "H0 accepted",
        Verdict::H1 => "H1 accepted",
        Verdict::Continue => "undecided",
    };
    if args.json {
        let document = json!({ "schema": 1, "llr": llr, "lower": lower, "upper": upper, "verdict": verdict });
        println!("{document}");
    } else {
        println!("LLR {llr:.2} ({lower:.2}, {upper:.2}) [{}, {}]: {verdict}", sprt.elo0, sprt.elo1);
    }
    Ok(ExitCode::SUCCESS)
}

/// Elo difference, error, normalized Elo and likelihood of superiority of match results
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
    let Estimate { score, elo, error, nelo, nelo_error, los } = estimate.context("no games")?;
    if args.json {
        let finite = |value: f64| if value.is_finite() { json!(value) } else { Value::Null };
        let document = json!({
            "schema": 1, "score": score, "elo": finite(elo), "elo_error": finite(error),
            "nelo": finite(nelo), "nelo_error": finite(nelo_error), "los": los,
        });
        println!("{document}");
    } else {
        println!("Elo  {}\nnElo {}", plus_minus(elo, error), plus_minus(nelo, nelo_error));
        println!("LOS  {:.2} %\nScore {:.2} %", los * 100.0, score * 100.0);
    }
    Ok(ExitCode::SUCCESS)
}
