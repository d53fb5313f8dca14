//! Which evaluation the engine plays with: the options `Eval` and `EvalFile`.
//!
//! The two may come in either order. A file that cannot be used leaves everything as it was.

use super::expect_file;
use nnue::Network;
use protocol::option::{OptionSpec, Value};
use std::path::Path;
use std::sync::Arc;

const EVAL: &str = "Eval";
const EVAL_FILE: &str = "EvalFile";
const CLASSIC: &str = "classic";
const NETWORK: &str = "network";

/// What the user wants.
#[derive(Default)]
pub(super) struct Evaluation {
    classic: bool,
    /// The network loaded instead of the program's own.
    loaded: Option<Arc<Network>>,
}

/// What a user may set.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![OptionSpec::combo(EVAL, &[NETWORK, CLASSIC]), eval_file()]
}

/// The option that names a network's file.
pub fn eval_file() -> OptionSpec {
    OptionSpec::text(EVAL_FILE, "")
}

impl Evaluation {
    /// The network that evaluates, if one does.
    pub(super) fn network(&self) -> Option<Arc<Network>> {
        (!self.classic).then(|| self.loaded.clone().unwrap_or_else(Network::embedded))
    }

    /// Sets an option; `None` if it is none of the evaluation's. What [`Self::network`] then is, evaluates.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), String>> {
        match (name, value) {
            (EVAL, Value::Text(text)) => self.classic = text == CLASSIC,
            (EVAL_FILE, Value::Text(path)) => match load(path) {
                Ok(network) => self.loaded = network,
                Err(error) => return Some(Err(error)),
            },
            _ => return None,
        }
        Some(Ok(()))
    }
}

/// Do both evaluate alike?
pub(super) fn is_same(one: Option<&Network>, other: Option<&Network>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => std::ptr::eq(one, other) || one.to_bytes() == other.to_bytes(),
        (None, None) => true,
        _ => false,
    }
}

/// The network of a file; none for an empty name, which stands for the program's own.
pub fn load(name: &str) -> Result<Option<Arc<Network>>, String> {
    if name.is_empty() {
        return Ok(None);
    }
    expect_file("the network", name)?;
    let network = Network::load(Path::new(name)).map_err(|error| error.to_string())?;
    Ok(Some(Arc::new(network)))
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
        let mut evaluation = Evaluation::default();
        let plays_embedded = |evaluation: &Evaluation| {
            evaluation.network().map(|network| Arc::ptr_eq(&network, &Network::embedded()))
        };
        let set = |evaluation: &mut Evaluation, name, value: &str| {
            let result = evaluation.set(name, &text(value));
            result.expect("it is an option").expect("it can be done");
        };
        assert_eq!(plays_embedded(&evaluation), Some(true));
        set(&mut evaluation, EVAL, CLASSIC);
        set(&mut evaluation, EVAL_FILE, &file);
        assert_eq!(plays_embedded(&evaluation), None, "a network loaded does not yet play");
        set(&mut evaluation, EVAL, NETWORK);
        assert_eq!(plays_embedded(&evaluation), Some(false));
        set(&mut evaluation, EVAL, CLASSIC);
        assert_eq!(plays_embedded(&evaluation), None);
        set(&mut evaluation, EVAL, NETWORK);
        set(&mut evaluation, EVAL_FILE, "");
        assert_eq!(plays_embedded(&evaluation), Some(true), "no name is the program's own");
        assert!(evaluation.set("Hash", &text("1")).is_none());
    }

    #[test]
    fn a_bad_file_keeps_the_old_network() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = network_file(folder.path());
        let mut evaluation = Evaluation::default();
        evaluation.set(EVAL_FILE, &text(&file)).expect("it is an option").expect("the file is whole");
        let kept = evaluation.network().expect("no other was chosen");
        let mut damaged = std::fs::read(&file).expect("it was written");
        damaged[100] ^= 1;
        std::fs::write(folder.path().join("b.net"), damaged).expect("it is writable");
        for bad in ["/nowhere.net", &folder.path().join("b.net").display().to_string()] {
            let error = evaluation.set(EVAL_FILE, &text(bad)).expect("it is an option");
            assert!(error.expect_err("it cannot be used").contains(bad));
            assert!(Arc::ptr_eq(&kept, &evaluation.network().expect("it was kept")));
        }
    }
}
