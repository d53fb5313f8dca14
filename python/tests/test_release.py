"""tools/release.sh, in a small repository with a stand-in for cargo: what it commits and tags, and when it does not."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CARGO = """#!/bin/sh
echo "$@ ${FIRSTBORN_BINARY-}" >> "$CALLS"
case "$*" in
update*fuzz/Cargo.toml*) version=$(sed -n 's/^version = //p' Cargo.toml) && echo "version = $version" > fuzz/Cargo.lock ;;
update*) version=$(sed -n 's/^version = //p' Cargo.toml) && echo "version = $version" > Cargo.lock ;;
run*) printf 'a position\\n1234 nodes 5 nps\\n' ;;
test*) [ -z "$TESTS_FAIL" ] ;;
esac
"""
"""What it is called for, in a file; its locks hold the version of the workspace alone."""


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree, self.calls = Path(folder.name, "tree"), Path(folder.name, "calls")
        programs = Path(folder.name, "bin")
        for made in (self.tree / "tools", self.tree / "python", self.tree / "fuzz", programs):
            made.mkdir(parents=True)
        for name in ("tools/release.sh", "Cargo.toml", "python/pyproject.toml", ".gitignore", "fuzz/.gitignore"):
            shutil.copy(ROOT / name, self.tree / name)
        (self.tree / "CHANGELOG.md").write_text("# Changelog\n\n## 7.8 (unreleased)\n\n## 7.7 (2020-01-01)\n")
        for name in ("Cargo.lock", "fuzz/Cargo.lock"):
            (self.tree / name).write_text('version = "of old"\n')
        (programs / "cargo").write_text(CARGO)
        (programs / "cargo").chmod(0o755)
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        identity = {f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": folder.name}
        self.environment = {**own, **identity, **quiet, "PATH": path, "CALLS": str(self.calls), "TESTS_FAIL": ""}
        self.environment["FIRSTBORN_BINARY"] = "an old program"
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "Before")

    def git(self, *words):
        done = subprocess.run(["git", *words], cwd=self.tree, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout

    def release(self, *words, code=0, **environment):
        command = ["bash", self.tree / "tools/release.sh", *words]
        environment = {**self.environment, **environment}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_all_that_has_a_version_gets_it_and_the_tests_are_run_with_it(self):
        before = {name: self.git("show", f"HEAD:{name}") for name in ("Cargo.toml", "python/pyproject.toml")}
        said = self.release("7.8.0")
        self.assertIn("ten minutes; --no-tests", said)
        for name, text in before.items():
            old = re.search(r'^version = ".*"$', text, re.MULTILINE).group()
            self.assertEqual(self.git("show", f"v7.8.0:{name}"), text.replace(old, 'version = "7.8.0"', 1), name)
        for name in ("Cargo.lock", "fuzz/Cargo.lock"):
            self.assertEqual(self.git("show", f"v7.8.0:{name}"), 'version = "7.8.0"\n', name)
        self.assertRegex(self.git("show", "v7.8.0:CHANGELOG.md"), r"\n## 7\.8 \(\d{4}-\d\d-\d\d\)\n\n## 7\.7 ")
        self.assertEqual(self.git("log", "-1", "--format=%B", "v7.8.0^{}").split("\n")[:3], ["Release 7.8.0", "", "Bench: 1234"])
        self.assertEqual(self.git("status", "--porcelain"), "")
        # Not of the program that the environment names, which may be of another version.
        self.assertEqual(self.called()[-1], "test --workspace --locked ")

    def test_tests_that_fail_leave_everything_as_it_was(self):
        before = self.git("rev-parse", "HEAD")
        self.assertIn("its tests fail", self.release("7.8.0", code=1, TESTS_FAIL="yes"))
        self.assertEqual((self.git("rev-parse", "HEAD"), self.git("tag"), self.git("status", "--porcelain")), (before, "", ""))
        self.release("7.8.0", "--no-tests", TESTS_FAIL="yes")
        self.assertEqual(self.git("tag"), "v7.8.0\n")

    def test_what_documented_commands_leave_is_no_change(self):
        for name in ("firstborn", "firstborn-tuning", "target/debug/firstborn", "fuzz/work/uci/0a1b", "fuzz/target/x"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).touch()
        self.assertIn("could be made of", self.release("7.8.0", "--dry-run"))
        self.assertEqual((self.git("tag"), self.called()), ("", []))
        (self.tree / "tools/firstborn").touch()
        self.assertIn("has changes", self.release("7.8.0", "--dry-run", code=1))

    def test_other_options_are_refused(self):
        self.assertIn("unknown option '--now'", self.release("7.8.0", "--dry-run", "--now", code=1))


if __name__ == "__main__":
    unittest.main()
