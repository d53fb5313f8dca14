//! The test profile for the Phoronix Test Suite, by hand: its scripts as the suite runs them, and what its
//! parser looks for in what they write.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tests::{firstborn, workspace};

fn script(folder: &Path, words: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    command.args(words).current_dir(folder).env("HOME", folder).env_remove("FIRSTBORN_SOURCE");
    environment.iter().for_each(|(name, value)| {
        command.env(name, value);
    });
    command.output().expect("there is a shell")
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The suite calls install.sh in an empty folder that it names HOME, then the executable of the definition
/// with the chosen option's value; both leave their exit status in a file. Every template of the results'
/// definition is a line of the log, with a number for its mark.
#[test]
fn the_scripts_install_run_and_write_what_the_parser_looks_for() {
    let profile = workspace().join("packaging/phoronix/firstborn-1.0.0");
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::copy(profile.join("install.sh"), here.join("install.sh")).unwrap();
    let binary = fs::canonicalize(firstborn()).unwrap();
    let installed = script(here, &["install.sh"], &[("FIRSTBORN_BINARY", binary.to_str().unwrap())]);
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    assert_eq!(read(here, "install-exit-status").trim(), "0");
    let definition = read(&profile, "test-definition.xml");
    let executable = definition.split("<Executable>").nth(1).unwrap().split('<').next().unwrap();
    let log = here.join("log");
    let run = |words: &[&str]| script(here, words, &[("LOG_FILE", log.to_str().unwrap())]);
    let done = run(&[executable, "1", "--limit", "1", "--hash", "16"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(read(here, "test-exit-status").trim(), "0");
    assert!(read(here, "pts-footnote").contains("irstborn"));
    let (results, log) = (read(&profile, "results-definition.xml"), read(here, "log"));
    let templates: Vec<&str> =
        results.split("<OutputTemplate>").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert_eq!(templates.len(), 3);
    for template in templates {
        let start = template.strip_suffix("#_RESULT_#").expect("the mark is the line's end");
        let number = log.lines().find_map(|line| line.strip_prefix(start)).expect(template);
        assert!(number.parse::<f64>().is_ok_and(|number| number > 0.0), "{template}: {number:?} in {log}");
    }
}

/// Builds in a folder by a stand-in for cargo, with programs of this search path; which RUSTUP_HOME it was given.
fn toolchains(here: &Path, path: &str) -> String {
    let profile = workspace().join("packaging/phoronix/firstborn-1.0.0");
    fs::copy(profile.join("install.sh"), here.join("install.sh")).unwrap();
    fs::create_dir_all(here.join("user/.rustup")).unwrap();
    fs::create_dir_all(here.join("target/release")).unwrap();
    fs::write(here.join("target/release/firstborn"), "").unwrap();
    tests::executable(&here.join("cargo"), "#!/bin/sh\necho \"$RUSTUP_HOME\" > used\n");
    let source = here.to_str().unwrap();
    let environment =
        [("FIRSTBORN_SOURCE", source), ("FIRSTBORN_BINARY", ""), ("PATH", path), ("RUSTUP_HOME", "")];
    let built = script(here, &["install.sh"], &environment);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    read(here, "used").trim().to_owned()
}

/// The suite moves HOME; a cargo of rustup's finds its toolchains all the same.
#[test]
fn a_build_finds_the_toolchains_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let user = here.join("user");
    tests::executable(
        &here.join("getent"),
        format!("#!/bin/sh\necho me:x:1:1::{}:/bin/sh\n", user.display()),
    );
    let path = format!("{}:{}", here.display(), std::env::var("PATH").unwrap());
    assert_eq!(Path::new(&toolchains(here, &path)), user.join(".rustup"));
}

/// As on macOS. `~/user` stands for the `~NAME` of a user, whose folder a test cannot choose.
#[test]
fn a_build_without_getent_finds_the_toolchains_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    tests::executable(&here.join("id"), "#!/bin/sh\necho /user\n");
    let all = std::env::var_os("PATH").unwrap();
    for name in ["sh", "cut", "ls", "head", "cp", "cat", "chmod"] {
        let found = std::env::split_paths(&all).map(|folder| folder.join(name)).find(|file| file.is_file());
        std::os::unix::fs::symlink(found.expect(name), here.join(name)).unwrap();
    }
    assert_eq!(Path::new(&toolchains(here, here.to_str().unwrap())), here.join("user/.rustup"));
}

#[test]
fn what_cannot_be_installed_or_run_leaves_its_status() {
    let profile = workspace().join("packaging/phoronix/firstborn-1.0.0");
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::copy(profile.join("install.sh"), here.join("install.sh")).unwrap();
    let failed = script(here, &["install.sh"], &[("FIRSTBORN_BINARY", "no-such-program")]);
    assert!(!failed.status.success());
    assert!(String::from_utf8_lossy(&failed.stderr).contains("no-such-program"));
    assert_eq!(read(here, "install-exit-status").trim(), "1");
    // A program that cannot do a speed test: no score, and the status says so.
    let installed = script(here, &["install.sh"], &[("FIRSTBORN_BINARY", "/bin/true")]);
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    let log = here.join("log");
    assert!(!script(here, &["firstborn", "all"], &[("LOG_FILE", log.to_str().unwrap())]).status.success());
    assert_eq!(read(here, "test-exit-status").trim(), "1");
}
