"""Row vectors: one column of one arm, or of two matched arms, in one window.

Vectors hold one FP64 value per predicted row, excluded rows included; masks are applied later.
They are kept while there is room, because many figures share them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.columns.registry import ROW_COLUMNS
from verifier.measures.kept import Kept
from verifier.measures.lacking import lacking
from verifier.measures.logits import logits_of
from verifier.measures.operands import Operands, Run
from verifier.measures.pairing import paired
from verifier.measures.work import TOKEN_STEPS, VECTOR_STEPS, Work
from verifier.model.basis import Level
from verifier.model.bundle import WindowScore
from verifier.model.column import RowColumn, RowInput
from verifier.model.measure import Operand, Options, Pair
from verifier.model.plugin import FloatArray

_KEPT_BYTES = 256 * 2**20
_TWO = 2
_PLAIN = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A column of one operand, or of two that are compared row by row."""

    column: str
    operands: tuple[Operand, ...]
    pair: Pair | None
    options: Options

    @property
    def label(self) -> str:
        """What messages call its rows."""
        arms = " and ".join(
            operand if isinstance(operand, str) else f"mean of {' and '.join(operand)}"
            for operand in self.operands
        )
        return f"{f'{self.pair} of ' if self.pair else ''}{self.column} of {arms}"


class Vectors:
    """Derives row vectors of the arms of a bundle and its reference."""

    def __init__(self, operands: Operands, work: Work) -> None:
        self._operands = operands
        self._work = work
        self._kept: Kept[FloatArray] = Kept(_KEPT_BYTES)

    def of(self, source: Source, window: str) -> FloatArray:
        """The vector (rows,) of a source in a window, read-only.

        Its operands count the same rows: whoever selects rows has held their masks together.

        Raises:
            LackingError: an arm, a window, an array or the pairing is not as the source needs it.
        """
        column = known_column(source.column)
        _refuse_unheeded(column, source.options)
        if column.arms == _TWO and source.pair is not None:
            message = f"column {column.name!r} compares two arms itself and takes no pair"
            raise lacking(message)
        if column.arms == _TWO:
            first, second = (
                self._single(operand, column) for operand in _two(source.operands, column.name)
            )
            return self._derived(column, (first, second), window, source.options)
        if source.pair is None:
            if len(source.operands) != 1:
                message = f"{column.name!r} of {len(source.operands)} arms at once needs a pair"
                raise lacking(message)
            return self._averaged(source.operands[0], column, window, source.options)
        left, right = (
            self._averaged(operand, column, window, source.options)
            for operand in _two(source.operands, source.pair)
        )
        return paired(left, right, source.pair)

    def selected(self, source: Source, window: str, mask: NDArray[np.bool_]) -> FloatArray:
        """The rows (n,) of a source that a mask keeps.

        Raises:
            LackingError: as ``of``, or a row has no finite value: how many, and where the first is.
        """
        chosen = self.of(source, window)[mask]
        finite = np.isfinite(chosen)
        if not finite.all():
            places = np.flatnonzero(mask)[~finite]
            message = (
                f"{places.size} of {chosen.size} selected rows of {source.label} in window "
                f"{window} are not finite, the first is row {places[0]}"
            )
            raise lacking(message)
        return chosen

    def _single(self, operand: Operand, column: RowColumn) -> Run:
        runs = self._operands.runs(operand)
        if len(runs) > 1:
            message = f"column {column.name!r} compares single runs, not their mean"
            raise lacking(message)
        return runs[0]

    def _averaged(
        self, operand: Operand, column: RowColumn, window: str, options: Options
    ) -> FloatArray:
        runs = self._operands.runs(operand)
        vectors = [self._derived(column, (run,), window, options) for run in runs]
        if len(vectors) == 1:
            return vectors[0]
        with np.errstate(over="ignore", invalid="ignore"):
            total: FloatArray = np.add.reduce(vectors)
        return total / len(vectors)

    def _derived(
        self, column: RowColumn, runs: Sequence[Run], window: str, options: Options
    ) -> FloatArray:
        number = self._kept.number((column.name, options, *(run.key for run in runs)))
        key = (number, window)
        self._work.spend(VECTOR_STEPS + runs[0].rows_in(window).predicted_rows)
        vector = self._kept.get(key)
        if vector is None:
            vector = self._derive(column, runs, window, options)
            self._kept.put(key, vector, vector.nbytes)
        return vector

    def _derive(
        self, column: RowColumn, runs: Sequence[Run], window: str, options: Options
    ) -> FloatArray:
        scores = [run.rows_in(window) for run in runs]
        arrays = tuple(_arrays(run, score, column) for run, score in zip(runs, scores, strict=True))
        tokens = runs[0].tokens(window) if column.needs_tokens else None
        self._work.spend(sum(array.size for named in arrays for array in named.values()))
        self._work.spend(TOKEN_STEPS * tokens.size if tokens is not None else 0)
        sides = column.needs_logits
        logits = logits_of(runs[0], window, sides, self._work) if sides else None
        given = RowInput(
            arrays=arrays,
            rows=scores[0].predicted_rows,
            window=runs[0].positions[window],
            tokens=tokens,
            options=options,
            logits=logits,
        )
        try:
            # A copy, so that the vector can be made read-only without touching what it came from.
            vector = np.array(column.derive(given), dtype=np.float64)
        except ValueError as error:
            path = scores[0].rows_path or scores[0].location
            message = f"{path}: {column.name}: {error}"
            raise lacking(message) from error
        vector.flags.writeable = False
        return vector


def known_column(name: str) -> RowColumn:
    """The row column of this name.

    Raises:
        LackingError: this version derives no such column.
    """
    column = ROW_COLUMNS.get(name)
    if column is None:
        message = (
            f"this version derives no column {name!r} from rows (`verifier measures` lists them)"
        )
        raise lacking(message)
    return column


def _refuse_unheeded(column: RowColumn, options: Options) -> None:
    """An option that changes nothing would make the report claim what was not done."""
    if options == _PLAIN:
        return
    for name in ("top_k", "ngram", "distance"):
        if name not in column.takes and getattr(options, name) != getattr(_PLAIN, name):
            message = f"column {column.name!r} takes no {name}"
            raise lacking(message)


def level_of(column: RowColumn) -> Level:
    """How deep the evidence goes that a derived column rests on."""
    if column.needs_logits:
        return Level.RAW_LOGITS
    if not column.needs:
        # The number of a row is known without its file: that a row was claimed is all it shows.
        return Level.WINDOW_SCORES
    if any("_topk_" in name for name in column.needs):
        return Level.ROW_DISTRIBUTIONS
    return Level.ROW_SCORES


def _two(operands: Sequence[Operand], what: str) -> Sequence[Operand]:
    if len(operands) != _TWO:
        message = f"{what!r} compares two arms, not {len(operands)}"
        raise lacking(message)
    return operands


def _arrays(run: Run, score: WindowScore, column: RowColumn) -> Mapping[str, NDArray[Any]]:
    if not column.needs:
        return {}
    if score.rows_path is None:
        message = f"{score.location}: no row arrays are retained"
        raise lacking(message)
    arrays = run.side.rows.load(score.rows_path, column.needs)
    unusable = [name for name in column.needs if not _usable(name, arrays.get(name))]
    if unusable:
        message = f"{score.rows_path} holds no usable {' and '.join(unusable)}"
        raise lacking(message)
    if any(arrays[name].shape[0] != score.predicted_rows for name in column.needs):
        message = f"{score.rows_path} does not hold one value per predicted row"
        raise lacking(message)
    return arrays


def _usable(name: str, array: NDArray[Any] | None) -> bool:
    """Whether an array holds real numbers row by row; a hostile file may hold texts or dates."""
    if array is None or array.ndim == 0:
        return False
    if name == "row_sha256":
        return array.dtype.str in {"|S32", "|V32"} or array.dtype.str == "|u1"
    return array.dtype.kind in "biuf" and array.ndim == (_TWO if "_topk_" in name else 1)
