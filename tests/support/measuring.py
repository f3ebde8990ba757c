"""A made study with every array that a score file may hold, and what a user may ask of it.

Distributions over a small vocabulary are made up and scored with plain NumPy, so that a test can
work out a number from ``Study.arrays`` or ``Study.logp`` without any code of the program.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier import catalog
from verifier.formats._bundle_query import read_query
from verifier.measures.evaluator import Evaluator
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle, Protocol, Record, Window, WindowScore
from verifier.model.plugin import Case, Column, FloatArray
from verifier.model.recipe import Recipe
from verifier.policy import REVIEW
from verifier.recompute import Recomputed, recompute

Array = NDArray[Any]
Windows = dict[str, dict[str, Array]]

ROWS = 50
VOCABULARY = 60
TOP_K = 20
TOKENS = 5000
EXCLUDED = (0,)
SCORED = slice(1, None)
"""The rows that count, of every window."""

DOMAINS = {
    "c0-032k": "code",
    "c1-128k": "code",
    "c2-032k": "code",
    "c2-064k": "code",
    "p0-008k": "prose",
    "p1-008k": "prose",
    "p2-016k": "prose",
}
ARMS = ("fp8", "nvfp4", "a", "b", "r1", "r2", "r3", "l1", "l2", "low", "mid", "high")

_DRAWN = {"resamples": 400, "seed": 20260902, "stream": "randomstate"}
BCA95 = Recipe(method="bca", level=0.95, resamples=400, seed=20260902)
PERCENTILE95 = replace(BCA95, method="percentile")
DOMAIN95 = replace(PERCENTILE95, strata="domain", draw="replicate")
RECIPES = {"bca95": BCA95, "percentile95": PERCENTILE95, "domain95": DOMAIN95}


class StudyRows:
    """The ``Rows`` protocol over arrays by path; ``loaded`` remembers each access."""

    def __init__(
        self, files: Mapping[str, Mapping[str, Array]], tokens: Mapping[str, Array]
    ) -> None:
        self.files = files
        self._tokens = tokens
        self.loaded: list[str] = []

    def columns(self, path: str) -> tuple[Column, ...]:
        return tuple(
            Column(name=name, dtype=array.dtype.str, shape=array.shape)
            for name, array in self.files[path].items()
        )

    def load(self, path: str, names: Iterable[str]) -> Mapping[str, Array]:
        self.loaded.append(path)
        wanted = frozenset(names)
        return {name: array for name, array in self.files[path].items() if name in wanted}

    def tokens(self, path: str) -> NDArray[np.int64] | None:
        return self._tokens.get(path)

    def logits(self, path: str, *, vocabulary: int, dtype: str) -> None:  # noqa: ARG002 - protocol
        return None


@dataclass(frozen=True, kw_only=True)
class Study:
    """Arms, windows and rows as plain values, from which a bundle in memory is made.

    Attributes:
        arrays: row arrays by arm, window and name.
        domains: group ``domain`` of each window, in manifest order.
        logp: student log probabilities (rows, vocabulary) by arm and window, where made.
        teacher: the teacher's, by window.
        tokens: streams by window.
        recipes: interval recipes by name.
        excluded: row numbers that do not count.
        values: recorded window scores by arm, window and column.
        retained: whether the row arrays are kept.
    """

    arrays: Mapping[str, Windows]
    domains: Mapping[str, str]
    logp: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict)
    teacher: Mapping[str, FloatArray] = field(default_factory=dict)
    tokens: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    recipes: Mapping[str, Recipe] = field(default_factory=lambda: RECIPES)
    excluded: tuple[int, ...] = EXCLUDED
    values: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    retained: bool = True

    def column(self, arm: str, name: str, windows: Iterable[str] | None = None) -> FloatArray:
        """A stored array over the rows that count, of all or some windows one after the other."""
        return np.concatenate(self.by_window(arm, name, windows))

    def by_window(
        self, arm: str, name: str, windows: Iterable[str] | None = None
    ) -> list[FloatArray]:
        """A stored array over the rows that count, window by window."""
        chosen = self.domains if windows is None else windows
        held = self.arrays[arm]
        return [np.delete(held[window][name], self.excluded, axis=0) for window in chosen]

    def means(self, arm: str, name: str, windows: Iterable[str] | None = None) -> FloatArray:
        """Window means over the rows that count, exactly rounded.

        The last bit matters: it decides which replicates equal the estimate.
        """
        chosen = self.by_window(arm, name, windows)
        return np.array([math.fsum(rows.tolist()) / rows.size for rows in chosen])

    def bundle(self) -> Bundle:
        """The bundle as a reader would make it."""
        return Bundle(
            format="measurement-bundle/1",
            id="study",
            title="Made up",
            members={},
            records=(Record(path="figures.json", schema="figures-1", published=True),),
            protocol=Protocol(excluded=self.excluded, intervals=dict(self.recipes)),
            panel=tuple(
                Window(
                    id=window,
                    location=f"bundle.json#/windows/{place}",
                    groups={"domain": domain},
                    tokens_path=f"inputs/{window}.tokens.npy" if window in self.tokens else None,
                )
                for place, (window, domain) in enumerate(self.domains.items())
            ),
            arms=tuple(self._arm(name) for name in self.arrays),
        )

    def rows(self) -> StudyRows:
        """The row arrays of all arms."""
        return StudyRows(
            {
                f"arms/{arm}/scores/{window}.npz": arrays
                for arm, windows in self.arrays.items()
                for window, arrays in windows.items()
            },
            {f"inputs/{window}.tokens.npy": stream for window, stream in self.tokens.items()},
        )

    def evaluator(self, reference: "Study | None" = None) -> Evaluator:
        """An evaluator over this study."""
        return Evaluator(
            bundle=self.bundle(),
            rows=self.rows(),
            statistics=catalog.statistics(),
            reference=reference.bundle() if reference else None,
            reference_rows=reference.rows() if reference else None,
        )

    def ask(self, query: Mapping[str, Any], reference: "Study | None" = None) -> list[Recomputed]:
        """What the program answers to a measure, interval or decision as a user writes it."""
        bundle = self.bundle()
        figures = read_query(json.dumps(query), bundle, catalog.SCHEMAS)
        case = Case(
            bundle=bundle,
            policy=REVIEW,
            rows=self.rows(),
            measures=self.evaluator(reference),
            reference=reference.bundle() if reference else None,
        )
        return recompute(case, figures, typed=True)

    def number(self, measure: Mapping[str, Any], reference: "Study | None" = None) -> float:
        """The number that a measure gives."""
        (found,) = self.ask(measure, reference)
        assert found.value is not None, found.how
        return float(found.value)

    def reason(self, query: Mapping[str, Any], reference: "Study | None" = None) -> str:
        """Why a measure, or the first end of an interval, has no number."""
        found, *_ = self.ask(query, reference)
        assert found.value is None, found.value
        return found.how

    def interval(self, measure: Mapping[str, Any], recipe: str) -> tuple[float, float]:
        """Both ends of the interval of a measure."""
        low, high = self.ask({"measure": measure, "interval": {"recipe": recipe}})
        assert low.value is not None, low.how
        assert high.value is not None, high.how
        return float(low.value), float(high.value)

    def word(self, measure: Mapping[str, Any], decide: Mapping[str, Any]) -> str:
        """The word of a decision."""
        (found,) = self.ask({"measure": measure, "decide": decide})
        assert found.value is not None, found.how
        return found.value

    def _arm(self, name: str) -> Arm:
        location = f"arms/{name}/windows.json#/windows"
        held = self.arrays[name]
        recorded = self.values.get(name, {})
        return Arm(
            id=name,
            name=name,
            location=f"bundle.json#/arms/{name}",
            level=Level.ROW_DISTRIBUTIONS if self.retained else Level.WINDOW_SCORES,
            windows=tuple(
                WindowScore(
                    window=window,
                    location=f"{location}/{place}",
                    groups={"domain": self.domains[window]},
                    predicted_rows=_rows(held[window]),
                    scored_rows=_rows(held[window]) - len(self.excluded),
                    excluded=self.excluded,
                    values=recorded.get(window, {}),
                    rows_path=f"arms/{name}/scores/{window}.npz" if self.retained else None,
                )
                for place, window in enumerate(held)
            ),
        )


def _rows(arrays: Mapping[str, Array]) -> int:
    return len(next(iter(arrays.values())))


def plain(
    arms: Mapping[str, Sequence[Sequence[float]]], *, column: str = "kld", **others: Any
) -> Study:
    """A study of one column, given as rows by arm and window; windows w0, w1, ... alternate."""
    most = max(len(windows) for windows in arms.values())
    domains = {f"w{place}": "law" if place % 2 else "code" for place in range(most)}
    arrays = {
        arm: {
            f"w{place}": {column: np.array(rows, dtype=np.float64)}
            for place, rows in enumerate(windows)
        }
        for arm, windows in arms.items()
    }
    return Study(arrays=arrays, domains=domains, **others)


def copied(tokens: NDArray[np.int64], place: int, *, ngram: int = 12, distance: int = 2048) -> bool:
    """Whether the token at a place completes an n-gram that ended further back than a distance."""
    if place < ngram - 1:
        return False
    wanted = tokens[place - ngram + 1 : place + 1].tolist()
    return any(
        tokens[end - ngram + 1 : end + 1].tolist() == wanted
        for end in range(ngram - 1, place - distance)
    )


def literal_bca(
    estimate: float, replicates: FloatArray, left_out: FloatArray, level: float
) -> tuple[float, float]:
    """End points by the textbook's formulas, with mid-ranks and NumPy's linear quantile."""
    normal = NormalDist()
    below = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates <= estimate)
    z0 = normal.inv_cdf(below / (2 * replicates.size))
    influence = left_out.mean() - left_out
    a = np.sum(influence**3) / (6 * np.sum(influence**2) ** 1.5)

    def end(probability: float) -> float:
        z = z0 + normal.inv_cdf(probability)
        return float(np.quantile(replicates, normal.cdf(z0 + z / (1 - a * z))))

    tail = (1 - level) / 2
    return end(tail), end(1 - tail)


def indices(units: int, recipe: Recipe = BCA95) -> NDArray[np.int64]:
    """The units that each replicate draws (resamples, units), as SciPy draws them."""
    stream = np.random.RandomState(recipe.seed)
    drawn: NDArray[np.int64] = stream.randint(0, units, (recipe.resamples, units))
    return drawn


@lru_cache(maxsize=1)
def study() -> Study:
    """Twelve arms over seven windows; what the sentences of real write-ups need is in it."""
    chance = np.random.default_rng(20260902)
    teacher = {window: _softmax(2.0 * chance.normal(size=(ROWS, VOCABULARY))) for window in DOMAINS}
    tokens = {window: _stream(chance) for window in DOMAINS}
    spread = {arm: 0.1 + 0.05 * place for place, arm in enumerate(ARMS)}
    # The middle arm stands between the two around it, as an arm that closes a gap does.
    spread |= {"fp8": 0.28, "nvfp4": 0.3, "low": 0.6, "mid": 0.45, "high": 0.2}
    logp: dict[str, dict[str, FloatArray]] = {}
    for arm in ARMS:
        logp[arm] = {
            window: _softmax(taught + spread[arm] * chance.normal(size=taught.shape))
            for window, taught in teacher.items()
        }
    logp["l2"] = {window: _relaunched(chance, window, rows) for window, rows in logp["l1"].items()}
    arrays = {
        arm: {
            window: _scored(teacher[window], rows, tokens[window])
            for window, rows in windows.items()
        }
        for arm, windows in logp.items()
    }
    return Study(arrays=arrays, domains=DOMAINS, logp=logp, teacher=teacher, tokens=tokens)


def _softmax(logits: FloatArray) -> FloatArray:
    shifted = logits - logits.max(axis=1, keepdims=True)
    found: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found


def _stream(chance: np.random.Generator) -> NDArray[np.int64]:
    """Tokens in which some rows complete a 12-gram from far before, and some from nearby."""
    tokens = chance.integers(0, VOCABULARY, TOKENS)
    for place, back in ((2600, 2500), (3100, 2049), (3200, 2048), (4000, 1000), (4400, 3000)):
        tokens[place - 11 : place + 1] = tokens[place - back - 11 : place - back + 1]
    return tokens


def _relaunched(chance: np.random.Generator, window: str, rows: FloatArray) -> FloatArray:
    """A second launch: byte-identical in two windows, volatile in one, a little off elsewhere."""
    if window in {"p0-008k", "p1-008k"}:
        return rows
    noise = 1e-3 * chance.normal(size=rows.shape)
    if window == "c2-064k":
        noise[10:40:2] = 2.0 * chance.normal(size=(15, VOCABULARY))
        best = np.argsort(-rows, axis=1)
        for row in range(41, ROWS, 2):
            first, second = best[row, :2]
            noise[row, [first, second]] += rows[row, [second, first]] - rows[row, [first, second]]
    return _softmax(rows + noise)


def _scored(
    teacher: FloatArray, student: FloatArray, tokens: NDArray[np.int64]
) -> dict[str, Array]:
    history = np.arange(ROWS) * 100
    realized = tokens[history]
    rows = np.arange(ROWS)
    best, ranked = np.argsort(-teacher, axis=1), np.argsort(-student, axis=1)
    p, q = np.exp(teacher), np.exp(student)
    return {
        "kld": (p * (teacher - student)).sum(axis=1),
        "teacher_entropy": -(p * teacher).sum(axis=1),
        "student_entropy": -(q * student).sum(axis=1),
        "teacher_top1": best[:, 0],
        "student_top1": ranked[:, 0],
        "teacher_top1_p": p.max(axis=1),
        "student_top1_p": q.max(axis=1),
        "teacher_logp_realized": teacher[rows, realized],
        "student_logp_realized": student[rows, realized],
        "realized_token": realized,
        "history": history,
        "teacher_topk_ids": best[:, :TOP_K],
        "teacher_topk_logp": np.take_along_axis(teacher, best[:, :TOP_K], axis=1),
        "student_topk_ids": ranked[:, :TOP_K],
        "student_topk_logp": np.take_along_axis(student, ranked[:, :TOP_K], axis=1),
        "row_sha256": np.array(
            [list(hashlib.sha256(row.tobytes()).digest()) for row in student], dtype=np.uint8
        ),
    }
