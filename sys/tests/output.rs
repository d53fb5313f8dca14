//! Outputs go where they may and nowhere else: every way to name one file twice, and everything that is no
//! plain file.
#![cfg(unix)]

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use sys::output::{OutputError, Outputs, Place, Precious};
use tempfile::TempDir;

struct Hall(TempDir);

impl Hall {
    fn new() -> Self {
        Hall(TempDir::new().expect("tests may write to the temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).expect("the folder is writable");
        self.path(name)
    }

    fn link(&self, to: impl AsRef<Path>, name: &str) {
        symlink(to, self.path(name)).expect("links can be made");
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("it was written")
    }

    /// The names in the folder: nothing may be left behind.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder is readable");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("it is readable").file_name();
        let mut names: Vec<String> =
            entries.map(name).map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Names of the file `games` that do not look like it.
    fn aliases(&self) -> Vec<PathBuf> {
        fs::hard_link(self.path("games"), self.path("hard")).expect("it is one file system");
        self.link("games", "link");
        self.link("link", "chain");
        self.link(self.0.path(), "folder");
        let names = ["games", "hard", "link", "chain", "folder/games", "folder/../folder/./chain", "./games"];
        names.into_iter().map(|name| self.path(name)).filter(|path| path.exists()).collect()
    }
}

/// Says, past the harness's capture, that a test could not be made here.
fn skipped(why: &str) {
    // If it cannot be told, the test is skipped all the same.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Runs one of these tests alone, in a process that is changed before it starts.
fn alone(test: &str, change: impl FnOnce(&mut Command)) {
    let mut command = Command::new(std::env::current_exe().expect("the system tells"));
    command.args(["--exact", test]);
    change(&mut command);
    let output = command.output().expect("this program runs already");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[test]
fn an_output_is_never_an_input() {
    let hall = Hall::new();
    let games = hall.file("games", "days of work");
    for alias in hall.aliases() {
        let refused = Outputs::reading([&games]).place(&alias).expect_err("it is the input");
        assert!(matches!(refused, OutputError::IsInput { .. }), "{}: {refused}", alias.display());
        let refused = Outputs::reading([&alias]).place(&games).expect_err("it is the input");
        assert!(matches!(refused, OutputError::IsInput { .. }), "{}: {refused}", alias.display());
    }
    assert_eq!(hall.text("games"), "days of work");
    Outputs::reading([&games]).place(hall.path("other")).expect("another file is free");
}

#[test]
fn two_outputs_are_never_one_file() {
    let hall = Hall::new();
    let games = hall.file("games", "");
    for alias in hall.aliases() {
        let mut outputs = Outputs::new();
        outputs.place(&games).expect("nothing else goes there");
        let refused = outputs.place(&alias).expect_err("it is taken");
        assert!(matches!(refused, OutputError::IsOutput { .. }), "{}: {refused}", alias.display());
    }
}

#[test]
fn two_outputs_are_never_one_file_that_is_not_there_yet() {
    let hall = Hall::new();
    hall.link("new", "dangling");
    hall.link("dangling", "chain");
    hall.link(hall.0.path(), "folder");
    for alias in ["new", "dangling", "chain", "folder/new", "folder/chain"] {
        let mut outputs = Outputs::new();
        outputs.place(hall.path("new")).expect("nothing is there");
        let refused = outputs.place(hall.path(alias)).expect_err("it is taken");
        assert!(matches!(refused, OutputError::IsOutput { .. }), "{alias}: {refused}");
    }
    let mut outputs = Outputs::new();
    outputs.place(hall.path("new")).expect("nothing is there");
    let refused = outputs.place(hall.path("NEW")).expect_err("it may be the same");
    assert!(matches!(refused, OutputError::Capitals { .. }), "{refused}");
    outputs.place(hall.path("news")).expect("it is another");
}

/// What takes hours is not lost by a mistyped name: only an output of its own kind may go there.
#[test]
fn what_is_precious_is_kept_from_other_kinds() {
    let hall = Hall::new();
    for (kind, begin, _) in Precious::ALL {
        let text = format!("{}...", String::from_utf8_lossy(begin));
        let file = hall.file("file", &text);
        hall.link("file", "link");
        for name in ["file", "link"] {
            let path = hall.path(name);
            for refused in [Outputs::new().place(&path), Place::find(&path)] {
                let refused = refused.expect_err("another kind");
                assert!(matches!(refused, OutputError::IsPrecious { .. }), "{refused}");
                assert!(refused.to_string().starts_with(&path.display().to_string()), "{refused}");
            }
            for (other, _, _) in Precious::ALL {
                let place = Outputs::new().place_for(other, &path);
                assert_eq!(place.is_ok(), other == kind, "{other:?} over {kind:?}");
            }
        }
        assert_eq!(hall.text("file"), text);
        // Its own kind, a beginning that only looks like it, and nothing at all are replaced as ever.
        Outputs::new()
            .place_for(kind, &file)
            .expect("it is of its kind")
            .write("")
            .expect("it can be written");
        Outputs::new().place(&file).expect("it is empty").write(&begin[1..]).expect("it can be written");
        Outputs::new().place(&file).expect("it is nothing known");
        fs::remove_file(hall.path("link")).expect("it is ours");
    }
}

/// The command itself makes its first output while it still asks for the second.
#[test]
fn an_output_that_was_made_meanwhile_is_still_taken() {
    let hall = Hall::new();
    let mut outputs = Outputs::new();
    outputs.place(hall.path("new")).expect("nothing is there").write("x").expect("it can be written");
    let refused = outputs.place(hall.path("new")).expect_err("it is taken");
    assert!(matches!(refused, OutputError::IsOutput { .. }), "{refused}");
}

#[test]
fn a_file_is_replaced_whole_and_keeps_its_permissions() {
    let hall = Hall::new();
    let net = hall.file("net", "old");
    hall.file("net.new", "another's");
    fs::set_permissions(&net, Permissions::from_mode(0o640)).expect("it is ours");
    let place = Outputs::new().place(&net).expect("it is free");
    let mut draft = place.begin().expect("the folder is writable");
    draft.write_all(b"half").expect("there is room");
    draft.flush().expect("there is room");
    assert_eq!(hall.text("net"), "old", "half an output is none");
    drop(draft);
    assert_eq!(hall.text("net"), "old", "an output given up is none");
    place.write("new").expect("it can be written");
    assert_eq!((hall.text("net"), hall.text("net.new")), ("new".into(), "another's".into()));
    assert_eq!(fs::metadata(&net).expect("it is there").mode() & 0o777, 0o640);
    assert_eq!(hall.names(), ["net", "net.new"]);
}

/// Those of any file that a program makes here, not those of a private temporary file.
#[test]
fn a_new_file_has_the_permissions_of_new_files() {
    let hall = Hall::new();
    let plain = hall.file("plain", "");
    Place::find(&hall.path("new")).expect("it is free").write("x").expect("it can be written");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").mode();
    assert_eq!(mode(&hall.path("new")), mode(&plain));
}

#[test]
fn links_are_followed_and_stay() {
    let hall = Hall::new();
    fs::create_dir(hall.path("far")).expect("the folder is writable");
    hall.link("far/net", "near");
    let place = Place::find(&hall.path("near")).expect("its folder is there");
    for text in ["first", "second"] {
        place.write(text).expect("it can be written");
        assert_eq!(hall.text("far/net"), text);
        assert!(fs::symlink_metadata(hall.path("near")).expect("it is there").is_symlink());
    }
    hall.link("round", "round");
    let refused = Place::find(&hall.path("round")).expect_err("it leads nowhere");
    assert!(matches!(refused, OutputError::Io { .. }), "{refused}");
}

#[test]
fn devices_are_written_in_place() {
    let null = Path::new("/dev/null");
    let before = fs::metadata(null).expect("every Unix has it").ino();
    let mut outputs = Outputs::reading([null]);
    for _ in 0..2 {
        outputs.place(null).expect("it takes everything").write("x").expect("it takes everything");
    }
    let found = fs::metadata(null).expect("every Unix has it");
    assert!(found.file_type().is_char_device() && found.ino() == before);
    if Path::new("/dev/full").exists() {
        let full = Outputs::new().place("/dev/full").expect("it opens");
        let refused = full.write("x").expect_err("it is full");
        assert!(refused.to_string().contains("/dev/full"), "{refused}");
    }
}

#[test]
fn a_pipe_is_written_in_place() {
    let hall = Hall::new();
    let pipe = hall.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        skipped("no mkfifo here");
        return;
    }
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut text = String::new();
            File::open(pipe).and_then(|mut pipe| pipe.read_to_string(&mut text)).expect("it is written to");
            text
        }
    });
    Place::find(&pipe).expect("it has a reader").write("through").expect("it has a reader");
    assert_eq!(reader.join().expect("the reader ends"), "through");
    assert!(fs::metadata(&pipe).expect("it is still there").file_type().is_fifo());
}

#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let hall = Hall::new();
    hall.file("file", "");
    let find = |name: &str| Place::find(&hall.path(name)).expect_err("it cannot be written");
    assert!(matches!(find("."), OutputError::IsFolder(_)));
    assert!(matches!(find("missing/net"), OutputError::NoFolder { .. }));
    assert!(matches!(find("file/net"), OutputError::NoFolder { .. }));
    assert!(matches!(find("new/"), OutputError::NoName(_)));
    assert!(matches!(Place::find(Path::new("")), Err(OutputError::NoName(_))));
    let refused = Outputs::new().folder(hall.path("file")).expect_err("it is a file");
    assert!(matches!(refused, OutputError::IsFile(_)), "{refused}");
    let made = Outputs::new().folder(hall.path("a/b")).expect("folders can be made");
    assert!(made.is_dir());
}

/// The name of a process may be written, in a folder that takes no new files even from the superuser.
#[cfg(target_os = "linux")]
#[test]
fn a_file_is_a_place_in_a_folder_that_takes_no_new_ones() {
    assert!(File::create("/proc/self/new").is_err());
    assert!(Place::find(Path::new("/proc/self/comm")).is_ok());
}

/// What is written in place is written whole elsewhere first; that there is no elsewhere is said before the work.
#[cfg(target_os = "linux")]
#[test]
fn a_file_written_in_place_needs_a_folder_for_temporary_ones() {
    const NOWHERE: &str = "/no/such/folder";
    if std::env::temp_dir() != Path::new(NOWHERE) {
        return alone("a_file_written_in_place_needs_a_folder_for_temporary_ones", |command| {
            command.env("TMPDIR", NOWHERE);
        });
    }
    let refused = Place::find(Path::new("/proc/self/comm")).expect_err("it cannot be written");
    assert!(matches!(refused, OutputError::Io { .. }) && refused.to_string().contains(NOWHERE), "{refused}");
}

/// In a folder that all users share, as `/tmp` is, each can replace only files of his own.
#[test]
fn another_users_file_is_written_in_place() {
    const FILE: &str = "FIRSTBORN_TEST_FILE";
    /// A user without rights, on most systems.
    const OTHER: u32 = 65_534;
    if let Some(file) = std::env::var_os(FILE) {
        let place = Place::find(Path::new(&file)).expect("it may be written");
        return place.write("new").expect("it may be written");
    }
    let hall = Hall::new();
    let file = hall.file("file", "old");
    fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("it is ours");
    fs::set_permissions(hall.0.path(), Permissions::from_mode(0o1777)).expect("it is ours");
    let owner = || fs::metadata(&file).expect("it is there").uid();
    let mut writable = Command::new("test");
    writable.arg("-w").arg(&file).uid(OTHER).gid(OTHER);
    if owner() != 0 || !writable.status().is_ok_and(|status| status.success()) {
        return skipped("this user cannot be another one");
    }
    alone("another_users_file_is_written_in_place", |command| {
        command.env(FILE, &file).uid(OTHER).gid(OTHER);
    });
    assert_eq!((hall.text("file").as_str(), owner()), ("new", 0));
    assert_eq!(hall.names(), ["file"]);
}

/// Nothing but the last step fails: a folder has taken the name meanwhile.
#[test]
fn what_cannot_get_its_name_is_left_whole() {
    let hall = Hall::new();
    let place = Outputs::new().place(hall.path("net")).expect("nothing is there");
    fs::create_dir(hall.path("net")).expect("the folder is writable");
    let refused = place.write("hours of work").expect_err("a folder has the name").to_string();
    let (_, left) = refused.rsplit_once("whole in ").expect("the error says where it is");
    assert_eq!(fs::read_to_string(left).expect("it is there"), "hours of work", "{refused}");
}

/// The superuser may write everywhere; everybody else is told, before anything is lost.
#[test]
fn a_write_protected_file_or_folder_is_refused() {
    let hall = Hall::new();
    let file = hall.file("file", "kept");
    fs::create_dir(hall.path("closed")).expect("the folder is writable");
    let inside = hall.file("closed/inside", "old");
    fs::set_permissions(&file, Permissions::from_mode(0o400)).expect("it is ours");
    fs::set_permissions(hall.path("closed"), Permissions::from_mode(0o500)).expect("it is ours");
    if File::options().write(true).open(&file).is_ok() {
        skipped("the superuser may write everywhere");
    } else {
        assert!(matches!(Place::find(&file), Err(OutputError::Io { .. })));
        assert!(matches!(Place::find(&hall.path("closed/new")), Err(OutputError::Io { .. })));
        // A file that may be written in a folder that takes no new files: written in place.
        let place = Place::find(&inside).expect("it may be written");
        drop(place.begin().expect("there is room elsewhere"));
        assert_eq!(hall.text("closed/inside"), "old");
        place.write("new").expect("it may be written");
        assert_eq!(hall.text("closed/inside"), "new");
        assert_eq!(hall.text("file"), "kept");
    }
    fs::set_permissions(hall.path("closed"), Permissions::from_mode(0o700)).expect("it is ours");
}
