"""The statistic of a measure and what the measure passes to it."""

from collections.abc import Mapping

from verifier.measures.lacking import lacking
from verifier.model.measure import Parameter
from verifier.model.plugin import Statistic


def known_statistic(statistics: Mapping[str, Statistic], name: str) -> Statistic:
    """The statistic of this id.

    Raises:
        LackingError: this version knows no such statistic.
    """
    statistic = statistics.get(name)
    if statistic is None:
        message = f"this version knows no statistic {name!r} (`verifier measures` lists them)"
        raise lacking(message)
    return statistic


def arguments(
    statistic: Statistic, parameters: tuple[tuple[str, Parameter], ...]
) -> dict[str, Parameter]:
    """Keyword arguments for ``Statistic.estimate``; it holds them against its bounds itself.

    Raises:
        LackingError: a parameter is unknown or missing.
    """
    rules = {rule.name: rule for rule in statistic.parameters}
    given = dict(parameters)
    for name in given:
        if name not in rules:
            takes = ", ".join(rules) or "none"
            message = f"statistic {statistic.id} takes no parameter {name!r} (it takes {takes})"
            raise lacking(message)
    for name, rule in rules.items():
        if name not in given and rule.default is None:
            message = f"statistic {statistic.id} needs the parameter {name!r}: {rule.title}"
            raise lacking(message)
    return given
