//! Where the output of a command may go.
//!
//! A mistyped name must not cost what lies there. So everything that writes files asks here first:
//! [`Outputs`] knows what the command reads and where it writes, and refuses an output that is one of its
//! inputs or another output. Files are compared by what they are (device and inode), not by what they are
//! called: a link, a relative path or another spelling is the same file. Nor does an output go into a file of
//! a [`Precious`] kind that is not its own.
//!
//! A regular file is replaced in one step: the new one is written under a name that nothing else has, in the
//! same folder, and renamed when it is whole. A reader finds the old or the new content, and a full
//! disk keeps the old one. Symbolic links are followed, the permissions of a replaced file are kept. Devices,
//! pipes and the program's own standard output are written in place. So is a file whose folder takes no new
//! files, or does not let it be replaced, as where all users share a folder and it is another's: a full disk then
//! leaves the new content elsewhere.
//!
//! [`Additions`] are for files that grow by whole entries: one that a full disk cuts is taken back.
//!
//! Everything that can be known is found out when the place is asked for, before the command works for hours.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use file_id::{FileId, get_file_id};
use tempfile::NamedTempFile;

/// Links followed on the way to a file, as many as Linux follows.
const LINKS: usize = 40;

/// Kinds of files that take hours to make, known by how they begin. An output of another kind neither replaces
/// one nor is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precious {
    /// The games of a tournament, or the lessons of a tuning.
    Journal,
    /// Games of self-play.
    Games,
    /// A network.
    Network,
    /// A training that can go on.
    Training,
}

impl Precious {
    /// All of them, with the bytes that their files begin with and what to call them.
    pub const ALL: [(Self, &[u8], &str); 4] = [
        (Self::Journal, b"{\"firstborn_journal\":", "a journal"),
        (Self::Games, b"FBGAMES", "games of self-play"),
        (Self::Network, b"FIRSTNET", "a network"),
        (Self::Training, b"FIRSTRUN", "the state of a training"),
    ];

    /// The kind of a file, and what to call it. A file that cannot be read, or that is too short to tell, is none.
    fn of(path: &Path) -> Option<(Self, &'static str)> {
        let longest = Self::ALL.iter().map(|(_, begin, _)| begin.len()).max()?;
        let mut found = Vec::new();
        File::open(path).ok()?.take(longest as u64).read_to_end(&mut found).ok()?;
        let known = Self::ALL.iter().find(|(_, begin, _)| found.starts_with(begin));
        known.map(|&(kind, _, name)| (kind, name))
    }
}

/// Why an output cannot go where it was to go.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It is a file that the command reads.
    #[error("{} would overwrite {}, which this command reads", .path.display(), named(.path, .other))]
    IsInput {
        /// Where the output was to go.
        path: PathBuf,
        /// The input, as it was named.
        other: PathBuf,
    },
    /// It is read already.
    #[error("{} and {} are one file, which would count twice", .other.display(), .path.display())]
    Twice {
        /// The input.
        path: PathBuf,
        /// The same file, as it was named before.
        other: PathBuf,
    },
    /// Another output of the command goes there.
    #[error("{} and {} are one file: two outputs cannot share it", .other.display(), .path.display())]
    IsOutput {
        /// Where the output was to go.
        path: PathBuf,
        /// The other output, as it was named.
        other: PathBuf,
    },
    /// Two files that do not exist yet and would be one where capitals do not count.
    #[error("{} and {} differ in capitals only, and some systems take them for one file", .other.display(), .path.display())]
    Capitals {
        /// Where the output was to go.
        path: PathBuf,
        /// The other output, as it was named.
        other: PathBuf,
    },
    /// It is to be read again by the next run, and is a stream, or standard output goes there.
    #[error("a regular file is needed that nothing else is written to")]
    NotItsOwn,
    /// Standard output goes to that file.
    #[error("standard output goes to {} already; name /dev/stdout to have both there", .0.display())]
    IsStandardOutput(PathBuf),
    /// What lies there is precious, and of another kind.
    #[error("{} holds {what}, and this is another output: give another name, or move it away", .path.display())]
    IsPrecious {
        /// The file.
        path: PathBuf,
        /// What it holds.
        what: &'static str,
    },
    /// A folder has that name.
    #[error("{} is a folder, not a file", .0.display())]
    IsFolder(PathBuf),
    /// A file has the name of the folder to write into.
    #[error("{} is a file, not a folder", .0.display())]
    IsFile(PathBuf),
    /// An empty name, or one that ends like a folder's.
    #[error("`{}` names no file", .0.display())]
    NoName(PathBuf),
    /// The folder that the file would lie in is missing.
    #[error("cannot write {}: there is no folder {}", .path.display(), .folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The system refuses.
    #[error("cannot write {}: {cause}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
}

/// `other`, and that it is the same file where it has another name.
fn named(path: &Path, other: &Path) -> String {
    if path == other { "itself".to_owned() } else { other.display().to_string() }
}

/// What makes two paths one file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// A file that is there.
    Existing(FileId),
    /// A file that would be made in this folder under this name.
    New(FileId, OsString),
}

/// A file of the command.
#[derive(Clone, Debug)]
struct Claim {
    /// As it was named.
    path: PathBuf,
    role: Role,
}

#[derive(Clone, Debug)]
enum Role {
    Input(FileId),
    /// Where the links lead. What lies there is asked anew each time, since the command itself may have made
    /// the file.
    Output(PathBuf),
}

impl Claim {
    fn identity(&self) -> Option<Identity> {
        match &self.role {
            Role::Input(id) => Some(Identity::Existing(*id)),
            Role::Output(target) => identity(target).ok(),
        }
    }
}

/// What one command reads and where it writes.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    claims: Vec<Claim>,
}

impl Outputs {
    /// For a command that reads nothing as yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// For a command that reads these files, each of which must count once.
    ///
    /// # Errors
    /// Two of them are one.
    pub fn reading_once<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Result<Self, OutputError> {
        let mut outputs = Self::new();
        for input in inputs {
            let path = input.as_ref();
            if let Some(id) = regular(path)
                && let Some(claim) = outputs
                    .claims
                    .iter()
                    .find(|claim| matches!(claim.role, Role::Input(other) if other == id))
            {
                return Err(OutputError::Twice { path: path.to_owned(), other: claim.path.clone() });
            }
            outputs.reads(path);
        }
        Ok(outputs)
    }

    /// For a command that reads these files.
    pub fn reading<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Self {
        let mut outputs = Self::new();
        inputs.into_iter().for_each(|input| outputs.reads(input));
        outputs
    }

    /// No output may go into this file. One that cannot be read is left to its reader to complain of.
    pub fn reads(&mut self, path: impl AsRef<Path>) {
        let path = path.as_ref();
        if let Some(id) = regular(path) {
            self.claims.push(Claim { path: path.to_owned(), role: Role::Input(id) });
        }
    }

    /// Reserves a file for an output.
    ///
    /// # Errors
    /// It is an input or another output of the command, precious, or cannot be written.
    pub fn place(&mut self, path: impl AsRef<Path>) -> Result<Place, OutputError> {
        let place = self.reserve(path.as_ref(), None)?;
        place.find_room()?;
        Ok(place)
    }

    /// Reserves a file for an output of a precious kind; one of that kind may lie there.
    ///
    /// # Errors
    /// As of [`Self::place`].
    pub fn place_for(&mut self, kind: Precious, path: impl AsRef<Path>) -> Result<Place, OutputError> {
        let place = self.reserve(path.as_ref(), Some(kind))?;
        place.find_room()?;
        Ok(place)
    }

    /// As [`Self::place_for`], for what the next run reads and goes on with: a regular file that nothing else is
    /// written to. What opens it for that would write to a redirected standard output from its beginning, and would
    /// itself be the reader of its pipe.
    ///
    /// # Errors
    /// As of [`Self::place_for`], and for anything but such a file.
    pub fn place_to_go_on(&mut self, kind: Precious, path: impl AsRef<Path>) -> Result<Place, OutputError> {
        let path = path.as_ref();
        // Asked before it is opened: a named pipe would be waited for until it has a reader.
        if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(OutputError::NotItsOwn);
        }
        // It is only added to, which takes no room elsewhere.
        match self.reserve(path, Some(kind)) {
            Err(OutputError::IsStandardOutput(_)) => Err(OutputError::NotItsOwn),
            Ok(place) if place.is_stream() => Err(OutputError::NotItsOwn),
            place => place,
        }
    }

    fn reserve(&mut self, path: &Path, kind: Option<Precious>) -> Result<Place, OutputError> {
        let place = Place::lead(path)?;
        if let Kind::File { target, .. } = &place.kind {
            let identity = identity(target).map_err(|cause| failed(path, cause))?;
            self.check(path, &identity)?;
            place.spare(kind)?;
            self.claims.push(Claim { path: path.to_owned(), role: Role::Output(target.clone()) });
        }
        Ok(place)
    }

    /// Makes a folder for outputs if it is not there, and finds out whether it takes files.
    ///
    /// # Errors
    /// It cannot be made or written to.
    pub fn folder(&self, path: impl AsRef<Path>) -> Result<PathBuf, OutputError> {
        let path = path.as_ref();
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => return Err(OutputError::IsFile(path.to_owned())),
            Ok(_) => {}
            Err(_) => fs::create_dir_all(path).map_err(|cause| failed(path, cause))?,
        }
        temporary(path).map_err(|cause| failed(path, cause))?;
        Ok(path.to_owned())
    }

    fn check(&self, path: &Path, identity: &Identity) -> Result<(), OutputError> {
        for claim in &self.claims {
            let Some(claimed) = claim.identity() else { continue };
            let (path, other) = (path.to_owned(), claim.path.clone());
            if claimed == *identity {
                return Err(match claim.role {
                    Role::Input(_) => OutputError::IsInput { path, other },
                    Role::Output(_) => OutputError::IsOutput { path, other },
                });
            }
            if alike(&claimed, identity) {
                return Err(OutputError::Capitals { path, other });
            }
        }
        if is_standard_stream(identity) {
            return Err(OutputError::IsStandardOutput(path.to_owned()));
        }
        Ok(())
    }
}

/// Which file a path leads to, if it leads to a regular one.
fn regular(path: &Path) -> Option<FileId> {
    let regular = fs::metadata(path).is_ok_and(|data| data.is_file());
    regular.then(|| get_file_id(path).ok()).flatten()
}

/// Are these two new files of one folder whose names differ in capitals only?
fn alike(one: &Identity, other: &Identity) -> bool {
    match (one, other) {
        (Identity::New(folder, name), Identity::New(same, like)) => {
            folder == same && name.to_string_lossy().to_lowercase() == like.to_string_lossy().to_lowercase()
        }
        _ => false,
    }
}

fn identity(target: &Path) -> io::Result<Identity> {
    match get_file_id(target) {
        Ok(id) => Ok(Identity::Existing(id)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = target.file_name().unwrap_or_default().to_owned();
            Ok(Identity::New(get_file_id(folder_of(target))?, name))
        }
        Err(error) => Err(error),
    }
}

/// Does standard output or standard error go to this regular file?
fn is_standard_stream(identity: &Identity) -> bool {
    let streams = ["/dev/stdout", "/dev/stderr"];
    streams
        .iter()
        .filter_map(|stream| regular(Path::new(stream)))
        .any(|id| *identity == Identity::Existing(id))
}

fn failed(path: &Path, cause: io::Error) -> OutputError {
    OutputError::Io { path: path.to_owned(), cause }
}

/// Whether a path leads to this open file: what is written into one that was removed, renamed or replaced is not found
/// there. Windows is not asked, and it is taken to do so.
#[cfg(unix)]
pub fn is_at(path: &Path, file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |file: &Metadata| (file.dev(), file.ino());
    fs::metadata(path).is_ok_and(|there| identity(&there) == identity(file))
}

/// Whether a path leads to this open file. Windows is not asked, and it is taken to do so.
#[cfg(not(unix))]
pub fn is_at(_: &Path, _: &Metadata) -> bool {
    true
}

/// The folder that a file lies in.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A place that an output may go to.
#[derive(Clone, Debug)]
pub struct Place {
    /// As it was named.
    shown: PathBuf,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// A device, a pipe, or the program's own standard output: open, and written in place.
    Stream(Arc<File>),
    /// A file, or the name of one to be.
    File {
        /// Where the links lead.
        target: PathBuf,
        /// Whether its folder takes new files.
        replaceable: bool,
    },
}

impl Place {
    /// Looks where a path leads, and whether it can be written there.
    ///
    /// # Errors
    /// It cannot, or what lies there is precious.
    pub fn find(path: &Path) -> Result<Self, OutputError> {
        let place = Self::lead(path)?;
        place.spare(None)?;
        place.find_room()?;
        Ok(place)
    }

    /// What is written in place is written whole elsewhere before: is there room?
    fn find_room(&self) -> Result<(), OutputError> {
        match &self.kind {
            Kind::File { replaceable: false, .. } => {
                temporary_elsewhere().map(drop).map_err(|cause| failed(&self.shown, cause))
            }
            _ => Ok(()),
        }
    }

    /// Refuses to touch what is precious, but for what is of the kind that is to be written.
    fn spare(&self, own: Option<Precious>) -> Result<(), OutputError> {
        let Kind::File { target, .. } = &self.kind else { return Ok(()) };
        match Precious::of(target) {
            Some((kind, what)) if own != Some(kind) => {
                Err(OutputError::IsPrecious { path: self.shown.clone(), what })
            }
            _ => Ok(()),
        }
    }

    /// Where a path leads.
    fn lead(path: &Path) -> Result<Self, OutputError> {
        let fail = |cause| failed(path, cause);
        let kind = match follow(path).map_err(fail)? {
            Led::Standard(stream) => Kind::Stream(Arc::new(stream.map_err(fail)?)),
            Led::InPlace => Kind::Stream(Arc::new(open_to_append(path).map_err(fail)?)),
            Led::To(target) => Self::file(path, target)?,
        };
        Ok(Self { shown: path.to_owned(), kind })
    }

    fn file(path: &Path, target: PathBuf) -> Result<Kind, OutputError> {
        let fail = |cause| failed(path, cause);
        let found = fs::metadata(&target).ok();
        if found.as_ref().is_some_and(Metadata::is_dir) {
            return Err(OutputError::IsFolder(path.to_owned()));
        }
        if target.file_name().is_none() || ends_like_a_folder(path) {
            return Err(OutputError::NoName(path.to_owned()));
        }
        let folder = folder_of(&target);
        if !folder.is_dir() {
            return Err(OutputError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
        }
        if found.is_some() {
            // A file that is write-protected is not to be replaced either.
            OpenOptions::new().write(true).open(&target).map_err(fail)?;
        }
        let replaceable = match temporary(folder) {
            Ok(_) => true,
            Err(_) if found.is_some() => false,
            Err(error) => return Err(fail(error)),
        };
        Ok(Kind::File { target, replaceable })
    }

    /// The path as it was named.
    pub fn path(&self) -> &Path {
        &self.shown
    }

    /// Is it a device, a pipe or standard output, whose content cannot be replaced?
    pub fn is_stream(&self) -> bool {
        matches!(self.kind, Kind::Stream(_))
    }

    /// The folder that the file lies in, behind links; none for a device, a pipe or standard output.
    pub fn folder(&self) -> Option<&Path> {
        match &self.kind {
            Kind::File { target, .. } => Some(folder_of(target)),
            Kind::Stream(_) => None,
        }
    }

    /// What lies there now; nothing if there is no file, or no regular one.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn content(&self) -> Result<Vec<u8>, OutputError> {
        let mut content = Vec::new();
        self.reader()?.read_to_end(&mut content).map_err(|cause| failed(&self.shown, cause))?;
        Ok(content)
    }

    /// Reads what lies there now, piece by piece; nothing if there is no file, or no regular one.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn reader(&self) -> Result<Box<dyn BufRead>, OutputError> {
        let Kind::File { target, .. } = &self.kind else { return Ok(Box::new(io::empty())) };
        match File::open(target) {
            Ok(file) => Ok(Box::new(BufReader::new(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Box::new(io::empty())),
            Err(cause) => Err(failed(&self.shown, cause)),
        }
    }

    /// Puts these bytes there, in one step where it can be done; again and again if wanted.
    ///
    /// # Errors
    /// The system refuses; then what was there before is kept, unless it had to be written in place.
    pub fn write(&self, bytes: impl AsRef<[u8]>) -> Result<(), OutputError> {
        self.write_to(Disk::Waited, bytes.as_ref())
    }

    /// As [`Self::write`], for what is written anew every few seconds: it does not wait for the disk, so that a power
    /// failure may leave neither the new content nor the old one.
    ///
    /// # Errors
    /// Those of [`Self::write`].
    pub fn write_without_sync(&self, bytes: impl AsRef<[u8]>) -> Result<(), OutputError> {
        self.write_to(Disk::Left, bytes.as_ref())
    }

    fn write_to(&self, disk: Disk, bytes: &[u8]) -> Result<(), OutputError> {
        let mut draft = self.begin()?;
        draft.write_all(bytes).map_err(|cause| failed(&self.shown, cause))?;
        draft.end(disk)
    }

    /// Begins to write what [`Draft::finish`] puts there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn begin(&self) -> Result<Draft, OutputError> {
        let fail = |cause| failed(&self.shown, cause);
        let sink = match &self.kind {
            Kind::Stream(file) => Sink::Stream(file.try_clone().map_err(fail)?),
            Kind::File { target, replaceable } => {
                let temporary =
                    if *replaceable { temporary(folder_of(target)) } else { temporary_elsewhere() };
                let temporary = temporary.map_err(fail)?;
                Sink::Temporary { temporary, target: target.clone(), replaces: *replaceable }
            }
        };
        Ok(Draft { shown: self.shown.clone(), sink: BufWriter::new(sink) })
    }

    /// Opens it to add to what is there; makes the file if there is none.
    ///
    /// # Errors
    /// The system refuses.
    pub fn append(&self) -> Result<File, OutputError> {
        let file = match &self.kind {
            Kind::Stream(file) => file.try_clone(),
            Kind::File { target, .. } => OpenOptions::new().append(true).create(true).open(target),
        };
        file.map_err(|cause| failed(&self.shown, cause))
    }

    /// Opens it to add whole entries to what is there; makes the file if there is none. Entries are apart by
    /// `between` line ends: where what is there does not end with as many, they are written before the first.
    ///
    /// # Errors
    /// The system refuses.
    pub fn additions(&self, between: usize) -> Result<Additions, OutputError> {
        let path = match &self.kind {
            Kind::Stream(_) => None,
            Kind::File { target, .. } => Some(target.clone()),
        };
        let file = self.append()?;
        let missing = path.as_deref().map_or(Ok(0), |path| missing_line_ends(path, between));
        let missing = missing.map_err(|cause| failed(&self.shown, cause))?;
        Ok(Additions { file, path, first: "\n".repeat(missing).into_bytes() })
    }
}

/// A file to which entries are added, each wholly or not at all.
#[derive(Debug)]
pub struct Additions {
    file: File,
    /// Where it lies, if it is a regular file.
    path: Option<PathBuf>,
    /// What stands before the next entry.
    first: Vec<u8>,
}

impl Additions {
    /// What [`Self::add`] writes before the next entry: the line ends that the last one lacks.
    pub fn before_next(&self) -> &[u8] {
        &self.first
    }

    /// Whether what is added is found where the file was opened ([`is_at`]); so it is of what is no regular file.
    pub fn is_in_place(&self) -> bool {
        let Some(path) = &self.path else { return true };
        self.file.metadata().is_ok_and(|file| is_at(path, &file))
    }

    /// Adds an entry. If it cannot be written, as on a full disk, nothing of it stays in a regular file.
    ///
    /// # Errors
    /// The system refuses.
    pub fn add(&mut self, entry: &[u8]) -> io::Result<()> {
        if entry.is_empty() {
            return Ok(());
        }
        let before = self.path.as_ref().map(|_| self.file.metadata().map(|data| data.len())).transpose()?;
        let text = [&self.first, entry].concat();
        if let Err(error) = self.file.write_all(&text) {
            if let (Some(path), Some(length)) = (&self.path, before) {
                // Where a file opened to append cannot be cut, as on Windows, one opened to write can.
                let cut = || OpenOptions::new().write(true).open(path)?.set_len(length);
                let _ = self.file.set_len(length).or_else(|_| cut());
            }
            return Err(error);
        }
        self.first.clear();
        Ok(())
    }
}

/// How many line ends a file that is not empty lacks at its end.
fn missing_line_ends(path: &Path, wanted: usize) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    // A line end may be two bytes.
    file.seek(SeekFrom::Start(length.saturating_sub(2 * wanted as u64)))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    let end = end.iter().rev().filter(|&&byte| byte != b'\r');
    let there = end.take_while(|&&byte| byte == b'\n').count();
    Ok(if length == 0 { 0 } else { wanted.saturating_sub(there) })
}

/// Where a path leads.
enum Led {
    /// To the program's own standard output or standard error.
    Standard(io::Result<File>),
    /// To something that is written in place through this very path.
    InPlace,
    /// To a regular file, a folder, or a name that nothing has.
    To(PathBuf),
}

/// Follows symbolic links, also to a file that is not there yet.
fn follow(path: &Path) -> io::Result<Led> {
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        if let Some(stream) = standard_stream(&target) {
            return Ok(Led::Standard(stream));
        }
        let Ok(link) = fs::read_link(&target) else { return Ok(leads_to(target)) };
        // Links of the process file system name open files; opening such a link is not opening what it says.
        if fs::canonicalize(folder_of(&target)).is_ok_and(|folder| folder.starts_with("/proc")) {
            return Ok(Led::InPlace);
        }
        target = folder_of(&target).join(link);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// For a path that is no link.
fn leads_to(target: PathBuf) -> Led {
    match fs::metadata(&target) {
        Ok(found) if !found.is_file() && !found.is_dir() => Led::InPlace,
        _ => Led::To(target),
    }
}

/// The program's own stream, if the path is its name. Another handle on it shares its place in the file.
#[cfg(unix)]
fn standard_stream(path: &Path) -> Option<io::Result<File>> {
    use std::os::fd::AsFd;
    const OUTPUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    const ERRORS: [&str; 3] = ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"];
    let is = |names: [&str; 3]| names.iter().any(|name| path == Path::new(name));
    let stream = if is(OUTPUT) {
        io::stdout().as_fd().try_clone_to_owned()
    } else if is(ERRORS) {
        io::stderr().as_fd().try_clone_to_owned()
    } else {
        return None;
    };
    Some(stream.map(File::from))
}

#[cfg(not(unix))]
fn standard_stream(_: &Path) -> Option<io::Result<File>> {
    None
}

fn open_to_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

fn ends_like_a_folder(path: &Path) -> bool {
    let text = path.as_os_str().to_string_lossy();
    text.is_empty()
        || text.ends_with(['/', std::path::MAIN_SEPARATOR])
        || path.file_name() == Some(OsStr::new(""))
}

/// A file under a name that nothing else has; gone when dropped. It may be read by those who may read new files
/// here.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".firstborn-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(<fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    builder.tempfile_in(folder).map_err(without_path)
}

/// For a file in a folder that takes no new ones.
fn temporary_elsewhere() -> io::Result<NamedTempFile> {
    let elsewhere = std::env::temp_dir();
    temporary(&elsewhere).map_err(|error| {
        let why = format!(
            "its folder takes no new files, nor does that of temporary ones, {}: {error}",
            elsewhere.display()
        );
        io::Error::new(error.kind(), why)
    })
}

/// The system's reason alone: the name of a temporary file was chosen by no user.
fn without_path(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((reason, _)) => io::Error::new(error.kind(), reason.to_owned()),
        None => error,
    }
}

/// What is being written to a [`Place`]. Dropped without [`Draft::finish`] it leaves a file as it was.
#[derive(Debug)]
pub struct Draft {
    shown: PathBuf,
    sink: BufWriter<Sink>,
}

#[derive(Debug)]
enum Sink {
    Stream(File),
    Temporary { temporary: NamedTempFile, target: PathBuf, replaces: bool },
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stream(file) => file.write(bytes),
            // By itself it would name its own path in an error, which is not the file that was asked for.
            Sink::Temporary { temporary, .. } => temporary.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stream(file) => file.flush(),
            Sink::Temporary { temporary, .. } => temporary.as_file_mut().flush(),
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

impl Draft {
    /// What to say when a write has failed: names the file.
    pub fn refused(&self) -> String {
        format!("cannot write {}", self.shown.display())
    }

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// The system refuses; then what was there before is kept, unless it had to be written in place. Where nothing but
    /// the last step fails, what should be there is left in a file that the error names.
    pub fn finish(self) -> Result<(), OutputError> {
        self.end(Disk::Waited)
    }

    fn end(self, disk: Disk) -> Result<(), OutputError> {
        let shown = self.shown;
        let placed = match self.sink.into_inner() {
            Ok(Sink::Stream(_)) => Ok(()),
            Ok(Sink::Temporary { temporary, target, replaces: true }) => put(temporary, &target, disk),
            Ok(Sink::Temporary { temporary, target, replaces: false }) => overwrite(temporary, &target, disk),
            Err(error) => Err(error.into_error()),
        };
        placed.map_err(|cause| failed(&shown, cause))
    }
}

/// Whether a file is brought to the disk before it counts as written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disk {
    /// It is waited for.
    Waited,
    /// That is left to the system.
    Left,
}

impl Disk {
    fn take(self, file: &File) -> io::Result<()> {
        if self == Self::Waited { file.sync_all() } else { Ok(()) }
    }
}

/// Brings a whole file to the disk and gives it its name. Where that alone fails, the whole one is left, and named.
fn put(temporary: NamedTempFile, target: &Path, disk: Disk) -> io::Result<()> {
    disk.take(temporary.as_file())?;
    if let Ok(old) = fs::metadata(target) {
        keep_owner(temporary.as_file(), &old);
        temporary.as_file().set_permissions(old.permissions())?;
    }
    match temporary.persist(target) {
        Ok(_) => Ok(()),
        Err(refused) if may_be_written_over(refused.error.kind()) => overwrite(refused.file, target, disk),
        // Windows refuses while a reader has the file open: what is written again and again would leave many.
        Err(refused) if cfg!(windows) && refused.error.kind() == io::ErrorKind::PermissionDenied => {
            Err(refused.error)
        }
        Err(refused) => Err(left(refused.file, refused.error)),
    }
}

/// Leaves a whole file where it is, and says so behind the error that keeps it from its name.
fn left(whole: NamedTempFile, error: io::Error) -> io::Error {
    match whole.keep() {
        Ok((_, path)) => io::Error::new(error.kind(), format!("{error}; it is whole in {}", path.display())),
        Err(_) => error,
    }
}

/// A file that is a mount point of its own can be written, not replaced. So can, on Unix, one of another user in a
/// folder where each user's files are his own (the sticky bit).
fn may_be_written_over(refused: io::ErrorKind) -> bool {
    refused == io::ErrorKind::ResourceBusy || cfg!(unix) && refused == io::ErrorKind::PermissionDenied
}

/// Writes a whole file over another one, which keeps its owner, links and permissions. Where that breaks off, the
/// whole one is left, and named.
fn overwrite(whole: NamedTempFile, target: &Path, disk: Disk) -> io::Result<()> {
    let copy = || {
        let mut from = File::open(whole.path())?;
        let mut to = OpenOptions::new().write(true).truncate(true).open(target)?;
        io::copy(&mut from, &mut to)?;
        disk.take(&to)
    };
    copy().map_err(|error| left(whole, error))
}

/// Where the program may, it leaves a replaced file to its owner.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata().is_ok_and(|new| (new.uid(), new.gid()) == (old.uid(), old.gid()));
    if !own {
        // Only the superuser may give files away; others become the owner, as with any editor.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The system's reason is kept, without the temporary name.
    #[test]
    fn a_temporary_file_is_not_named() {
        let error = temporary(Path::new("/no/such/folder")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains("firstborn"), "{error}");
    }
}
