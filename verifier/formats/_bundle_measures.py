"""Measures as figures.json writes them, onto the types of ``verifier/model/measure.py``."""

from collections.abc import Iterator, Mapping
from typing import Any

from verifier.jsontext import pointer
from verifier.model.measure import (
    REFERENCE,
    Condition,
    Measure,
    Operand,
    Options,
    Parameter,
    Ranked,
    RowSelection,
    Trim,
    WindowSelection,
)


def read_measure(document: Any) -> Measure:
    """A measure that obeys its schema (figures-1, measure)."""
    relative = document.get("relative_to")
    return Measure(
        statistic=document["statistic"],
        parameters=_parameters(document.get("parameters", {})),
        column=document.get("column", "kld"),
        options=_options(document),
        arms=_measure_operands(document),
        pair=document.get("pair"),
        by=document.get("by", "window"),
        rows=_rows(document.get("rows", {})),
        windows=_windows(document.get("windows", {})),
        within=document.get("within", "mean"),
        within_parameters=_parameters(document.get("within_parameters", {})),
        weights=document.get("weights", "equal-window"),
        stratum=document.get("stratum"),
        over=document.get("over"),
        over_parameters=_parameters(document.get("over_parameters", {})),
        relative_to=read_measure(relative) if relative is not None else None,
        scale=document.get("scale"),
    )


def unknown_names(
    document: Any, place: str, arms: frozenset[str], windows: frozenset[str]
) -> Iterator[tuple[str, str, str]]:
    """(pointer, kind, name) of every arm and window of a measure that the bundle does not know."""
    for at, name in _arm_names(document, place):
        if name not in arms and not name.startswith(REFERENCE):
            yield at, "arm", name
    selection = document.get("windows", {})
    for key in ("ids", "except"):
        for index, name in enumerate(selection.get(key, ())):
            if name not in windows:
                yield f"{place}{pointer('windows', key, index)}", "window", name
    if "relative_to" in document:
        yield from unknown_names(document["relative_to"], f"{place}/relative_to", arms, windows)


def _arm_names(document: Any, place: str) -> Iterator[tuple[str, str]]:
    if "arm" in document:
        yield f"{place}/arm", document["arm"]
    yield from _operand_names(document, place)
    rows = document.get("rows", {})
    for index, condition in enumerate(rows.get("where", ())):
        yield from _operand_names(condition, f"{place}{pointer('rows', 'where', index)}")
    yield from _operand_names(rows.get("ranked", {}), f"{place}/rows/ranked")


def _operand_names(document: Any, place: str) -> Iterator[tuple[str, str]]:
    for index, operand in enumerate(document.get("arms", ())):
        at = f"{place}{pointer('arms', index)}"
        if isinstance(operand, str):
            yield at, operand
        else:
            yield from ((f"{at}/{run}", name) for run, name in enumerate(operand))


def _measure_operands(document: Any) -> tuple[Operand, ...]:
    return (document["arm"],) if "arm" in document else _operands(document)


def _operands(document: Any) -> tuple[Operand, ...]:
    return tuple(
        operand if isinstance(operand, str) else tuple(operand)
        for operand in document.get("arms", ())
    )


def _parameters(document: Mapping[str, Any]) -> tuple[tuple[str, Parameter], ...]:
    return tuple(
        (name, value if isinstance(value, str) else float(value))
        for name, value in sorted(document.items())
    )


def _options(document: Any) -> Options:
    plain = Options()
    top_k = document.get("top_k")
    return Options(
        top_k=None if top_k is None else int(top_k),
        ngram=int(document.get("ngram", plain.ngram)),
        distance=int(document.get("distance", plain.distance)),
    )


def _rows(document: Any) -> RowSelection:
    part, trim, ranked = (document.get(key) for key in ("part", "trim", "ranked"))
    return RowSelection(
        mask=document.get("mask", "scored"),
        first=_integer(document.get("from")),
        last=_integer(document.get("to")),
        part=(int(part["index"]), int(part["of"])) if part else None,
        where=tuple(_condition(entry) for entry in document.get("where", ())),
        trim=Trim(probability=float(trim["probability"]), rule=trim["rule"]) if trim else None,
        ranked=_ranked(ranked) if ranked else None,
    )


def _condition(document: Any) -> Condition:
    return Condition(
        column=document["column"],
        arms=_operands(document),
        pair=document.get("pair"),
        options=_options(document),
        above=_float(document.get("above")),
        at_least=_float(document.get("at_least")),
        below=_float(document.get("below")),
        at_most=_float(document.get("at_most")),
        equals=_float(document.get("equals")),
    )


def _ranked(document: Any) -> Ranked:
    return Ranked(
        column=document["column"],
        rank=int(document["rank"]),
        arms=_operands(document),
        pair=document.get("pair"),
        options=_options(document),
    )


def _windows(document: Any) -> WindowSelection:
    ids = document.get("ids")
    return WindowSelection(
        group=(document["group"], document["value"]) if "group" in document else None,
        ids=None if ids is None else tuple(ids),
        first=_integer(document.get("first")),
        omit=tuple(document.get("except", ())),
    )


def _integer(value: Any) -> int | None:
    return None if value is None else int(value)


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
