//! Which evaluation the engine plays with: the options `Eval` and `EvalFile`.
//!
//! The two may come in either order. A file that cannot be used leaves everything as it was.

use nnue::{LoadError, Network};
use protocol::option::{OptionSpec, Value};
use smp::pool::Pool;
use std::path::Path;
use std::sync::Arc;

const EVAL: &str = "Eval";
const EVAL_FILE: &str = "EvalFile";
const CLASSIC: &str = "classic";
const NETWORK: &str = "network";

/// What the user wants, and the network loaded.
#[derive(Default)]
pub(super) struct Evaluation {
    wants_network: bool,
    network: Option<Arc<Network>>,
}

/// What a user may set.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![OptionSpec::combo(EVAL, &[CLASSIC, NETWORK]), OptionSpec::text(EVAL_FILE, "")]
}

impl Evaluation {
    /// The network that evaluates, if one does.
    pub(super) fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref().filter(|_| self.wants_network)
    }

    /// Sets an option; `None` if it is none of the evaluation's.
    pub(super) fn set(&mut self, name: &str, value: &Value, pool: &mut Pool) -> Option<Result<(), String>> {
        match (name, value) {
            (EVAL, Value::Text(text)) => {
                self.wants_network = text == NETWORK;
                if self.wants_network && self.network.is_none() {
                    return Some(Err(format!(
                        "no network is loaded: the hand-made evaluation plays until {EVAL_FILE} names one"
                    )));
                }
            }
            (EVAL_FILE, Value::Text(path)) => match load(path) {
                Ok(network) => self.network = network,
                Err(error) => return Some(Err(error)),
            },
            _ => return None,
        }
        pool.set_network(self.network().cloned());
        Some(Ok(()))
    }
}

/// The network of a file; none for an empty name.
fn load(name: &str) -> Result<Option<Arc<Network>>, String> {
    if name.is_empty() {
        return Ok(None);
    }
    match Network::load(Path::new(name)) {
        Ok(network) => Ok(Some(Arc::new(network))),
        // No word of the system's about the reason: xboard takes some of those for the engine's death.
        Err(LoadError::Read { .. }) => Err(format!("the network {name} cannot be read")),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::Parameters;
    use nnue::features::FEATURES;

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    fn network_file(folder: &Path) -> String {
        let hidden = 32;
        let network = Network::new(Parameters {
            hidden,
            buckets: 1,
            feature_weights: vec![1; FEATURES * hidden],
            feature_biases: vec![2; hidden],
            output_weights: vec![3; 2 * hidden],
            output_biases: vec![4],
            ..Parameters::default()
        });
        let path = folder.join("a.net");
        std::fs::write(&path, network.expect("small weights do not overflow").to_bytes())
            .expect("it is writable");
        path.display().to_string()
    }

    #[test]
    fn the_options_come_in_either_order() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = network_file(folder.path());
        let mut pool = Pool::new(1, 1).expect("a thread and a mebibyte are to be had");
        for order in [[(EVAL, NETWORK), (EVAL_FILE, &file)], [(EVAL_FILE, &file), (EVAL, NETWORK)]] {
            let mut evaluation = Evaluation::default();
            for (name, value) in order {
                assert!(evaluation.network().is_none());
                let result = evaluation.set(name, &text(value), &mut pool).expect("it is an option");
                assert_eq!(result.is_err(), name == EVAL && evaluation.network.is_none());
            }
            assert!(evaluation.network().is_some());
            evaluation
                .set(EVAL, &text(CLASSIC), &mut pool)
                .expect("it is an option")
                .expect("it is always there");
            assert!(evaluation.network().is_none());
        }
        assert!(Evaluation::default().set("Hash", &text("1"), &mut pool).is_none());
    }

    #[test]
    fn a_bad_file_keeps_the_old_network() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = network_file(folder.path());
        let mut pool = Pool::new(1, 1).expect("a thread and a mebibyte are to be had");
        let mut evaluation = Evaluation::default();
        evaluation
            .set(EVAL_FILE, &text(&file), &mut pool)
            .expect("it is an option")
            .expect("the file is whole");
        evaluation
            .set(EVAL, &text(NETWORK), &mut pool)
            .expect("it is an option")
            .expect("a network is loaded");
        let kept = Arc::clone(evaluation.network().expect("it was chosen"));
        let mut damaged = std::fs::read(&file).expect("it was written");
        damaged[100] ^= 1;
        std::fs::write(folder.path().join("b.net"), damaged).expect("it is writable");
        for bad in ["/nowhere.net", &folder.path().join("b.net").display().to_string()] {
            let error = evaluation.set(EVAL_FILE, &text(bad), &mut pool).expect("it is an option");
            assert!(error.expect_err("it cannot be used").contains(bad));
            assert!(Arc::ptr_eq(&kept, evaluation.network().expect("it was kept")));
        }
    }
}
