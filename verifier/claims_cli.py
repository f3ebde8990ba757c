"""``verifier claims``: numbers in prose against data. Options in, one call, text out, exit code."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer.core import TyperGroup

from verifier import pipeline
from verifier.claims.summary import DEFAULT_FAIL_ON, FAIL_ON, FailOn, summarised
from verifier.errors import OutputError, UsageError
from verifier.render._safe import MESSAGE_LIMIT, safe
from verifier.render._visible import visible
from verifier.store.output import write_new

if TYPE_CHECKING:
    from verifier.claims_pipeline import Options

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_WHOLE = 100

_EXAMPLES = """\b
Examples:
  verifier claims README.md --bundle bundles/example-rows
  verifier claims README.md --data results.json --claims claims.json
  verifier claims docs/*.md --min-coverage 100 --format markdown
  verifier claims suggest README.md --bundle bundles/example-rows
  verifier claims fix README.md --bundle bundles/example-rows

\b
Exit codes:
  0  nothing that --fail-on names
  1  a number that --fail-on names, a binding that cannot be used, less
     coverage than --min-coverage, or nothing bound at all
  2  wrong options
  3  could not look: no such path, unreadable, not UTF-8, over a limit"""


class _CheckByDefault(TyperGroup):
    """``verifier claims README.md`` is ``verifier claims check README.md``."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["check", *args]
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    cls=_CheckByDefault,
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=_EXAMPLES,
    help="Hold every number of a document against the data it comes from.",
    short_help="Do the numbers in a document say what the data say?",
)

Docs = Annotated[
    list[Path], typer.Argument(metavar="DOC...", help="Markdown, HTML, reStructuredText or text.")
]
Doc = Annotated[Path, typer.Argument(metavar="DOC", help="The document.")]
BundlePath = Annotated[
    Path | None, typer.Option(metavar="PATH", help="The bundle whose figures and files are cited.")
]
DataPaths = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="JSON, JSONL, CSV, TSV or TOML that is cited; repeatable."),
]
ClaimsPath = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Claims file; claims.json or claims.toml beside DOC by default."
    ),
]
ReferencePath = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help="The bundle that cross-record figures refer to."),
]
Jobs = Annotated[int, typer.Option(min=1, help="Threads that hash files.")]


@app.command("check", epilog=_EXAMPLES, short_help="Check documents (what happens by default).")
def check(  # noqa: PLR0913 - one parameter per option
    documents: Docs,
    *,
    bundle: BundlePath = None,
    data: DataPaths = None,
    claims: ClaimsPath = None,
    reference: ReferencePath = None,
    policy: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Whose tolerances recomputed values have.")
    ] = "review",
    output_format: Annotated[
        Literal["text", "json", "markdown"], typer.Option("--format", help="How it is written.")
    ] = "text",
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report to a new file.")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(metavar="LIST", help=f"What fails the check, of: {','.join(FAIL_ON)}; none."),
    ] = None,
    min_coverage: Annotated[
        str | None, typer.Option(metavar="P", help="Least percent of numbers that are owned.")
    ] = None,
    jobs: Jobs = _CORES,
) -> None:
    """Hold every number of a document against the data it comes from."""
    # The parsers and the evaluator load slowly, and help needs neither.
    from verifier import claims_pipeline  # noqa: PLC0415 - as above
    from verifier.render import _claims  # noqa: PLC0415 - as above

    gate, least = _gate(fail_on), _percent(min_coverage)
    options = _options(bundle, data, claims, reference, policy, jobs)
    pipeline.refuse_existing([output], inside=[bundle] if bundle is not None else [])
    results = [item.result for item in claims_pipeline.Bench(documents, options).check()]
    summary = summarised(results, fail_on=gate, min_coverage=least)
    text = _claims.RENDERERS[output_format](results, summary)
    if output is not None:
        write_new(output, text.encode())
    else:
        _say(text)
    raise typer.Exit(1 if summary.failures else 0)


@app.command(short_help="Propose a claims file for a person to review.")
def suggest(  # noqa: PLR0913 - one parameter per option
    document: Doc,
    *,
    bundle: BundlePath = None,
    data: DataPaths = None,
    reference: ReferencePath = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the claims file to a new file.")
    ] = None,
    jobs: Jobs = _CORES,
) -> None:
    """Propose what each number comes from, by its words and its value; never by value alone.

    The claims file goes to standard output. What is ambiguous goes to standard error, with its
    candidates, and is left unbound.

    Example: verifier claims suggest README.md --bundle bundles/example-rows
    """
    from verifier import claims_pipeline  # noqa: PLC0415 - the parsers load slowly

    if bundle is None and not data:
        message = "there is nothing to suggest from"
        raise UsageError(message, hint="Name a bundle with --bundle or data files with --data.")
    options = _options(bundle, data, None, reference, "review", jobs)
    pipeline.refuse_existing([output], inside=[bundle] if bundle is not None else [])
    proposal = claims_pipeline.suggested(document, options)
    _tell(proposal.doubts)
    if output is not None:
        write_new(output, proposal.text.encode())
    else:
        _say(proposal.text)


@app.command(short_help="Write the right numbers into a document.")
def fix(  # noqa: PLR0913 - one parameter per option
    document: Doc,
    *,
    bundle: BundlePath = None,
    data: DataPaths = None,
    claims: ClaimsPath = None,
    reference: ReferencePath = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the difference and write nothing.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Correct what is clear even if something is not.")
    ] = False,
    jobs: Jobs = _CORES,
) -> None:
    """Show what would change, then write the right numbers back in place and touch nothing else.

    Where a person has to decide (a unit that may be the wrong part, a number whose place in the
    source is not certain) nothing is written, and the exit code is 1.

    Example: verifier claims fix README.md --bundle bundles/example-rows --dry-run
    """
    from verifier import claims_pipeline  # noqa: PLC0415 - the parsers load slowly

    options = _options(bundle, data, claims, reference, "review", jobs)
    correction = claims_pipeline.corrected(document, options)
    _say(correction.difference)
    _tell(correction.refused)
    wanted = correction.changed and (partial or not correction.refused)
    if wanted and not dry_run:
        correction.write()
        _tell([f"wrote {document}"])
    elif correction.changed:
        _tell(["nothing was written"])
    raise typer.Exit(1 if correction.refused else 0)


def _options(  # noqa: PLR0913, PLR0917 - one parameter per option
    bundle: Path | None,
    data: list[Path] | None,
    claims: Path | None,
    reference: Path | None,
    policy: str,
    jobs: int,
) -> "Options":
    from verifier.claims_pipeline import Options  # noqa: PLC0415 - the parsers load slowly

    if bundle is not None and data:
        message = "--bundle and --data exclude each other"
        raise UsageError(message, hint="Files of a bundle can be cited by their paths in it.")
    twice = [path for path, count in Counter(data or ()).items() if count > 1]
    if twice:
        message = f"--data names {safe(str(twice[0]))} twice"
        raise UsageError(message, hint="Name each file once.")
    if reference is not None and bundle is None:
        message = "--reference goes with --bundle"
        raise UsageError(message, hint="It is the second bundle of figures across records.")
    return Options(
        policy=pipeline.load_policy(policy),
        bundle=bundle,
        reference=reference,
        data=tuple(data or ()),
        claims=claims,
        jobs=jobs,
    )


def _gate(text: str | None) -> frozenset[FailOn]:
    if text is None:
        return DEFAULT_FAIL_ON
    named = [] if text == "none" else [name.strip().lower() for name in text.split(",")]
    known = frozenset[FailOn](name for name in FAIL_ON if name in named)
    odd = [name for name in named if name not in FAIL_ON]
    if odd:
        message = f"--fail-on: {odd[0]!r} is none of {', '.join(FAIL_ON)}"
        raise UsageError(message, hint="Join them with commas, or write none.")
    return known


def _percent(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if number.is_nan() or not 0 <= number <= _WHOLE:
        message = f"--min-coverage {text!r} is no number from 0 to 100"
        raise UsageError(message, hint="Write percent, such as 100 or 97.5.")
    return number


def _tell(lines: Iterable[str]) -> None:
    """Say something beside the report; what documents and data hold is made harmless."""
    for line in lines:
        typer.echo(safe(line, MESSAGE_LIMIT), err=True)


def _say(text: str) -> None:
    try:
        # A document may hold escapes that a terminal obeys, and letters that it cannot show.
        typer.echo(visible(text, sys.stdout.encoding), nl=False)
    except OSError as error:
        # A pipe that was closed is no verdict: exit code 1 would say FAILED.
        message = f"the report cannot be printed: {error.strerror or error}"
        raise OutputError(message, hint="Write it to a file with --output FILE.") from error
