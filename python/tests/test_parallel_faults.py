"""The planted faults of tools/parallel_faults.py fit the sources as they are, and docs/parallel-faults.md; and what
counts as a test that passes, there and in tools/mutants.py, with a stand-in for cargo."""

import importlib.util
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[2] / "tools"
TOOL = TOOLS / "parallel_faults.py"
PAGE = TOOLS.parent / "docs" / "parallel-faults.md"
# A row of the page: its number, and of the last column room, kind and name of the file, and what it says of the test.
ROW = re.compile(r"^\| (\d+) \|.*\| `(\w+)/(src|tests)/([\w/]+)\.rs`(?:: ([\w, ]+))? \|$", re.MULTILINE)

# Succeeds with so many tests as the environment says, of the program that is built with them.
CARGO = """#!/bin/sh
test -z "$FIRSTBORN_BINARY$FIRSTBORN_MPI" || { echo "tested $FIRSTBORN_BINARY$FIRSTBORN_MPI" >&2; exit 1; }
test -z "$TESTS" || echo "test result: ok. $TESTS passed; 0 failed; 0 ignored; 0 measured; 9 filtered out"
"""


def load():
    spec = importlib.util.spec_from_file_location("parallel_faults", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(TOOLS))
    spec.loader.exec_module(module)
    return module


class Places(unittest.TestCase):
    def test_every_fault_has_its_place(self):
        tool = load()
        self.assertGreaterEqual(len(tool.FAULTS), 22)
        self.assertEqual(tool.misplaced(), [])

    def test_the_page_has_the_same_faults_and_tests(self):
        rows = ROW.findall(PAGE.read_text())
        faults = load().FAULTS
        self.assertEqual([int(number) for number, *_ in rows], [fault.number for fault in faults])
        for fault, (_, room, kind, file, described) in zip(faults, rows):
            module = file.split("/")[-1]
            target = {"src": "--lib", "tests": "--test all"}[kind]
            start = f"-p {room} {target} {module}::"
            with self.subTest(fault=fault.number):
                self.assertTrue(fault.test.startswith(start), f"{fault.test} is not of {start}")
                # Where the page describes the test of a file, the test's name is made of words of that.
                if described:
                    name = fault.test.removeprefix(start)
                    self.assertLessEqual(set(name.split("_")), set(re.findall(r"\w+", described)))


class Passing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        cargo = self.folder / "cargo"
        cargo.write_text(CARGO, encoding="ascii")
        cargo.chmod(0o755)

    def verdict(self, *words, **environment):
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        with mock.patch.dict(os.environ, PATH=path, **environment):
            return load().sources.cargo_test(self.folder, self.folder, words, 60)

    def test_the_program_that_the_environment_names_is_not_tested(self):
        programs = {"FIRSTBORN_BINARY": "/elsewhere/firstborn", "FIRSTBORN_MPI": "/elsewhere/firstborn-mpi"}
        self.assertEqual(self.verdict("-p", "smp", TESTS="1", **programs), (True, ""))

    def test_a_name_that_fits_no_test_does_not_pass(self):
        self.assertEqual(self.verdict("-p", "smp", "exact::", TESTS="10"), (True, ""))
        passed, said = self.verdict("-p", "smp", "exakt::", TESTS="0")
        self.assertIs(passed, False)
        self.assertIn("no test has run", said)

    def test_what_is_only_built_passes_without_a_test(self):
        self.assertEqual(self.verdict("-p", "smp", "--no-run", TESTS=""), (True, ""))


if __name__ == "__main__":
    unittest.main()
