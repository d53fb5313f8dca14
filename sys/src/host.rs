//! Which of several machines this is, also among those that are alike in all that can be seen of them.

use std::path::Path;

use crate::tree;

/// What tells this machine from others: the identity that its system was given when it was installed, or its name in
/// the network where it has none, as in most containers. `None` where the system keeps neither in a file.
///
/// The identity is not for others to know (machine-id(5)): nothing of it but a hash may leave the machine.
pub fn identity() -> Option<String> {
    read(Path::new("/"))
}

fn read(root: &Path) -> Option<String> {
    // This word stands in an image from which machines are made.
    let own = tree::text(root, "etc/machine-id").filter(|text| text != "uninitialized");
    own.or_else(|| tree::text(root, "proc/sys/kernel/hostname"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fake::machine;

    #[test]
    fn the_name_stands_for_an_identity_that_is_missing() {
        let id = "0123456789abcdef0123456789abcdef";
        let line = format!("{id}\n");
        let cases = [
            (line.as_str(), "node7\n", Some(id)),
            ("", "node7\n", Some("node7")),
            ("uninitialized\n", "node7\n", Some("node7")),
            ("uninitialized\n", "", None),
        ];
        for (own, name, wanted) in cases {
            let root = machine(&[("etc/machine-id", own), ("proc/sys/kernel/hostname", name)]);
            assert_eq!(read(root.path()).as_deref(), wanted, "{own:?}, {name:?}");
        }
        let root = machine(&[("proc/sys/kernel/hostname", "node7\n")]);
        assert_eq!(read(root.path()).as_deref(), Some("node7"));
        assert_eq!(read(machine(&[]).path()), None);
    }
}
