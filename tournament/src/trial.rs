//! Every engine is started once before any game: a program that does not start, an option it does not have or
//! a limit it cannot keep is better told now than found in the results.

use std::sync::Arc;

use chess::Position;
use client::{
    Client, EngineConfig, Failure, FailureKind, GameSetup, Launcher, OptionError, Protocol, expressible,
};
use crossbeam::channel;

use crate::doubts::{complaints, lead_nowhere, refusal};
use crate::identity::{FileIdentity, running};
use crate::program::{command_text, explain};
use crate::runner::{GroupLauncher, Plan};
use crate::spec::Player;
use crate::worker::overstays;

/// A player that cannot play.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("player `{player}`, `{command}`: {why}")]
pub struct TrialError {
    /// Its name.
    pub player: String,
    /// Its command.
    pub command: String,
    /// What keeps it from playing.
    pub why: String,
    /// The option that it was given and does not have, if it is that.
    pub missing_option: Option<String>,
}

/// What an engine says of itself when it is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Greeting {
    /// The protocol that it was greeted in.
    pub protocol: Option<Protocol>,
    /// It has answered the greeting. One that has not is taken to speak version 1 of xboard's protocol.
    pub greeted: bool,
    /// It said nothing at all in all its time to start.
    pub silent: bool,
    /// What it calls itself.
    pub name: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its number of threads and its hash size, as set or by its own default; none if it has no such option.
    pub threads: Option<String>,
    /// See `threads`.
    pub hash: Option<String>,
    /// Of the options that it was given, the values that they have without being set.
    pub defaults: Vec<(String, String)>,
    /// Options that it does not take and that were left out, and why ([`client::EngineConfig::lenient`]).
    pub left_out: Vec<OptionError>,
    /// What speaks against its playing with the options that it was given, and does not keep it from playing: a file
    /// that is not there, words of its own about a failure, that it has to be killed when it is to leave.
    pub doubts: Vec<String>,
    /// The programs that its processes run, where they are others than its command.
    pub running: Vec<FileIdentity>,
}

impl Greeting {
    /// Has the protocol that was found out hold for the engine's further starts: one that speaks both, and is slow at
    /// a later start, must not change from one to the other, and one that has greeted must do so again.
    pub fn settle(&self, engine: &mut EngineConfig) {
        engine.greets |= self.greeted;
        engine.protocol = self.protocol;
    }

    /// The value that an option which it was given has without being set.
    #[must_use]
    pub fn default_of(&self, name: &str) -> Option<&str> {
        let found = self.defaults.iter().find(|(option, _)| option.eq_ignore_ascii_case(name));
        found.map(|(_, default)| default.as_str())
    }
}

/// Starts every engine once; returns what they say of themselves. The protocols that were found out hold for the plan's
/// games.
///
/// # Errors
/// The first that cannot play, or cannot be told of one of the plan's openings, and why.
pub fn try_engines(plan: &mut Plan) -> Result<Vec<Greeting>, TrialError> {
    let Plan { conditions, schedule, book, .. } = plan;
    let chess960 = conditions.chess960 || book.is_chess960();
    let (book, wanted) = (&*book, schedule.openings().min(book.len()));
    // One that cannot be read any more is told of when a game is to begin with it.
    let start = move |number| Some(book.opening(number).ok()?.start.clone());
    let mut greetings: Vec<Greeting> = Vec::new();
    for player in &mut conditions.players {
        // What one player's script starts is often what another's does.
        let known: Vec<FileIdentity> =
            greetings.iter().flat_map(|greeting| &greeting.running).cloned().collect();
        let greeting = greeting_of(player, chess960, &known, (0..wanted).filter_map(start))?;
        greeting.settle(&mut player.engine);
        greetings.push(greeting);
    }
    Ok(greetings)
}

/// Starts an engine once, with its options, has it begin a game under its limits, and lets it go. Returns what it says
/// of itself. `known`: programs that need not be read again where its processes run them.
///
/// # Errors
/// What is wrong with it, whatever it is.
pub fn try_engine(player: &Player, chess960: bool, known: &[FileIdentity]) -> Result<Greeting, TrialError> {
    greeting_of(player, chess960, known, std::iter::empty())
}

/// The same of an engine whose games begin in these positions.
fn greeting_of(
    player: &Player,
    chess960: bool,
    known: &[FileIdentity],
    starts: impl Iterator<Item = Position>,
) -> Result<Greeting, TrialError> {
    let error = |why: String| TrialError {
        player: player.name.clone(),
        command: command_text(&player.engine),
        why,
        missing_option: None,
    };
    let launcher: Arc<dyn Launcher> = Arc::new(GroupLauncher::default());
    let mut client = Client::start(&player.engine, &launcher, &channel::never()).map_err(|failure| {
        TrialError { missing_option: missing_option(&failure), ..error(explain(&player.engine, &failure)) }
    })?;
    let silent = !client.has_spoken();
    let doubts = doubts(&player.engine, &client).map_err(error)?;
    expressible(client.protocol(), &player.limits).map_err(|limit| error(limit.to_string()))?;
    let (start, limits) = (Position::startpos(), player.limits);
    let setup = GameSetup { start: &start, fen: None, chess960, limits, opponent: "nobody" };
    client.new_game(&setup).map_err(|failure| error(not_ready(&failure)))?;
    client.check_starts(starts).map_err(|failure| error(not_ready(&failure)))?;
    let given = player.engine.options.iter();
    let default_of = |name: &String| Some((name.clone(), client.default_of(name)?.to_owned()));
    let defaults = given.filter_map(|(name, _)| default_of(name)).collect();
    let mut greeting = Greeting {
        protocol: Some(client.protocol()),
        greeted: client.greeted(),
        silent,
        name: client.name().map(str::to_owned),
        author: client.author().map(str::to_owned),
        threads: client.option("Threads"),
        hash: client.option("Hash"),
        defaults,
        left_out: client.left_out().to_vec(),
        doubts,
        running: running(client.process_id(), &player.engine, known),
    };
    if !client.quit() {
        greeting.doubts.push(overstays(player.engine.quit_timeout));
    }
    Ok(greeting)
}

/// What speaks against its playing with its options.
///
/// # Errors
/// It says itself that it has not done what one of them asks.
fn doubts(engine: &EngineConfig, client: &Client) -> Result<Vec<String>, String> {
    let mut doubts = lead_nowhere(engine, |name| client.default_of(name).map(str::to_owned));
    if let Some(words) = refusal(client.said(), client.name(), engine) {
        let why = format!("it does not do what an option or initstr= asks, and says: {words}");
        return Err(std::iter::once(why).chain(doubts).collect::<Vec<_>>().join("; "));
    }
    doubts.extend(complaints(client.said()).map(|words| format!("to its options it says: {words}")));
    if engine.ponder && !client.ponders() {
        doubts.push("it has no option `Ponder`: it does not ponder".to_owned());
    }
    Ok(doubts)
}

/// The option that the engine does not have, if that is the failure.
fn missing_option(failure: &Failure) -> Option<String> {
    match &failure.kind {
        FailureKind::Option(OptionError::Unknown { name, .. }) => Some(name.clone()),
        _ => None,
    }
}

fn not_ready(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Unable(_) => failure.to_string(),
        _ => format!("it starts, but does not get ready for a game: {failure}"),
    }
}
