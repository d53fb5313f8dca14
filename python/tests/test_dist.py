"""tools/dist.sh, in a small repository with stand-ins for cargo, rustc and strip: what its archives hold."""

import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """#!/bin/sh
case "$1" in
man) touch "$3/firstborn.6" ;;
bench) echo "1234 nodes 5 nps" ;;
esac
"""

CARGO = """#!/bin/sh
case "$1" in
build)
    for word; do
        test "$last" = --target-dir && to=$word/release
        last=$word
    done
    mkdir -p "$to" && cp "$PROGRAM" "$to/firstborn" ;;
tree) cat "$CRATES/tree" ;;
metadata) cat "$CRATES/metadata" ;;
*) exit 1 ;;
esac
"""
"""Builds the program and knows the crates that the environment names, and has no subcommand `deb`."""

RUSTC = """#!/bin/sh
test "$2" = sysroot && echo "$CRATES" || echo x86_64-unknown-linux-gnu
"""
"""Called as `rustc --print WHAT`; its own notices lie beside the crates."""

STRIP = """#!/bin/sh
cp "$3" "$2"
"""
"""Called as `strip -o TO FROM`."""


class Dist(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree, programs = Path(folder.name, "tree"), Path(folder.name, "bin")
        self.crates = Path(folder.name, "crates")
        for made in (self.tree / "tools", programs, self.crates / "share/doc/rust"):
            made.mkdir(parents=True)
        (self.crates / "share/doc/rust/COPYRIGHT-library.html").write_text("The Rust Project", encoding="ascii")
        for name in ("tools/dist.sh", "tools/licences.py", "Cargo.toml", "LICENSE", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / name, self.tree / name)
        for name in ("docs", "packaging"):
            shutil.copytree(ROOT / name, self.tree / name)
        for name, text in (("cargo", CARGO), ("rustc", RUSTC), ("strip", STRIP), ("firstborn", PROGRAM)):
            (programs / name).write_text(text, encoding="ascii")
            (programs / name).chmod(0o755)
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        people = [(who, what) for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
        identity = {f"GIT_{who}_{what}": "test@example.org" for who, what in people}
        home = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": folder.name}
        named = {"PROGRAM": str(programs / "firstborn"), "CRATES": str(self.crates)}
        self.environment = {**own, **identity, **home, **named, "PATH": path}
        self.environment.pop("CARGO_HOME", None)
        self.run_here("git", "init", "--quiet")
        self.run_here("git", "add", "docs")
        self.run_here("git", "commit", "--quiet", "-m", "Before")
        self.link(("clap", "MIT", {"LICENSE-MIT": "Copyright (c) Kevin"}))

    def attempt(self, *words):
        return subprocess.run(words, cwd=self.tree, env=self.environment, capture_output=True, text=True, check=False)

    def run_here(self, *words):
        done = self.attempt(*words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def link(self, *crates):
        """These are the crates of the program: name, licence, files with their texts."""
        packages = [{"name": "firstborn", "version": "1.0.0", "license": "GPL-3.0-or-later", "source": None}]
        for name, licence, files in crates:
            for file, text in files.items():
                path = self.crates / name / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            packages.append({"name": name, "version": "4.0.0", "license": licence, "source": "registry"})
        for package in packages:
            manifest = str(self.crates / package["name"] / "Cargo.toml")
            package.update(manifest_path=manifest, license_file=None, repository="https://example.org")
        lines = [f"{package['name']} v{package['version']}\n" for package in packages]
        (self.crates / "tree").write_text("".join(lines) + lines[-1].replace("\n", " (*)\n"), encoding="ascii")
        # Cargo knows more than is linked.
        packages.append({**packages[-1], "name": "syn", "manifest_path": str(self.crates / "syn/Cargo.toml")})
        (self.crates / "metadata").write_text(json.dumps({"packages": packages}), encoding="ascii")

    def made(self):
        """The archive of a level."""
        self.run_here("bash", "tools/dist.sh", "x86-64-v2")
        (archive,) = (self.tree / "dist").glob("*.tar.gz")
        return archive

    def extracted(self):
        """The folder that the archive holds."""
        self.run_here("tar", "--extract", "--file", str(self.made()))
        (base,) = self.tree.glob("firstborn-*-linux-x86-64-v2")
        return base

    def test_pages_have_their_pictures(self):
        base = self.extracted()
        shown = 0
        for page in [base / "README.md", *(base / "docs").glob("*.md")]:
            for picture in re.findall(r"!\[[^]]*\]\(((?:docs/)?images/[^)]+)\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / picture).is_file(), f"{page.name}: {picture}")
                shown += 1
        self.assertGreater(shown, 20)

    def test_a_closed_checkout_gives_the_same_archive(self):
        usual = self.made().read_bytes()
        self.run_here("chmod", "-R", "go-rwx", ".")
        (self.tree / "docs/notes.txt").write_text("Mine", encoding="ascii")
        closed = self.made()
        with tarfile.open(closed) as archive:
            modes = {member.name: member.mode for member in archive}
        for name, mode in modes.items():
            self.assertEqual(mode & 0o444, 0o444, name)
        self.assertFalse([name for name in modes if name.endswith("notes.txt")])
        self.assertEqual(closed.read_bytes(), usual)

    def test_the_notices_of_all_crates_go_with_the_program(self):
        shared = "Permission is hereby granted\nto all.\n"
        self.link(
            ("able", "MIT", {"LICENSE": "Copyright (c) Abel\n", "README.md": "Read me"}),
            ("broad", "MIT OR Apache-2.0", {"license-apache-2.0": shared, "COPYING": "Copyright (c) Björn\n"}),
            ("chess", "GPL-3.0-or-later", {}),
            ("deep", "MIT", {"LICENSE-MIT": shared.replace("\n", "\r\n"), "src/tables/LICENSE-UNICODE": "Unicode"}),
        )
        base = self.extracted()
        text = (base / "LICENCES.txt").read_text(encoding="utf-8")
        crates, notices = text.split("=" * 80 + "\n", 1)
        listed = re.findall(r"^(\w+) 4\.0\.0 \| (.*) \| https://example\.org$", crates, re.MULTILINE)
        licences = ["MIT", "MIT OR Apache-2.0", "GPL-3.0-or-later", "MIT"]
        self.assertEqual(listed, list(zip(["able", "broad", "chess", "deep"], licences)))
        granted = "Permission is hereby granted\nto all."
        for notice in ("Copyright (c) Abel", "Copyright (c) Björn", granted, "Unicode"):
            self.assertEqual(notices.count(notice + "\n"), 1, text)
        self.assertIn("broad 4.0.0: license-apache-2.0\ndeep 4.0.0: LICENSE-MIT\n\nPermission", notices)
        self.assertNotIn("Read me", text)
        self.assertEqual((base / "LICENCES-rust.html").read_text(encoding="ascii"), "The Rust Project")

    def test_a_crate_without_its_notice_is_not_released(self):
        self.link(("able", "MIT", {"LICENSE": "Copyright (c) Abel"}), ("bare", "MIT", {"README.md": "Read me"}))
        done = self.attempt("bash", "tools/dist.sh", "x86-64-v2")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("bare 4.0.0 (MIT) has no file", done.stderr)
        self.assertEqual(list((self.tree / "dist").glob("*.tar.gz")), [])


if __name__ == "__main__":
    unittest.main()
