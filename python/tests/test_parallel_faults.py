"""The planted faults of tools/parallel_faults.py fit the sources as they are."""

import importlib.util
import sys
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
TOOL = TOOLS / "parallel_faults.py"


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


if __name__ == "__main__":
    unittest.main()
