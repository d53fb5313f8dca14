//! CPUs that programs on one machine agree on: each is claimed by one program at a time.
//!
//! Two tournaments that both take "the first two CPUs" share these while the others stand idle, and their
//! games are decided by who gets the processor. So there is a folder with a lock file for every CPU, in the
//! same place for all; a lock is held by the open file and gone with its process, however that ends. While
//! one program chooses, a lock on the whole folder keeps others from choosing at the same time. Those who must
//! share a CPU hold it together: it is free when the last of them has ended.
//!
//! Of the CPUs that are free, those on a core with nothing to do come first, so that siblings share a core
//! only when there are no cores left; and of cores alike in this, those of the fastest kind.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use file_id::{FileId, get_file_id};

use crate::affinity::CpuSet;
use crate::lock::Locked;

/// CPUs that are held until this is dropped.
#[derive(Debug, Default)]
pub struct Claim {
    /// All that were claimed, in the order they are best used in.
    pub cpus: Vec<usize>,
    /// Those of them that another program holds as well.
    pub shared: CpuSet,
    /// What others hold of the CPUs that could have been claimed.
    pub taken: CpuSet,
    /// Open and locked, for as long as the CPUs are held.
    _locks: Vec<Locked>,
}

/// How many CPUs are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// So many.
    Exactly(usize),
    /// As many as are free, at most so many.
    UpTo(usize),
}

/// Names another folder than the common one: for containers that share a machine, and a folder.
pub const FOLDER_VARIABLE: &str = "FIRSTBORN_CPU_LOCKS";

/// The folder's name, wherever it lies.
const NAME: &str = "firstborn-cpus";

/// Where it may lie: not on a disk if that can be helped, and where no session's end clears up behind a user, as
/// it may in `/dev/shm` (`RemoveIPC=` of systemd).
const BASES: [&str; 3] = ["/run/lock", "/dev/shm", "/tmp"];

/// The folder that all programs on this machine use. It is made if that can be done, not in a user's own temporary
/// folder unless there is no other.
#[must_use]
pub fn common_folder() -> PathBuf {
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
        return folder.into();
    }
    first_common(BASES.map(Path::new)).unwrap_or_else(|| std::env::temp_dir().join(NAME))
}

/// The folder in the first of these that takes files of all users, so that they all choose the same.
fn first_common<'a>(bases: impl IntoIterator<Item = &'a Path>) -> Option<PathBuf> {
    let mut folders = bases.into_iter().filter(|base| is_open_to_all(base)).map(|base| base.join(NAME));
    folders.find(|folder| make_folder(folder).is_ok())
}

/// The folder within `folder` in which those agree that share what one limit of the system grants them: `file`
/// says the limit, and is the same file for all of them, by whatever path they see it.
///
/// # Errors
/// `folder` cannot be made (the one within it is made by [`claim`]), or `file` is not there;
/// [`io::ErrorKind::Unsupported`] on systems other than Unix.
pub fn folder_of_limit(folder: &Path, file: &Path) -> io::Result<PathBuf> {
    let FileId::Inode { device_id, inode_number } = get_file_id(file)? else {
        return Err(io::ErrorKind::Unsupported.into());
    };
    make_folder(folder)?;
    Ok(folder.join(format!("limit-{device_id}-{inode_number}")))
}

/// Which CPUs are best used first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape<'a> {
    /// Which share a core; others stand alone.
    pub cores: &'a [CpuSet],
    /// The kinds of core, fastest first; others come last.
    pub kinds: &'a [CpuSet],
}

/// Claims CPUs out of `usable`, best ones first by the machine's `shape`. With `share`, CPUs that others hold are
/// taken too where there are not enough free ones; without, fewer than wanted may be claimed, and `taken`
/// says which are held.
///
/// # Errors
/// The folder or a file in it cannot be made or locked.
pub fn claim(
    folder: &Path,
    shape: Shape<'_>,
    usable: &CpuSet,
    wanted: Wanted,
    share: bool,
) -> io::Result<Claim> {
    make_folder(folder)?;
    let choosing = open(&folder.join("choosing"))?;
    choosing.lock()?;
    let (mut free, mut held) = (Vec::new(), Vec::new());
    for cpu in usable.iter() {
        let file = open(&folder.join(cpu.to_string()))?;
        match file.try_lock() {
            Ok(()) => free.push((cpu, file)),
            Err(TryLockError::WouldBlock) => held.push((cpu, file)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    let taken: CpuSet = held.iter().map(|(cpu, _)| *cpu).collect();
    let (Wanted::Exactly(count) | Wanted::UpTo(count)) = wanted;
    let candidates: CpuSet = free.iter().map(|(cpu, _)| *cpu).collect();
    let mut cpus = in_order(shape, &candidates, &taken);
    cpus.truncate(count);
    let mut shared = CpuSet::default();
    if share && cpus.len() < count {
        let more = in_order(shape, &taken, &CpuSet::default());
        let more: Vec<usize> = more.into_iter().take(count - cpus.len()).collect();
        shared = more.iter().copied().collect();
        cpus.extend(more);
    }
    let mut locks = Vec::with_capacity(cpus.len());
    for (cpu, file) in free {
        if cpus.contains(&cpu) {
            file.unlock()?;
            locks.push(hold(file)?);
        }
    }
    for (cpu, file) in held {
        if shared.contains(cpu) {
            locks.push(hold(file)?);
        }
    }
    Ok(Claim { cpus, shared, taken, _locks: locks })
}

/// Locks a CPU's file in such a manner that others who must share the CPU can do the same. To find out whether it
/// is free takes another lock, which only who chooses may have: so nothing comes between.
fn hold(file: Locked) -> io::Result<Locked> {
    match file.try_lock_shared() {
        // A version of the program that shares no locks has it.
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(file),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// CPUs in the order they are best used in: always one of the core that has the least to do, and of these one of the
/// fastest kind.
#[must_use]
pub fn in_order(shape: Shape<'_>, candidates: &CpuSet, busy: &CpuSet) -> Vec<usize> {
    let Shape { cores, kinds } = shape;
    let kind_of = |cpu: usize| kinds.iter().position(|kind| kind.contains(cpu)).unwrap_or(kinds.len());
    let core_of = |cpu: usize| cores.iter().position(|core| core.contains(cpu)).unwrap_or(cores.len() + cpu);
    let mut load = std::collections::HashMap::<usize, usize>::new();
    for cpu in busy.iter() {
        *load.entry(core_of(cpu)).or_default() += 1;
    }
    let mut left: Vec<usize> = candidates.iter().collect();
    // As they come they are tried, and the first of those that are alike is taken.
    left.sort_by_key(|&cpu| (kind_of(cpu), cpu));
    let mut order = Vec::with_capacity(left.len());
    while let Some((at, &cpu)) =
        left.iter().enumerate().min_by_key(|(_, cpu)| load.get(&core_of(**cpu)).copied().unwrap_or(0))
    {
        left.remove(at);
        order.push(cpu);
        *load.entry(core_of(cpu)).or_default() += 1;
    }
    order
}

/// All users of the machine may use it.
fn make_folder(folder: &Path) -> io::Result<()> {
    match std::fs::create_dir(folder) {
        Ok(()) => open_to_all(folder, 0o1777),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// To lock a file it is enough to read it, so that another user's will do.
fn open(path: &Path) -> io::Result<Locked> {
    let file = match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
        Ok(file) => {
            open_to_all(path, 0o666)?;
            file
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => File::open(path)?,
        Err(error) => return Err(error),
    };
    Ok(Locked::of(file))
}

#[cfg(unix)]
fn open_to_all(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn open_to_all(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Whether it is a folder that takes files of all users.
#[cfg(unix)]
fn is_open_to_all(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let all = 0o1777;
    std::fs::metadata(folder).is_ok_and(|found| found.is_dir() && found.permissions().mode() & all == all)
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> CpuSet {
        text.parse().expect("the tests' own sets are well formed")
    }

    /// Machines number siblings next to each other, or in a second half.
    #[test]
    fn cores_come_before_siblings_however_they_are_numbered() {
        let order = |cores: &[CpuSet], candidates: &str, busy: &str| {
            in_order(Shape { cores, kinds: &[] }, &set(candidates), &set(busy))
        };
        let adjacent = [set("0-1"), set("2-3"), set("4-5")];
        assert_eq!(order(&adjacent, "0-5", ""), [0, 2, 4, 1, 3, 5]);
        let halves = [set("0,3"), set("1,4"), set("2,5")];
        assert_eq!(order(&halves, "0-5", ""), [0, 1, 2, 3, 4, 5]);
        // Another's CPU 1 makes its sibling the worst choice.
        assert_eq!(order(&adjacent, "0,2-5", "1"), [2, 4, 0, 3, 5]);
        assert_eq!(order(&[], "7,9", ""), [7, 9], "CPUs of no known core stand alone");
    }

    /// Four little cores that are numbered first, and two big ones of two threads; and no kind that is known.
    #[test]
    fn the_fastest_cores_come_first_and_siblings_last() {
        let cores = [set("0"), set("1"), set("2"), set("3"), set("4-5"), set("6-7")];
        let order = |kinds: &[CpuSet], candidates: &str, busy: &str| {
            in_order(Shape { cores: &cores, kinds }, &set(candidates), &set(busy))
        };
        let kinds = [set("4-7"), set("0-3")];
        assert_eq!(order(&kinds, "0-7", ""), [4, 6, 0, 1, 2, 3, 5, 7]);
        assert_eq!(order(&kinds, "0-3,5-7", "4"), [6, 0, 1, 2, 3, 5, 7]);
        assert_eq!(order(&[set("0-7")], "0-7", ""), [0, 1, 2, 3, 4, 6, 5, 7]);
        assert_eq!(order(&kinds[..1], "0-7", ""), [4, 6, 0, 1, 2, 3, 5, 7], "others come last");
    }

    #[test]
    fn what_one_has_claimed_another_does_not_get() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let folder = dir.path().join("cpus");
        let shape = Shape { cores: &[set("0-1"), set("2-3")], kinds: &[] };
        let take =
            |wanted, share| claim(&folder, shape, &set("0-3"), wanted, share).expect("it can be locked");
        let first = take(Wanted::Exactly(1), false);
        assert_eq!((first.cpus.as_slice(), first.taken.count()), (&[0][..], 0));
        let second = take(Wanted::Exactly(2), false);
        assert_eq!((second.cpus.as_slice(), &second.taken), (&[2, 1][..], &set("0")));
        let third = take(Wanted::Exactly(2), false);
        assert_eq!((third.cpus.as_slice(), &third.taken), (&[3][..], &set("0-2")));
        let sharing = take(Wanted::Exactly(2), true);
        assert_eq!((sharing.cpus.len(), &sharing.taken, &sharing.shared), (2, &set("0-3"), &set("0,2")));
        drop(second);
        // CPU 2 is still that of the one that shared it.
        assert_eq!(take(Wanted::UpTo(9), false).cpus, [1]);
        drop(sharing);
        assert_eq!(take(Wanted::UpTo(9), false).cpus, [1, 2]);
        drop((first, third));
        assert_eq!(take(Wanted::UpTo(9), false).cpus, [0, 2, 1, 3]);
        assert_eq!(take(Wanted::UpTo(3), false).cpus, [0, 2, 1]);
    }

    /// A program that is just being started has a copy of every open file for some milliseconds.
    #[test]
    #[cfg(unix)]
    fn copies_of_the_files_keep_no_cpu() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let take = || {
            claim(dir.path(), Shape::default(), &set("0-1"), Wanted::UpTo(2), false)
                .expect("it can be locked")
        };
        let Claim { cpus, _locks: locks, .. } = take();
        let copies: Vec<File> =
            locks.iter().map(|lock| lock.try_clone().expect("it can be copied")).collect();
        assert_eq!((cpus.len(), copies.len(), take().cpus.len()), (2, 2, 0));
        drop(locks);
        let again = take().cpus;
        drop(copies);
        assert_eq!(again, cpus);
    }

    /// Many who choose at once get every CPU once.
    #[test]
    fn no_cpu_is_claimed_twice_at_once() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let usable = set("0-7");
        let claims: Vec<Claim> = std::thread::scope(|scope| {
            let claim = || {
                claim(dir.path(), Shape::default(), &usable, Wanted::Exactly(1), false)
                    .expect("it can be locked")
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let claimed: CpuSet = claims.iter().flat_map(|claim| claim.cpus.iter().copied()).collect();
        assert_eq!(claimed, usable);
    }

    /// Pipes stand for two CPUs' files: whether a CPU is free is not known until its pipe is opened from here as well.
    /// So between the two a choice is under way.
    #[test]
    #[cfg(target_os = "linux")]
    fn no_other_chooses_while_one_does() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let [choosing, first, second] = ["choosing", "0", "1"].map(|name| dir.path().join(name));
        let made = std::process::Command::new("mkfifo").args([&first, &second]).status();
        assert!(made.expect("there is a mkfifo").success());
        let (sender, answer) = std::sync::mpsc::channel();
        // Threads that hang are left behind, and the test fails.
        std::thread::spawn(move || {
            let to_write = |pipe: &Path| OpenOptions::new().write(true).open(pipe);
            let first = to_write(&first);
            let choosing = File::open(&choosing);
            let held = choosing.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
            let second = to_write(&second);
            sender.send((first.is_ok(), held, second.is_ok()))
        });
        let (sender, claimed) = std::sync::mpsc::channel();
        let folder = dir.path().to_owned();
        std::thread::spawn(move || {
            let claimed = claim(&folder, Shape::default(), &set("0-1"), Wanted::Exactly(2), false);
            sender.send(claimed.map(|claim| claim.cpus.clone()))
        });
        let patience = std::time::Duration::from_secs(60);
        assert_eq!(answer.recv_timeout(patience), Ok((true, true, true)));
        let claimed = claimed.recv_timeout(patience).expect("it ends");
        assert_eq!(claimed.expect("it can be locked"), [0, 1]);
    }

    /// The superuser could write into the closed one, and others could not.
    #[test]
    #[cfg(unix)]
    fn the_common_folder_is_where_all_users_can_write() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let [missing, file, closed, first, second] =
            ["missing", "file", "closed", "first", "second"].map(|name| dir.path().join(name));
        std::fs::write(&file, "").expect("it can be written");
        for (folder, mode) in [(&closed, 0o755), (&first, 0o1777), (&second, 0o1777)] {
            std::fs::create_dir(folder).expect("it can be made");
            open_to_all(folder, mode).expect("it is ours");
        }
        open_to_all(&file, 0o1777).expect("it is ours");
        let all = [&missing, &file, &closed, &first, &second].map(PathBuf::as_path);
        assert_eq!(first_common(all), Some(first.join(NAME)));
        assert!(is_open_to_all(&first.join(NAME)));
        assert_eq!(first_common([missing.as_path(), file.as_path(), closed.as_path()]), None);
        // What was put in its place is no folder.
        std::fs::remove_dir(first.join(NAME)).expect("it is empty");
        std::fs::write(first.join(NAME), "").expect("it can be written");
        assert_eq!(first_common(all), Some(second.join(NAME)));
    }

    /// One file under two names is one limit, and what is claimed of it is no CPU.
    #[test]
    #[cfg(unix)]
    fn a_limit_is_known_by_its_file() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let [one, same, other] = ["one", "same", "other"].map(|name| dir.path().join(name));
        std::fs::write(&one, "").expect("it can be written");
        std::fs::write(&other, "").expect("it can be written");
        std::fs::hard_link(&one, &same).expect("it is one file system");
        let folder = dir.path().join("cpus");
        let of = |file: &Path| folder_of_limit(&folder, file);
        let found = of(&one).expect("it is there");
        assert_eq!(found, of(&same).expect("it is there"));
        assert_ne!(found, of(&other).expect("it is there"));
        of(&dir.path().join("missing")).expect_err("there is none");
        let take = |folder: &Path| claim(folder, Shape::default(), &set("0-1"), Wanted::UpTo(2), false);
        let time = take(&found).expect("it can be locked");
        let cpus = take(&folder).expect("it can be locked");
        assert_eq!((time.cpus.len(), cpus.cpus.len(), cpus.taken.count()), (2, 2, 0));
    }

    #[test]
    fn a_folder_that_cannot_be_is_an_error() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("file");
        std::fs::write(&file, "").expect("it can be written");
        assert!(claim(&file, Shape::default(), &set("0"), Wanted::Exactly(1), false).is_err());
    }
}
