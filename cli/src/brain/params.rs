//! The search's numbers as options, in a program built with the feature `tuning`; in others there are none.

use engine::params::{Param, Tuning};
use protocol::option::{OptionSpec, Value};

/// What a user may set.
pub(super) fn options() -> impl Iterator<Item = OptionSpec> {
    let spin = |p: &Param| OptionSpec::spin(p.name, p.default.into(), p.min.into(), p.max.into());
    Tuning::OFFERED.iter().map(spin)
}

/// Sets an option; `None` if it is none of these.
pub(super) fn set(params: &mut Tuning, name: &str, value: &Value) -> Option<Result<(), String>> {
    let &Value::Spin(number) = value else { return None };
    // The session has checked the range, which is far within that of the type.
    let number = i32::try_from(number).ok()?;
    params.set(name, number).then_some(Ok(()))
}
