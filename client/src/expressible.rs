//! Which limits a protocol has words for.
//!
//! UCI counts milliseconds. Xboard's `st` is whole seconds. So is the base of its `level`, but the clock itself is told
//! before every move by `time`, in hundredths of a second, and the increment may have decimals. A clock, a
//! time and a number of nodes for each move exclude each other there: `level`, `st` and `nps` replace one
//! another.

use std::time::Duration;

use super::config::{Limits, Protocol};

/// A limit that a protocol has no words for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Inexpressible {
    /// A time for each move that is not a whole number of seconds, in xboard's protocol.
    #[error(
        "the xboard protocol cannot express {} s a move: its `st` counts whole seconds (use st={}, or a tc=)",
        .0.as_secs_f64(), .0.as_secs() + 1
    )]
    MoveTime(Duration),
    /// An increment or a clock finer than a millisecond, in UCI.
    #[error("the UCI protocol cannot express {} s: its smallest time is one millisecond", .0.as_secs_f64())]
    BelowMillisecond(Duration),
    /// A clock of less than a hundredth of a second, in xboard's protocol.
    #[error("the xboard protocol cannot express a clock of {} s: it counts hundredths", .0.as_secs_f64())]
    BelowCentisecond(Duration),
    /// More than one of a clock, a time and a number of nodes for each move, in xboard's protocol.
    #[error(
        "the xboard protocol cannot express more than one of a clock, a time and nodes (tc=, st=, nodes=)"
    )]
    Together,
}

/// Can an engine of this protocol be told these limits as they are?
///
/// # Errors
/// The first limit that it cannot be told.
pub fn expressible(protocol: Protocol, limits: &Limits) -> Result<(), Inexpressible> {
    match protocol {
        Protocol::Uci => {
            let clock = limits.clock.iter().flat_map(|clock| [clock.base, clock.increment]);
            let finer = |time: &Duration| !time.subsec_nanos().is_multiple_of(1_000_000);
            clock
                .chain(limits.move_time)
                .find(finer)
                .map_or(Ok(()), |t| Err(Inexpressible::BelowMillisecond(t)))
        }
        Protocol::Xboard => {
            let Limits { clock, move_time, nodes, .. } = limits;
            let kinds = [clock.is_some(), move_time.is_some(), nodes.is_some()];
            if kinds.into_iter().filter(|&set| set).count() > 1 {
                return Err(Inexpressible::Together);
            }
            let move_time = limits.move_time.filter(|time| time.subsec_nanos() != 0);
            move_time.map_or(Ok(()), |time| Err(Inexpressible::MoveTime(time)))?;
            let clock = limits.clock.map(|clock| clock.base + clock.increment);
            let clock = clock.filter(|&clock| clock < Duration::from_millis(10));
            clock.map_or(Ok(()), |clock| Err(Inexpressible::BelowCentisecond(clock)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(tc: &str, st: &str) -> Limits {
        let clock = (!tc.is_empty()).then(|| tc.parse().unwrap());
        let move_time = (!st.is_empty()).then(|| Duration::from_secs_f64(st.parse().unwrap()));
        Limits { clock, move_time, ..Limits::default() }
    }

    #[test]
    fn a_time_that_a_protocol_cannot_express_is_an_error() {
        use Protocol::{Uci, Xboard};
        for (protocol, tc, st, fine) in [
            (Uci, "8+0.08", "", true),
            (Uci, "", "0.001", true),
            (Uci, "", "0.0005", false),
            (Uci, "0.0001", "", false),
            (Xboard, "", "1", true),
            (Xboard, "", "86400", true),
            (Xboard, "", "0.5", false),
            (Xboard, "", "1.5", false),
            (Xboard, "40/60", "", true),
            (Xboard, "10+0.1", "", true),
            (Xboard, "0.5+0.05", "", true),
            (Xboard, "8+0.005", "", true),
            (Xboard, "0+0.01", "", true),
            (Xboard, "0.009", "", false),
        ] {
            let told = expressible(protocol, &limits(tc, st));
            assert_eq!(told.is_ok(), fine, "{protocol:?} tc={tc} st={st}: {told:?}");
        }
        let half = expressible(Xboard, &limits("", "0.5")).unwrap_err();
        assert_eq!(
            half.to_string(),
            "the xboard protocol cannot express 0.5 s a move: its `st` counts whole seconds (use st=1, or a tc=)"
        );
    }

    /// By engine-intf.html `level` and `st` are not used together; `nps` comes behind an `st` of its own.
    #[test]
    fn xboard_engines_have_one_kind_of_limit_beside_the_depth() {
        let depth = Some(1);
        for (tc, st, nodes, fine) in [
            ("10", "", None, true),
            ("", "1", None, true),
            ("", "", Some(1), true),
            ("10", "1", None, false),
            ("10", "", Some(1), false),
            ("", "1", Some(1), false),
        ] {
            let limits = Limits { depth, nodes, ..limits(tc, st) };
            let expected = if fine { Ok(()) } else { Err(Inexpressible::Together) };
            assert_eq!(expressible(Protocol::Xboard, &limits), expected, "tc={tc} st={st} nodes={nodes:?}");
            assert_eq!(expressible(Protocol::Uci, &limits), Ok(()));
        }
    }
}
