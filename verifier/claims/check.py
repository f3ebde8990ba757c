"""Hold every number of a document against what binds it: the heart of ``verifier claims``."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain

from verifier.claims._counts import in_things
from verifier.claims.corrections import (
    Edit,
    Refusal,
    corrections,
    dependencies,
    patches,
)
from verifier.claims.identities import identities
from verifier.claims.known import KnownIdentities
from verifier.claims.locate import located, matches
from verifier.claims.marks import marked
from verifier.claims.numerals import numerals
from verifier.claims.places import Places, context, span
from verifier.claims.resolve import Resolver, order
from verifier.claims.rules import RULES
from verifier.claims.stale import Older, Suspect
from verifier.claims.verdicts import judge, judge_identity
from verifier.model.claim import (
    Absent,
    Binding,
    ClaimResult,
    DocumentResult,
    Flaw,
    Found,
    Identity,
    Numeral,
    Problem,
    Source,
    Status,
    Verdict,
)
from verifier.model.document import Document

Stale = Callable[[Sequence[Suspect]], Mapping[int, Older]]
"""Finds the older values that wrong numbers agree with, by index of the suspect."""


_FINE = frozenset({"SUPPORTED", "NOT A CLAIM"})

_EXPONENT = re.compile(r"\s{0,3}[eE]\s{0,3}[-+\u2212]\s{0,3}[0-9]")
_SPLIT = "Its exponent stands apart from it, so that it is read without."


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a document is held against.

    Attributes:
        resolver: gives values of sources.
        known: identities that the bundle names, None without a bundle.
        stale: looks into history, None where there is none.
    """

    resolver: Resolver
    known: KnownIdentities | None = None
    stale: Stale | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What came of a document, and what is left to write.

    Attributes:
        result: the verdicts; its patches are the edits as lines.
        edits: right numbers for wrong ones.
        refusals: wrong ones that a person has to correct.
    """

    result: DocumentResult
    edits: tuple[Edit, ...]
    refusals: tuple[Refusal, ...]


def check(document: Document, bindings: Sequence[Binding], evidence: Evidence) -> Looked:
    """Judge every number and identity of one document.

    Args:
        document: as read.
        bindings: of a claims file; those of other documents are passed over. Inline marks are
            found here.
        evidence: what it is held against.
    """
    marks, flawed = marked(document)
    # Few names, thousands of bindings.
    named = {item.document: item for item in bindings}
    meant = {name for name, item in named.items() if matches(item, document.name)}
    mine = [item for item in bindings if item.document in meant]
    ordered, circles = order((*mine, *marks))
    depends = dependencies(ordered)
    looked = _Look(document, evidence, ordered, depends)
    result = DocumentResult(
        document=document.name,
        results=looked.results(),
        problems=(*flawed, *circles, *looked.problems),
    )
    edits, refusals = corrections(document, result, depends=depends)
    result = replace(result, patches=patches(document.source, edits))
    return Looked(result=result, edits=edits, refusals=refusals)


class _Look:
    """One look at one document."""

    def __init__(
        self,
        document: Document,
        evidence: Evidence,
        ordered: Sequence[Binding],
        depends: Mapping[str, Collection[str]],
    ) -> None:
        self._document = document
        self._evidence = evidence
        self._numerals = numerals(document)
        self._identities = identities(document)
        self._places = Places(document)
        found = located(document, self._numerals, self._identities, ordered)
        self._located = found
        self.problems: list[Problem] = list(found.problems)
        self._numbers: dict[int, ClaimResult] = {}
        self._names: dict[int, ClaimResult] = {}
        self._derived_from = frozenset(chain.from_iterable(depends.values()))
        self._displayed: dict[str, Found] = {}
        self._suspects: list[tuple[int, Suspect]] = []
        for binding in ordered:
            self._hold(binding)
        self._mark_stale()

    def results(self) -> tuple[ClaimResult, ...]:
        """Every number and identity, in the order of the document."""
        # The digits of a digest are told by the digest, not as dozens of numbers.
        keyed = [
            ((numeral.block, numeral.start), self._numbers.get(index) or self._unbound(numeral))
            for index, numeral in enumerate(self._numerals)
            if index in self._numbers or numeral.rule != "identity"
        ]
        keyed += [
            ((name.block, name.start), self._names.get(index) or self._named(name))
            for index, name in enumerate(self._identities)
        ]
        return tuple(result for _, result in sorted(keyed, key=lambda item: item[0]))

    def _hold(self, binding: Binding) -> None:
        if binding.kind == "identity":
            self._hold_identity(binding)
            return
        indexes = self._located.numbers.get(binding.id, ())
        if not indexes:
            return
        things = None if binding.n is None else self._things(binding, binding.n)
        whole = None if len(indexes) == 1 else self._whole(indexes)
        for place, (index, source, told) in enumerate(self._dealt(binding, indexes)):
            number = self._numerals[index]
            if isinstance(told, Absent):
                self._numbers[index] = self._unsupported(number, binding, told)
                continue
            n = whole if number.role == "part" else things
            verdict = judge(number, told, binding, n=n)
            split = self._is_split(number)
            verdict = _split(verdict) if split else verdict
            self._numbers[index] = self._judged(number, binding, told, verdict)
            if verdict.status != "SUPPORTED" and not split:
                element = place if len(binding.sources) < len(indexes) else None
                suspect = Suspect(numeral=number, binding=binding, source=source, element=element)
                self._suspects.append((index, suspect))
        if binding.id in self._derived_from:
            self._displayed[binding.id] = _shown([self._numerals[index] for index in indexes])

    def _whole(self, indexes: Sequence[int]) -> Decimal | None:
        """The number of things that a count is of."""
        numbers = (self._numerals[index] for index in indexes)
        return next((in_things(number) for number in numbers if number.role == "whole"), None)

    def _is_split(self, number: Numeral) -> bool:
        """Whether an exponent stands apart from its number: ``1.2e`` at the end of a line."""
        text = self._document.blocks[number.block].text
        return _EXPONENT.match(text, number.end) is not None

    def _dealt(
        self, binding: Binding, indexes: Sequence[int]
    ) -> Sequence[tuple[int, Source, Found | Absent]]:
        """Each number with its source and what that gave; one list is dealt out over several."""
        if len(binding.sources) == len(indexes):
            return [
                (index, source, self._single(binding, source))
                for index, source in zip(indexes, binding.sources, strict=True)
            ]
        (source,) = binding.sources
        told = self._resolved(source)
        if isinstance(told, Found) and len(told.values) != len(indexes):
            told = self._miscounted(binding, len(indexes), told)
        if isinstance(told, Absent):
            return [(index, source, told) for index in indexes]
        return [
            (index, source, told._replace(value=value, values=()))
            for index, value in zip(indexes, told.values, strict=True)
        ]

    def _single(self, binding: Binding, source: Source) -> Found | Absent:
        told = self._resolved(source)
        if isinstance(told, Found) and len(told.values) > 1:
            return self._miscounted(binding, 1, told)
        return told

    def _miscounted(self, binding: Binding, numbers: int, told: Found) -> Absent:
        """Which of the values are meant cannot be known."""
        stand = "1 number stands" if numbers == 1 else f"{numbers} numbers stand"
        given = f"{len(told.values)} values" if len(told.values) > 1 else "a single value"
        reason = f"{stand} there, and the source gives {given}"
        self.problems.append(Problem(location=binding.location, message=reason))
        return Absent(reason=reason, broken=True)

    def _resolved(self, source: Source) -> Found | Absent:
        return self._evidence.resolver.resolve(source, self._displayed)

    def _things(self, binding: Binding, source: Source) -> Decimal | None:
        told = self._resolved(source)
        if isinstance(told, Found) and isinstance(told.value, Decimal):
            return told.value
        reason = told.reason if isinstance(told, Absent) else f"{told.value!r} is no number"
        self.problems.append(Problem(location=f"{binding.location}/n", message=reason))
        return None

    def _hold_identity(self, binding: Binding) -> None:
        index = self._located.identities.get(binding.id)
        if index is None:
            return
        name = self._identities[index]
        told = self._resolved(binding.sources[0])
        if isinstance(told, Absent):
            self._names[index] = self._unsupported(name, binding, told)
        else:
            verdict = judge_identity(name.text, told)
            self._names[index] = self._judged(name, binding, told, verdict)

    def _judged(
        self, what: Numeral | Identity, binding: Binding, told: Found, verdict: Verdict
    ) -> ClaimResult:
        return self._result(
            what,
            verdict.status,
            claim=binding.id,
            expected=verdict.expected,
            reason=verdict.reason,
            flaws=verdict.flaws,
            origin=told.origin,
        )

    def _mark_stale(self) -> None:
        if self._evidence.stale is None or not self._suspects:
            return
        older = self._evidence.stale([suspect for _, suspect in self._suspects])
        for place, found in older.items():
            index, _ = self._suspects[place]
            reason = f"It was {found.value} in commit {found.commit[:12]} and has changed since."
            self._numbers[index] = self._numbers[index]._replace(status="STALE", reason=reason)

    def _unsupported(self, what: Numeral | Identity, binding: Binding, told: Absent) -> ClaimResult:
        problem = Problem(location=binding.location, message=told.reason)
        if told.broken and problem not in self.problems:
            self.problems.append(problem)
        return self._result(what, "UNSUPPORTED", claim=binding.id, reason=told.reason)

    def _unbound(self, number: Numeral) -> ClaimResult:
        if number.rule:
            return self._result(number, "NOT A CLAIM", reason=RULES[number.rule])
        return self._result(number, "UNBOUND", reason="Nothing binds it to a source.")

    def _named(self, name: Identity) -> ClaimResult:
        if self._evidence.known is None:
            return self._result(name, "UNBOUND", reason="There is no bundle to look it up in.")
        found = self._evidence.known.judged(name)
        return self._result(
            name, found.status, expected=found.expected, reason=found.reason, origin=found.origin
        )

    def _result(  # noqa: PLR0913 - the parts of a result
        self,
        what: Numeral | Identity,
        status: Status,
        *,
        claim: str = "",
        expected: str = "",
        reason: str = "",
        flaws: tuple[Flaw, ...] = (),
        origin: str = "",
    ) -> ClaimResult:
        block = self._document.blocks[what.block]
        return ClaimResult(
            place=self._places.place(block, what.start),
            what="number" if isinstance(what, Numeral) else what.kind,
            text=what.text,
            claim=claim,
            status=status,
            expected=expected,
            reason=reason,
            flaws=flaws,
            origin=origin,
            context="" if status in _FINE else context(block, what.start, what.end),
            span=span(block, what.start, what.end),
        )


def _split(verdict: Verdict) -> Verdict:
    """What is said of a number without its exponent: never that it is right."""
    status: Status = "CONTRADICTED" if verdict.status == "SUPPORTED" else verdict.status
    return verdict._replace(status=status, expected="", reason=f"{verdict.reason} {_SPLIT}".strip())


def _shown(numbers: Sequence[Numeral]) -> Found:
    """What a claim displays, for claims that are derived from it: the printed digits, exactly."""
    first, *rest = numbers
    values = tuple(number.value for number in (first, *rest)) if rest else ()
    return Found(
        value=first.value, unit=first.unit, origin="displayed in the document", values=values
    )
