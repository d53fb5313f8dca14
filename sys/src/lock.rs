//! Locks on open files, by which programs agree that one of them writes a file.
//!
//! A lock belongs to the open file and is gone with its process, however that ends. It keeps out other
//! writers that ask for it, but no readers: a journal can be read while it is written. Locks on Unix work
//! like that. Windows lets no other program read locked bytes, so there the lock is on one byte far behind
//! the end of any file.

use std::fs::{File, TryLockError};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// An open file and its lock, which is given up before the file is closed: on Unix a program that is just being started
/// has a copy of every open file until it runs, so a lock that only goes with its file may outlive it by some
/// milliseconds.
#[derive(Debug)]
pub struct Locked(File);

impl Locked {
    /// An open file that gives up whatever lock it has, by the standard library's own methods, when it is dropped.
    pub(crate) fn of(file: File) -> Self {
        Self(file)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        os::release(&self.0);
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

/// Opens a file that is there and locks it, without waiting. It is opened for writing too: some network file systems
/// lock nothing else.
///
/// # Errors
/// As of [`lock`], or it cannot be opened.
pub fn open(path: &Path) -> Result<Locked, TryLockError> {
    lock(File::options().read(true).write(true).open(path).map_err(TryLockError::Error)?)
}

/// Locks an open file, without waiting.
///
/// # Errors
/// [`TryLockError::WouldBlock`]: another open file has the lock. Otherwise what the system answers.
pub fn lock(file: File) -> Result<Locked, TryLockError> {
    os::try_lock(&file)?;
    Ok(Locked(file))
}

#[cfg(not(windows))]
mod os {
    use std::fs::{File, TryLockError};

    pub(super) fn try_lock(file: &File) -> Result<(), TryLockError> {
        file.try_lock()
    }

    pub(super) fn release(file: &File) {
        // If that fails, the lock goes with the file.
        let _ = file.unlock();
    }
}

#[cfg(windows)]
mod os {
    use std::fs::{File, TryLockError};
    use std::io;
    use std::os::windows::io::AsRawHandle;

    use windows_sys::Win32::Foundation::ERROR_LOCK_VIOLATION;
    use windows_sys::Win32::Storage::FileSystem::{
        LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
    };
    use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0};

    /// Bits 32 and up of the byte's place, 2^62.
    const FAR: u32 = 1 << 30;

    pub(super) fn try_lock(file: &File) -> Result<(), TryLockError> {
        let place = OVERLAPPED_0_0 { Offset: 0, OffsetHigh: FAR };
        let mut place = OVERLAPPED { Anonymous: OVERLAPPED_0 { Anonymous: place }, ..Default::default() };
        let how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
        // SAFETY: the handle is open, and `place` is writable. The call does not wait, and files of the
        // standard library are not opened for overlapped work, so the system is done with `place` when it
        // returns.
        let answer = unsafe { LockFileEx(file.as_raw_handle(), how, 0, 1, 0, &mut place) };
        if answer != 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error().map(i32::cast_unsigned) {
            Some(ERROR_LOCK_VIOLATION) => Err(TryLockError::WouldBlock),
            _ => Err(TryLockError::Error(error)),
        }
    }

    /// No program inherits the file, so the lock goes with it.
    pub(super) fn release(_: &File) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::{Read, Seek, SeekFrom, Write};

    #[test]
    fn one_writer_has_the_lock_and_readers_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file");
        let open = || OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut first = lock(open().expect("it can be made")).expect("it is free");
        first.write_all(b"one\n").expect("it can be written");
        let second = lock(open().expect("it is there"));
        assert!(matches!(second, Err(TryLockError::WouldBlock)));
        assert_eq!(std::fs::read(&path).expect("readers need no lock"), b"one\n");
        first.set_len(2).expect("it can be cut");
        let mut left = String::new();
        first.seek(SeekFrom::Start(0)).expect("its beginning is there");
        first.read_to_string(&mut left).expect("the writer reads as well");
        assert_eq!(left, "on");
        drop(first);
        lock(open().expect("it is there")).expect("it went with its file");
    }

    #[test]
    fn a_copy_of_the_file_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file");
        std::fs::write(&path, b"one\n").expect("it can be written");
        let first = open(&path).expect("it is free");
        // What a program that is being started has of it.
        let copy = first.try_clone().expect("it can be copied");
        drop(first);
        let second = open(&path);
        drop(copy);
        if cfg!(unix) {
            second.expect("the lock was given up");
        }
    }
}
