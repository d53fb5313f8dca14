//! Chooses the network that becomes part of the program: the file named by FIRSTBORN_EVALFILE (`make EVALFILE=...`), or
//! else the one in `networks/`.

#[path = "src/parameters.rs"]
mod parameters;

use parameters::Parameters;
use std::path::{Path, PathBuf};

/// The variable that names another network.
const VARIABLE: &str = "FIRSTBORN_EVALFILE";
/// What tells its content from another's, by which `make` says that it is to be read again: cargo goes by the time of
/// the last change, and a file put in another's place may be older than the last build.
const CONTENT: &str = "FIRSTBORN_EVALFILE_CHECKSUM";
/// The project's own network; docs/network.md says what it was trained on and what it won.
const OWN: &str = "networks/gen7.net";

fn main() {
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    println!("cargo:rerun-if-env-changed={CONTENT}");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/parameters.rs");
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join(OWN);
    let given = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let file = given.map_or_else(own, PathBuf::from);
    println!("cargo:rerun-if-changed={}", file.display());
    if let Err(why) = embed(&file) {
        println!("cargo:error={VARIABLE}: {}: {why}", file.display());
        std::process::exit(1);
    }
}

/// Copies a network to where the compiler takes it from, if the program can read it. Built around anything else it
/// would end when it first evaluates.
fn embed(file: &Path) -> Result<(), String> {
    if !file.is_absolute() {
        return Err("the path must be absolute".into());
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    Parameters::from_bytes(&bytes).map_err(|error| error.to_string())?;
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
    std::fs::write(Path::new(&folder).join("embedded.net"), bytes).map_err(|error| error.to_string())
}
