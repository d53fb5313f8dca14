"""What the commands answer. Each record has the fields that scripts rely on, and the whole document in `raw`."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Dict, List, Optional


class _Record:
    """Made from a document: fields by their names, records within records where the class says so."""

    _within: Dict[str, type] = {}

    @classmethod
    def of(cls, document):
        """Reads a document. A field that it lacks and that has no default is an error that names it."""
        values = {"raw": document}
        for one in fields(cls):
            if one.name == "raw":
                continue
            if one.name in document:
                values[one.name] = cls._read(one.name, document[one.name])
            elif one.default is MISSING and one.default_factory is MISSING:
                raise KeyError(f"{cls.__name__}: the document has no {one.name!r}")
        return cls(**values)

    @classmethod
    def _read(cls, name, value):
        inner = cls._within.get(name)
        if inner is None or value is None:
            return value
        return [inner.of(item) for item in value] if isinstance(value, list) else inner.of(value)

    @property
    def provenance(self):
        """Program, machine, date and command, as far as the document says."""
        return self.raw.get("provenance") or self.raw.get("facts") or {}


def _raw():
    return field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Change(_Record):
    """A number with its 95 % interval, in percent; one tree has no interval."""

    mean: float
    low: Optional[float]
    high: Optional[float]
    raw: Dict[str, Any] = _raw()

    def __str__(self):
        if self.low is None or self.high is None:
            return f"{self.mean:+.1f} %"
        return f"{self.mean:+.1f} % [{self.low:+.1f}, {self.high:+.1f}]"


@dataclass(frozen=True)
class Analysis(_Record):
    """`analyze`: the best move and what it rests on."""

    bestmove: Optional[str]
    ponder: Optional[str]
    score: Any
    depth: int
    seldepth: int
    nodes: int
    nps: int
    time_ms: int
    threads: int
    scheme: str
    pv: List[str]
    # "checkmate" or "stalemate" where no move is legal.
    ending: Optional[str] = None
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class Bench(_Record):
    """`bench`: `nodes` is the signature."""

    nodes: int
    nps: int
    time_ms: int
    depth: int
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class ScalingRow(_Record):
    """One scheme with one number of threads of each of its machines; ratios are to one thread."""

    scheme: str
    threads: int
    speedup: float
    speedup_low: Optional[float]
    speedup_high: Optional[float]
    overhead: float
    load: float
    positions: int
    repeats: int
    machines: int = 1
    # "real" or "virtual".
    clock: Optional[str] = None
    # Ratio of nodes a second.
    nps_ratio: Optional[float] = None
    # Half the 95 % interval over very many repeats of these positions; None of a single one.
    speedup_error: Optional[float] = None
    # The mean over the depths before the last, None without any, and how many positions it is of.
    speedup_depths: Optional[float] = None
    speedup_depths_low: Optional[float] = None
    speedup_depths_high: Optional[float] = None
    speedup_depths_positions: int = 0
    # At these positions the speed-up to the last depth, and to those before it, the deepest first.
    speedup_last: Optional[float] = None
    speedups_before: List[float] = field(default_factory=list)
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class Scaling(_Record):
    """`scaling`: a row for each team."""

    rows: List[ScalingRow]
    machine: str
    clock: str
    command: str
    raw: Dict[str, Any] = _raw()
    _within = {"rows": ScalingRow}


@dataclass(frozen=True)
class Speed(_Record):
    """The figures of a speed test."""

    score: float
    score_error: Optional[float]
    one_nps: float
    team_nps: float
    speedup: float
    threads: int
    scheme: str
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class Speedtest(_Record):
    """`speedtest`: one score, and a line to share."""

    speed: Speed
    signature: int
    share: str
    raw: Dict[str, Any] = _raw()
    _within = {"speed": Speed}


@dataclass(frozen=True)
class Player(_Record):
    """A player of a tournament."""

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    elo: Optional[float]
    elo_error: Optional[float]
    # False: `elo` is only a bound, or `None`.
    elo_bounded: bool = True
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class Report(_Record):
    """`report`: a tournament's games, players ranked."""

    players: List[Player]
    games: int
    verdict: str
    endings: Any
    llr: Optional[float] = None
    raw: Dict[str, Any] = _raw()
    _within = {"players": Player}


@dataclass(frozen=True)
class Solution(_Record):
    """One tree of `lab run`."""

    tree: int
    value: int
    best: Optional[str]
    line: List[str]
    tally: Dict[str, Any]
    seconds: float
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class GivenUp(_Record):
    """A contestant or a tree that came to keep more nodes than it may."""

    what: str
    most: int
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class Run(_Record):
    """`lab run`: one search, tree by tree."""

    contestant: str
    safe: bool
    depth: int
    width: float
    minimal: float
    solutions: List[Solution]
    given_up: List[GivenUp] = field(default_factory=list)
    # Trees that a study stopped by Ctrl-C lacks.
    left_out: int = 0
    raw: Dict[str, Any] = _raw()
    _within = {"solutions": Solution, "given_up": GivenUp}


@dataclass(frozen=True)
class Contestant(_Record):
    """One row of `lab compare`."""

    contestant: str
    safe: bool
    trees: int
    wrong: int
    tally: Dict[str, Any]
    seconds: float
    against_first: Optional[Change]
    raw: Dict[str, Any] = _raw()
    _within = {"against_first": Change}


@dataclass(frozen=True)
class Comparison(_Record):
    """`lab compare`: the first row is the reference."""

    trees: str
    depth: int
    minimal: float
    rows: List[Contestant]
    given_up: List[GivenUp] = field(default_factory=list)
    # Contestants that a stopped study lacks.
    left_out: List[str] = field(default_factory=list)
    raw: Dict[str, Any] = _raw()
    _within = {"rows": Contestant, "given_up": GivenUp}


@dataclass(frozen=True)
class Figure8Point(_Record):
    """One point of figure 8."""

    series: str
    entries: Optional[int]
    depth: int
    horizon_percent: float
    horizon_low: Optional[float]
    horizon_high: Optional[float]
    time_percent: Optional[float]
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class Figure8(_Record):
    """`lab figure8`; `minimal` has pairs of depth and percent."""

    points: List[Figure8Point]
    positions: int
    width: float
    minimal: List[Any]
    # Points that a stopped study lacks.
    left_out: int = 0
    raw: Dict[str, Any] = _raw()
    _within = {"points": Figure8Point}

    def series(self):
        """The curves: name and table size, each with its points by depth."""
        curves = {}
        for point in self.points:
            curves.setdefault((point.series, point.entries), []).append(point)
        return curves


@dataclass(frozen=True)
class ParallelPoint(_Record):
    """One scheme on one number of simulated processors."""

    scheme: str
    processors: int
    speedup: float
    speedup_low: Optional[float]
    speedup_high: Optional[float]
    overhead: float
    idle: float
    # Trees on which the value differs from the serial search's.
    wrong: int = 0
    raw: Dict[str, Any] = _raw()


@dataclass(frozen=True)
class Parallel(_Record):
    """`lab parallel`."""

    points: List[ParallelPoint]
    trees: str
    depth: int
    # Points that a stopped study lacks.
    left_out: int = 0
    raw: Dict[str, Any] = _raw()
    _within = {"points": ParallelPoint}


@dataclass(frozen=True)
class Claim(_Record):
    """One claim of the literature and what was found."""

    system: str
    claim: str
    source: str
    value: str
    rule: str
    verdict: str
    command: str
    interval: Optional[Change]
    raw: Dict[str, Any] = _raw()
    _within = {"interval": Change}


@dataclass(frozen=True)
class Claims(_Record):
    """`lab claims`."""

    rows: List[Claim]
    # Small samples, not to be quoted?
    quick: bool
    # Groups of claims that a stopped study lacks.
    left_out: int = 0
    raw: Dict[str, Any] = _raw()
    _within = {"rows": Claim}

    def by_verdict(self):
        """The claims, by verdict."""
        found = {}
        for row in self.rows:
            found.setdefault(row.verdict, []).append(row)
        return found
