//! More open files than are granted unasked; the limit is that of a whole process, so the test is a process of
//! its own, which a shell has given a low one.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};

/// Says to the inner process that it is the one to test.
const INNER: &str = "FIRSTBORN_TEST_FEW_FILES";
/// The low limit.
const FEW: usize = 64;

/// The kernel's own words: the limit in force, and the one that may be asked for.
fn limits() -> [String; 2] {
    let limits = fs::read_to_string("/proc/self/limits").expect("Linux tells");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("Linux tells");
    let words: Vec<&str> = line.split_whitespace().collect();
    [words[3], words[4]].map(String::from)
}

#[test]
fn more_files_can_be_open_than_were_granted_and_children_have_what_was_granted() {
    if std::env::var_os(INNER).is_none() {
        let own = std::env::current_exe().expect("Linux tells");
        let name = "more_files_can_be_open_than_were_granted_and_children_have_what_was_granted";
        let script = format!("ulimit -S -n {FEW} && exec \"$0\" --exact {name}");
        let inner = Command::new("sh").arg("-c").arg(script).arg(own).env(INNER, "1").output();
        let inner = inner.expect("every Linux has a shell");
        let told = String::from_utf8_lossy(&inner.stdout);
        assert!(inner.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    let open = || (0..=FEW).map(|_| File::open("/dev/null")).collect::<Result<Vec<File>, _>>();
    let [few, most] = limits();
    assert_eq!(few, FEW.to_string());
    open().expect_err("more than are granted");
    for _ in 0..2 {
        sys::files::allow_all().expect("this much may be asked for");
        assert_eq!(limits(), [most.as_str(), most.as_str()]);
    }
    let many = open().expect("now they are granted");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -S -n"]).stdout(Stdio::piped());
    let mut child = sys::process::spawn_in_own_group(&mut command, None).expect("every Linux has a shell");
    let mut told = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut told).expect("a shell writes text");
    child.wait().expect("it has ended");
    assert_eq!(told.trim(), few);
    drop(many);
}
