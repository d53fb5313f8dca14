//! Tells the program of which commit, by which compiler and with which features it is made. These follow from sources,
//! toolchain and command line, so the same build gives the same program; outside a repository of our own the commit is
//! unknown, and nothing fails.
//!
//! Who builds from an archive may name the commit in the variable `FIRSTBORN_COMMIT`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=FIRSTBORN_COMMIT");
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let told = std::env::var("FIRSTBORN_COMMIT").ok().filter(|commit| !commit.is_empty());
    println!("cargo::rustc-env=FIRSTBORN_COMMIT={}", told.or_else(|| commit(&root)).unwrap_or_default());
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    println!("cargo::rustc-env=FIRSTBORN_COMPILER={}", said(&rustc, &["--version"], &root).unwrap_or(rustc));
    println!("cargo::rustc-env=FIRSTBORN_FEATURES={}", features().join(" "));
}

/// The features of this build, in the order of their names.
fn features() -> Vec<String> {
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let feature = |name: String| Some(name.strip_prefix("CARGO_FEATURE_")?.to_lowercase());
    let mut features: Vec<String> = variables.filter_map(feature).collect();
    features.sort();
    features
}

/// The commit of our own repository, not of one that the sources happen to lie in.
fn commit(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| said("git", arguments, root);
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if std::fs::canonicalize(top).ok()? != std::fs::canonicalize(root).ok()? {
        return None;
    }
    watch(root, &git(&["ls-files"])?);
    for name in ["HEAD", "logs/HEAD"] {
        let file = root.join(git(&["rev-parse", "--git-path", name])?);
        // A file that is missing would make the program anew every time.
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"]).is_some();
    Some(if changed { commit + "-dirty" } else { commit })
}

/// Whatever the program is made of: a change of it makes the commit another.
fn watch(root: &Path, files: &str) {
    let source = |file: &&str| file.ends_with(".rs") || file.ends_with(".toml") || file.ends_with(".lock");
    for file in files.lines().filter(source).map(|file| root.join(file)).filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

/// What a program prints, if it succeeds and prints anything.
fn said(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
