"""Which arm an operand of a measure names, and in which bundle it lies."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.arms import ArmIndex
from verifier.measures.lacking import lacking
from verifier.measures.work import MOST_WINDOW_ROWS, WINDOW_STEPS, Work
from verifier.model.bundle import Arm, Bundle, Protocol, Window, WindowScore
from verifier.model.measure import REFERENCE, Operand, WindowSelection
from verifier.model.plugin import Missing, Rows
from verifier.raw_files import RawFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The bundle itself, or the reference: where arms and their rows are found."""

    bundle: Bundle
    arms: ArmIndex
    rows: Rows
    panel: dict[str, Window]
    raw: RawFiles

    @classmethod
    def of(cls, bundle: Bundle, rows: Rows) -> "Side":
        """The side of one bundle."""
        return cls(
            bundle=bundle,
            arms=ArmIndex(bundle),
            rows=rows,
            panel={window.id: window for window in bundle.panel},
            raw=RawFiles(bundle, rows),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One arm as a measure names it; ``key`` tells the arms of both sides apart."""

    key: str
    arm: Arm
    side: Side
    windows: dict[str, WindowScore]
    positions: dict[str, int]

    @property
    def protocol(self) -> Protocol:
        """How the arm's bundle was measured."""
        return self.side.bundle.protocol

    def rows_in(self, window: str) -> WindowScore:
        """What the arm retains of a window whose rows are looked at.

        Raises:
            LackingError: the arm does not hold the window, or claims more rows than fit.
        """
        score = self.windows.get(window)
        if score is None:
            raise lacking(_no_window(self.key, window))
        if score.predicted_rows > MOST_WINDOW_ROWS:
            message = (
                f"{score.location}: {score.predicted_rows} rows in one window, over "
                f"{MOST_WINDOW_ROWS}, are not looked at"
            )
            raise lacking(message)
        return score

    def tokens(self, window: str) -> NDArray[np.int64]:
        """The token stream (tokens,) of a window.

        Raises:
            LackingError: it is not retained or not usable.
        """
        listed = self.side.panel.get(window)
        if listed is None or listed.tokens_path is None:
            message = f"the tokens of window {window} are not retained (inputs/{window}.tokens.npy)"
            raise lacking(message)
        tokens = self.side.rows.tokens(listed.tokens_path)
        if tokens is None:
            message = f"{listed.tokens_path} holds no usable tokens"
            raise lacking(message)
        return tokens


class Operands:
    """Resolves operands once for many figures."""

    def __init__(self, own: Side, reference: Side | None, work: Work) -> None:
        self._own = own
        self._reference = reference
        self._work = work
        self._runs: dict[str, Run] = {}

    def runs(self, operand: Operand) -> tuple[Run, ...]:
        """The arms of an operand: one, or several runs to be averaged.

        Raises:
            LackingError: an arm or the reference is not there, or lists a window twice.
        """
        names = (operand,) if isinstance(operand, str) else operand
        return tuple(self._run(name) for name in names)

    def selected(self, operands: Sequence[Operand], selection: WindowSelection) -> tuple[str, ...]:
        """Ids of the selected windows in the order of the first arm.

        Raises:
            LackingError: the arms hold different windows, or one that is named is not there.
        """
        first, *others = (run for operand in operands for run in self.runs(operand))
        chosen = self._selected(first, selection)
        for run in others:
            if set(self._selected(run, selection)) != set(chosen):
                message = f"arms {first.key} and {run.key} hold different windows"
                raise lacking(message)
        return chosen

    def _selected(self, run: Run, selection: WindowSelection) -> tuple[str, ...]:
        for name in (*(selection.ids or ()), *selection.omit):
            if name not in run.windows:
                raise lacking(_no_window(run.key, name))
        if selection.first is not None and selection.first > len(run.windows):
            message = f"arm {run.key} holds {len(run.windows)} windows, not {selection.first}"
            raise lacking(message)
        candidates = _candidates(run, selection)
        self._work.spend(WINDOW_STEPS * (len(candidates) + len(selection.omit)))
        omitted = frozenset(selection.omit)
        return tuple(
            name
            for name in candidates
            if name not in omitted
            and (selection.first is None or run.positions[name] < selection.first)
        )

    def _run(self, name: str) -> Run:
        if name not in self._runs:
            self._runs[name] = self._resolved(name)
        return self._runs[name]

    def _resolved(self, name: str) -> Run:
        side = self._own
        if name.startswith(REFERENCE):
            if self._reference is None:
                raise lacking(_needs_reference(self._own.bundle))
            side = self._reference
        arm = side.arms.usable(name.removeprefix(REFERENCE))
        if isinstance(arm, Missing):
            raise lacking(arm.reason)
        return Run(
            key=name,
            arm=arm,
            side=side,
            windows={window.window: window for window in arm.windows},
            positions={window.window: place for place, window in enumerate(arm.windows)},
        )


def _candidates(run: Run, selection: WindowSelection) -> Sequence[str]:
    """Windows of the group and among the ids, in the order of the arm.

    A figure that names one window must not walk over all of them.
    """
    if selection.ids is None:
        windows = run.side.arms.windows(run.arm, selection.group)
        return [window.window for window in windows[: selection.first]]
    names = sorted(set(selection.ids), key=run.positions.__getitem__)
    if selection.group is None:
        return names
    group, value = selection.group
    return [name for name in names if run.windows[name].groups.get(group) == value]


def _no_window(arm: str, window: str) -> str:
    return f"arm {arm} holds no window {window!r}"


def _needs_reference(bundle: Bundle) -> str:
    named = f" (the record names sha256 {bundle.reference.sha256})" if bundle.reference else ""
    return f"needs the reference bundle{named}; name it with --reference PATH"
