//! Chooses the network that becomes part of the program: the file named by FIRSTBORN_EVALFILE (`make EVALFILE=...`), or
//! else the one in `networks/`.

#[path = "src/parameters.rs"]
mod parameters;

use parameters::Parameters;
use std::path::{Path, PathBuf};

/// The variable that names another network.
const VARIABLE: &str = "FIRSTBORN_EVALFILE";
/// The project's own network; docs/network.md says what it was trained on and what it won.
const OWN: &str = "networks/gen7.net";

fn main() {
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/parameters.rs");
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join(OWN);
    let given = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let file = given.map_or_else(own, PathBuf::from);
    println!("cargo:rerun-if-changed={}", file.display());
    if let Err(why) = check(&file) {
        println!("cargo:error={VARIABLE}: {}: {why}", file.display());
        std::process::exit(1);
    }
    println!("cargo:rustc-env=FIRSTBORN_NETWORK={}", file.display());
}

/// Is it a network that the program can read? Built around anything else it would end when it first
/// evaluates.
fn check(file: &Path) -> Result<(), String> {
    if !file.is_absolute() {
        return Err("the path must be absolute".into());
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    Parameters::from_bytes(&bytes).map(drop).map_err(|error| error.to_string())
}
