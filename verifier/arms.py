"""The arms of a bundle and their windows by group, looked up once for many figures.

A hostile record may publish as many figures as it has arms or groups: without an index the time
grows with their product.
"""

from collections.abc import Sequence
from typing import TypeVar

from verifier.model.bundle import Arm, Bundle, Window, WindowScore
from verifier.model.measure import WindowSelection
from verifier.model.plugin import Missing

W = TypeVar("W", Window, WindowScore)

Group = tuple[str, str]
"""Group name and value, for example ("domain", "axis2_legal")."""


class ArmIndex:
    """Finds the usable arms of one bundle, and the windows of a group."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._arms: dict[str, Arm | Missing] = {}
        for arm in bundle.arms:
            self._arms.setdefault(arm.id, _usable(arm))
        self._windows: dict[tuple[str, str], dict[str, list[WindowScore]]] = {}
        self._panel: dict[str, dict[str, list[Window]]] = {}
        self._places = {window.id: place for place, window in enumerate(bundle.panel)}

    def usable(self, arm_id: str) -> Arm | Missing:
        """The arm with this id; one that lists a window twice would count it twice."""
        missing = Missing(reason=f"no arm {arm_id!r} is retained in {self._bundle.id}")
        return self._arms.get(arm_id, missing)

    def windows(self, arm: Arm, group: Group | None) -> Sequence[WindowScore]:
        """The windows of a usable arm that are in a group, in their order; all without one."""
        if group is None:
            return arm.windows
        name, value = group
        if (arm.id, name) not in self._windows:
            self._windows[arm.id, name] = _by_value(arm.windows, name)
        return self._windows[arm.id, name].get(value, ())

    def panel(self, selection: WindowSelection) -> tuple[str, ...]:
        """Ids of the windows of the panel that are selected, in their order."""
        omitted = frozenset(selection.omit)
        return tuple(
            window.id
            for window in self._candidates(selection)
            if window.id not in omitted
            and (selection.first is None or self._places[window.id] < selection.first)
        )

    def _candidates(self, selection: WindowSelection) -> Sequence[Window]:
        """Windows of the group and among the ids: a figure that names one walks over no others."""
        group = selection.group
        if selection.ids is not None:
            named = sorted(self._places[name] for name in set(selection.ids) & self._places.keys())
            windows = (self._bundle.panel[place] for place in named)
            return [
                window
                for window in windows
                if group is None or window.groups.get(group[0]) == group[1]
            ]
        if group is None:
            return self._bundle.panel[: selection.first]
        name, value = group
        if name not in self._panel:
            self._panel[name] = _by_value(self._bundle.panel, name)
        return self._panel[name].get(value, ())


def _usable(arm: Arm) -> Arm | Missing:
    if len({window.window for window in arm.windows}) < len(arm.windows):
        return Missing(reason=f"arm {arm.id!r} lists a window twice")
    return arm


def _by_value(windows: Sequence[W], name: str) -> dict[str, list[W]]:
    found: dict[str, list[W]] = {}
    for window in windows:
        if name in window.groups:
            found.setdefault(window.groups[name], []).append(window)
    return found
