//! Reading the kernel's one-value files under a given root.
//!
//! Linux describes the machine in small text files (`/sys`, `/proc`). Any of them may be missing, unreadable
//! or nonsense (containers, odd kernels, other systems), so every reader here answers `None` instead of
//! failing. The root is an argument so that tests can describe a machine that we do not have.

use std::fs;
use std::path::Path;
use std::str::FromStr;

/// The file's text without surrounding white space; `None` if it is missing, unreadable, not UTF-8, or empty.
pub(crate) fn text(root: &Path, file: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(root.join(file)).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The file's whole content as one value; `None` if there is no such value in it.
pub(crate) fn value<T: FromStr>(root: &Path, file: impl AsRef<Path>) -> Option<T> {
    text(root, file)?.parse().ok()
}

/// The value after `name` in a file of `name: value` lines, such as `/proc/meminfo`.
pub(crate) fn field(root: &Path, file: impl AsRef<Path>, name: &str) -> Option<String> {
    let text = text(root, file)?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// A field given in kB, in bytes.
pub(crate) fn kilobytes(root: &Path, file: impl AsRef<Path>, name: &str) -> Option<u64> {
    let value = field(root, file, name)?;
    value.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// A machine made of files in a temporary folder.
#[cfg(test)]
pub(crate) mod fake {
    use std::fs;
    use std::path::Path;
    use tempfile::TempDir;

    /// Writes each `(path, content)` under a fresh root.
    pub(crate) fn machine(files: &[(&str, &str)]) -> TempDir {
        let root = TempDir::new().expect("tests may write to the temporary folder");
        for (path, content) in files {
            write(root.path(), path, content);
        }
        root
    }

    /// Adds one file to a fake machine.
    pub(crate) fn write(root: &Path, path: &str, content: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the root is writable");
        fs::write(path, content).expect("the root is writable");
    }
}
