//! What we tell xboard about ourselves: the `feature` lines.
//!
//! Option names lose their blanks, because a client that splits them at blanks would lose the engine, and the
//! prefix `UCI_`. Options that have a command of their own (`cores`, `memory`, `egtpath`) are left out.

use super::reply::Reply;
use crate::option::{self, OptionKind, OptionSpec};
use crate::session::Identity;
use crate::session::driver::Driver;
use crate::settings;

/// Resigning is off unless the user asks for it.
pub(super) const RESIGN: &str = "Resign";
/// How the names of those options begin whose meaning the text of UCI defines.
const PREFIX: &str = "UCI_";
/// The brain's option that `egtpath syzygy` sets.
pub(super) const TABLE_PATH: &str = "SyzygyPath";

/// Features that do not depend on the brain. Scid looks for some of them by their exact text.
const FIXED: [&str; 2] = [
    "ping=1 setboard=1 playother=1 usermove=1 san=0 colors=0 sigint=0 sigterm=0 reuse=1 analyze=1",
    "time=1 draw=1 name=1 ics=0 pause=1 nps=1 debug=1 memory=1 smp=1 exclude=1",
];

/// Everything that answers `protover 2`. `done=0` comes first: the client then waits as long as it takes.
pub(super) fn replies(driver: &Driver, identity: &Identity) -> Vec<Reply> {
    let name = identity.name.replace('"', "'");
    let mut features = vec!["done=0".to_string()];
    features.push(format!("myname=\"{name}\" variants=\"normal,fischerandom\""));
    features.extend(FIXED.map(String::from));
    if driver.brain.options().iter().any(|spec| spec.name == TABLE_PATH) {
        features.push("egt=\"syzygy\"".into());
    }
    features.extend(options(driver).iter().map(|spec| format!("option=\"{}\"", describe(spec))));
    features.push("done=1".into());
    features.into_iter().map(Reply::Feature).collect()
}

/// The options an xboard user sees.
pub(super) fn options(driver: &Driver) -> Vec<OptionSpec> {
    let mut specs = settings::specs(driver);
    specs.retain(|spec| ![settings::THREADS, settings::HASH, TABLE_PATH].contains(&spec.name.as_str()));
    specs.push(OptionSpec::check(RESIGN, false));
    specs
}

/// An option's name as xboard's users see it.
fn shown(name: &str) -> String {
    let name: String = name.split_whitespace().collect();
    match name.split_at_checked(PREFIX.len()) {
        Some((start, rest)) if start.eq_ignore_ascii_case(PREFIX) => rest.into(),
        _ => name,
    }
}

/// Do both mean the same option? Users may write it as they see it here or in a UCI program.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    option::is_same(&shown(one), &shown(other))
}

fn describe(spec: &OptionSpec) -> String {
    let name = shown(&spec.name);
    match &spec.kind {
        OptionKind::Check { default } => format!("{name} -check {}", u8::from(*default)),
        OptionKind::Spin { default, min, max } => format!("{name} -spin {default} {min} {max}"),
        OptionKind::Combo { default, values } => {
            let marked = |value: &String| if value == default { format!("*{value}") } else { value.clone() };
            format!("{name} -combo {}", values.iter().map(marked).collect::<Vec<_>>().join(" /// "))
        }
        OptionKind::Text { default } => format!("{name} -string {default}"),
        OptionKind::Button => format!("{name} -button"),
    }
}
