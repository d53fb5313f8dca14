//! Options that every session offers, whatever the brain: what they are and what setting them does.

use crate::brain::{DEFAULT_HASH_MIB, MAX_HASH_MIB, MAX_THREADS};
use crate::log::Log;
use crate::option::{OptionSpec, Value};
use crate::session::driver::Driver;
use std::path::Path;
use std::time::Duration;

/// Kept back from every time limit unless the user says otherwise, in milliseconds.
pub const DEFAULT_OVERHEAD_MS: u64 = 10;
/// Most lines reported for one position.
pub const MAX_MULTIPV: i64 = 256;

pub(crate) const THREADS: &str = "Threads";
pub(crate) const HASH: &str = "Hash";
pub(crate) const CLEAR_HASH: &str = "Clear Hash";
pub(crate) const MULTIPV: &str = "MultiPV";
pub(crate) const OVERHEAD: &str = "Move Overhead";
pub(crate) const LOG: &str = "Debug Log File";

/// The options both protocols have, the brain's own last. xboard leaves `Threads` and `Hash` to its commands
/// `cores` and `memory`.
pub(crate) fn specs(driver: &Driver) -> Vec<OptionSpec> {
    let mut specs = vec![
        OptionSpec::spin(THREADS, driver.brain.default_threads() as i64, 1, MAX_THREADS as i64),
        OptionSpec::spin(HASH, DEFAULT_HASH_MIB as i64, 1, MAX_HASH_MIB as i64),
        OptionSpec::button(CLEAR_HASH),
        OptionSpec::spin(MULTIPV, 1, 1, MAX_MULTIPV),
        OptionSpec::spin(OVERHEAD, DEFAULT_OVERHEAD_MS as i64, 0, 5000),
        OptionSpec::text(LOG, ""),
    ];
    specs.extend(driver.brain.options());
    specs
}

/// Sets one of [`specs`]. No search may be running.
///
/// # Errors
/// A text for the user; the old value stays.
pub(crate) fn set(driver: &mut Driver, spec: &OptionSpec, value: &Value) -> Result<(), String> {
    match (spec.name.as_str(), value) {
        (THREADS, &Value::Spin(threads)) => driver.brain.set_threads(threads as usize).map(|_| ()),
        (HASH, &Value::Spin(mib)) => driver.brain.set_hash(mib as usize),
        (CLEAR_HASH, _) => {
            driver.brain.clear_hash();
            Ok(())
        }
        (MULTIPV, &Value::Spin(lines)) => {
            driver.multipv = lines as usize;
            Ok(())
        }
        (OVERHEAD, &Value::Spin(milliseconds)) => {
            driver.overhead = Duration::from_millis(milliseconds as u64);
            Ok(())
        }
        (LOG, Value::Text(path)) => set_log(driver, path),
        (name, value) => driver.brain.set_option(name, value),
    }
}

fn set_log(driver: &mut Driver, path: &str) -> Result<(), String> {
    let open =
        |path| Log::open(Path::new(path)).map_err(|error| format!("cannot write the log {path}: {error}"));
    let log = (!path.is_empty()).then_some(path).map(open).transpose()?;
    driver.set_log(log);
    Ok(())
}
