"""The JSON commands of Firstborn as records."""

from .program import Firstborn, FirstbornError
from .records import (
    Analysis,
    Bench,
    Change,
    Claim,
    Claims,
    Comparison,
    Figure8,
    GivenUp,
    Parallel,
    Player,
    Report,
    Run,
    Scaling,
    ScalingRow,
    Speedtest,
)

__all__ = [
    "Analysis",
    "Bench",
    "Change",
    "Claim",
    "Claims",
    "Comparison",
    "Figure8",
    "Firstborn",
    "FirstbornError",
    "GivenUp",
    "Parallel",
    "Player",
    "Report",
    "Run",
    "Scaling",
    "ScalingRow",
    "Speedtest",
]
