"""tools/dist.sh, in a small repository with stand-ins for cargo and strip: what its archives hold."""

import os
import re
import shutil
import subprocess
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
tree) echo "clap v4.0.0 | MIT | https://example.org" ;;
*) exit 1 ;;
esac
"""
"""Builds the program that the environment names, and has no subcommand `deb`."""

STRIP = """#!/bin/sh
cp "$3" "$2"
"""
"""Called as `strip -o TO FROM`."""


class Dist(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree, programs = Path(folder.name, "tree"), Path(folder.name, "bin")
        for made in (self.tree / "tools", programs):
            made.mkdir(parents=True)
        for name in ("tools/dist.sh", "Cargo.toml", "LICENSE", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / name, self.tree / name)
        for name in ("docs", "packaging"):
            shutil.copytree(ROOT / name, self.tree / name)
        for name, text in (("cargo", CARGO), ("strip", STRIP), ("firstborn", PROGRAM)):
            (programs / name).write_text(text, encoding="ascii")
            (programs / name).chmod(0o755)
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        people = [(who, what) for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
        identity = {f"GIT_{who}_{what}": "test@example.org" for who, what in people}
        home = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": folder.name}
        self.environment = {**own, **identity, **home, "PATH": path, "PROGRAM": str(programs / "firstborn")}
        self.environment.pop("CARGO_HOME", None)
        self.run_here("git", "init", "--quiet")
        self.run_here("git", "commit", "--quiet", "--allow-empty", "-m", "Before")

    def run_here(self, *words):
        done = subprocess.run(words, cwd=self.tree, env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_pages_have_their_pictures(self):
        self.run_here("bash", "tools/dist.sh", "x86-64-v2")
        (archive,) = (self.tree / "dist").glob("*.tar.gz")
        self.run_here("tar", "--extract", "--file", str(archive))
        (base,) = self.tree.glob("firstborn-*-linux-x86-64-v2")
        shown = 0
        for page in [base / "README.md", *(base / "docs").glob("*.md")]:
            for picture in re.findall(r"!\[[^]]*\]\(((?:docs/)?images/[^)]+)\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / picture).is_file(), f"{page.name}: {picture}")
                shown += 1
        self.assertGreater(shown, 20)


if __name__ == "__main__":
    unittest.main()
