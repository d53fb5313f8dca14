"""tools/tournament/kill_resume.sh names a process that a tournament has left behind, and ends it."""

import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "tournament" / "kill_resume.sh"


class LeftBehind(unittest.TestCase):
    def run_tool(self, script):
        """Its output, with a script in place of the program: nothing is played, and that is found as well."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "firstborn")
            program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
            program.chmod(0o755)
            words = ["bash", TOOL, program, "1", "cmd=a", "cmd=b"]
            return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False).stdout

    def test_what_is_left_is_named_and_ended(self):
        output = self.run_tool('setsid sh -c \'exec sleep 1000\' <&- >&- 2>&- &')
        self.assertIn("left behind: sleep 1000", output)
        self.assertIn("3 failures", output)

    def test_where_nothing_is_left_nothing_is_named(self):
        output = self.run_tool("exit 0")
        self.assertNotIn("left behind", output)
        self.assertIn("2 failures", output)


if __name__ == "__main__":
    unittest.main()
