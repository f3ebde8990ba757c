"""The command line: options in, one pipeline call, text out, exit code. Nothing is decided here.

Exit codes: 0 passed or warned, 1 failed (with --strict: or warned), 2 wrong options, 3 could not
look.
"""

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from verifier import __version__, catalog, claims_cli, lists, pipeline
from verifier.errors import OutputError, UsageError, VerifierError
from verifier.progress import Bar
from verifier.render._recomputed import as_json, as_table
from verifier.render._several import Rendered, combine
from verifier.render._visible import visible
from verifier.store.output import write_new

app = typer.Typer(
    help="Audit sealed measurement bundles: recompute what was published, sign the verdict.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# "\b" keeps the help formatter from filling the lines that follow it.
_EXAMPLES = """\b
Examples:
  verifier verify bundles/kv-cache-kld-20260909
  verifier verify record/ --allow-missing verify_evidence.py --format json
  verifier verify record/ --reference bundles/kv-cache-kld-20260909
  verifier verify record/ --attest verdict.intoto.json --key reviewer.key

\b
Exit codes:
  0  passed, or warned: nothing contradicts
  1  failed (with --strict: or warned)
  2  wrong options
  3  could not look: no such path, unreadable, unknown format, bad key"""

_CHECK_EXAMPLE = """\b
Example:
  verifier check-attestation verdict.intoto.json --trust reviewer.pub \\
      --bundle record/"""

_RECOMPUTE_EXAMPLES = """\b
Examples:
  verifier recompute bundles/example-rows --figure alpha/kld
  verifier recompute bundles/example-rows --format json \\
      --measure '{"statistic": "mean", "column": "nll", "arm": "alpha"}'"""

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

Jobs = Annotated[int, typer.Option(min=1, help="Threads that hash files.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


@app.command(epilog=_EXAMPLES, short_help="Hold what was published against what was kept.")
def verify(  # noqa: PLR0913 - one parameter per option
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Folders or record files.")
    ],
    *,
    policy: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="review, publication, strict, or a file.")
    ] = "review",
    output_format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How the report is written.")
    ] = "text",
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report to a new file.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 on WARNED too.")] = False,
    allow_missing: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A sealed file that may be absent; repeatable."),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="The bundle that cross-record figures refer to."),
    ] = None,
    jobs: Jobs = _CORES,
    attest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Sign the verdict into a new file.")
    ] = None,
    sigstore_bundle: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the same envelope as a Sigstore bundle v0.3."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ed25519 private key (PEM).")
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="RFC3339", help="Time to attest instead of now.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no report.")] = False,
    debug: Debug = False,
) -> None:
    """Verify bundles and report whether what was kept supports what was published."""
    _debug(on=debug)
    _refuse_odd_combinations(paths, attest, sigstore_bundle, key)
    now = pipeline.timestamp(time)
    known = [*paths, reference] if reference is not None else paths
    pipeline.refuse_existing([output, attest, sigstore_bundle], inside=known)
    with Bar(sys.stderr) as bar:
        looks = pipeline.verify(
            paths,
            pipeline.Options(
                policy=pipeline.load_policy(policy, allow_missing or ()),
                reference=reference,
                jobs=jobs,
                progress=bar.advance,
            ),
        )
    _write(_rendered(looks, output_format), output, quiet=quiet)
    for look in looks:
        if look.error is not None:
            _complain(look.error)
    if attest is not None and key is not None and looks[0].report is not None:
        outputs = {"envelope": attest}
        if sigstore_bundle is not None:
            outputs["sigstore"] = sigstore_bundle
        pipeline.attest(looks[0].report, now=now, key=key, outputs=outputs)
    raise typer.Exit(pipeline.exit_code(looks, strict=strict))


@app.command(
    "check-attestation",
    epilog=_CHECK_EXAMPLE,
    short_help="Check who signed which verdict on which files.",
)
def check_attestation(  # noqa: PLR0913 - one parameter per option
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Envelope or Sigstore bundle.")],
    *,
    trust: Annotated[
        list[Path], typer.Option(metavar="PUB", help="Trusted public key (PEM); repeatable.")
    ],
    bundle: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The bundle it should speak of.")
    ] = None,
    require: Annotated[
        Literal["PASSED", "WARNED"], typer.Option(help="The least result to accept.")
    ] = "PASSED",
    jobs: Jobs = _CORES,
    debug: Debug = False,
) -> None:
    """Check that a trusted key signed a good enough verdict on these very files."""
    _debug(on=debug)
    checked = pipeline.check_attestation(
        file, trust=trust, bundle=bundle, require=require, jobs=jobs
    )
    typer.echo(f"{checked.result}, signed by {checked.keyid} at {checked.time}")
    typer.echo(f"  policy {checked.policy.name} sha256:{checked.policy.sha256}")
    typer.echo(f"  program {checked.verifier.name} sha256:{checked.verifier.sha256}")
    for subject in checked.subjects:
        typer.echo(f"  {subject.name} sha256:{subject.sha256}")
    if not checked.compared:
        typer.echo("  The files were not compared; name the bundle with --bundle PATH.")


@app.command(short_help="Make an Ed25519 key pair.")
def keygen(
    *,
    out: Annotated[
        Path, typer.Option(metavar="PREFIX", help="Writes PREFIX.key (0600) and PREFIX.pub.")
    ],
    debug: Debug = False,
) -> None:
    """Make an Ed25519 key pair; existing files are never overwritten.

    Example: verifier keygen --out reviewer
    """
    _debug(on=debug)
    from verifier.attest import keys  # noqa: PLC0415 - cryptography loads slowly

    private, public = keys.generate(out)
    typer.echo(f"private key: {private} (keep it)\npublic key:  {public} (give it away)")


@app.command()
def seal(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A measurement-bundle/1 folder.")],
    *,
    time: Annotated[
        str | None, typer.Option(metavar="RFC3339", help="Time of sealing instead of now.")
    ] = None,
    jobs: Jobs = _CORES,
    debug: Debug = False,
) -> None:
    """Write seal.json for a folder in our format.

    Example: verifier seal bundles/example-rows
    """
    _debug(on=debug)
    typer.echo(f"wrote {pipeline.seal_folder(folder, now=pipeline.timestamp(time), jobs=jobs)}")


@app.command(epilog=_RECOMPUTE_EXAMPLES, short_help="Print what the retained scores give.")
def recompute(  # noqa: PLR0913 - one parameter per option
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder or a record file.")],
    *,
    figure: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this figure; repeatable.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option(metavar="JSON", help="A measure instead of the figures.")
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="The bundle that cross-record figures refer to."),
    ] = None,
    output_format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How the values are written.")
    ] = "table",
    jobs: Jobs = _CORES,
    debug: Debug = False,
) -> None:
    """Recompute values from what was kept, without judging what was published.

    Exits 1 when a value that was asked for is missing.
    """
    _debug(on=debug)
    if figure and measure is not None:
        message = "--figure and --measure exclude each other"
        raise UsageError(message, hint="A typed measure is no figure of the bundle.")
    with Bar(sys.stderr) as bar:
        values = pipeline.recompute(
            path,
            pipeline.Options(
                policy=pipeline.load_policy("review"),
                reference=reference,
                jobs=jobs,
                progress=bar.advance,
            ),
            figures=figure or (),
            measure=measure,
        )
    _write((as_json if output_format == "json" else as_table)(values), None, quiet=False)
    raise typer.Exit(1 if any(value.value is None for value in values) else 0)


for _command in (lists.checks, lists.measures, lists.schemas):
    app.command()(_command)


app.add_typer(claims_cli.app, name="claims")


def _version(*, value: bool) -> None:
    if value:
        typer.echo(f"verifier {__version__}")
        raise typer.Exit


@app.callback()
def _global(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda value: _version(value=value),
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Audit sealed measurement bundles: recompute what was published, sign the verdict."""


def main() -> NoReturn:
    """Run the command line; the one place where errors become text and an exit code."""
    # A command makes hundreds of thousands of comparisons and no cycles worth looking for among
    # them, which would take a twentieth of its time.
    collects = gc.isenabled()
    gc.disable()
    try:
        app(prog_name="verifier")
    except VerifierError as error:
        _complain(error)
        code = error.exit_code
    except Exception as error:  # noqa: BLE001 - the last line of defence: never a traceback
        typer.echo(f"error: internal error: {type(error).__name__}: {error}", err=True)
        typer.echo("hint: Run again with --debug and report it.", err=True)
        _traceback(error)
        code = 3
    else:
        code = 0
    finally:
        if collects:
            gc.enable()
    sys.exit(code)


_state = {"debug": False}


def _debug(*, on: bool) -> None:
    _state["debug"] = on


def _traceback(error: BaseException) -> None:
    if _state["debug"]:
        traceback.print_exception(error, file=sys.stderr)


def _complain(error: VerifierError) -> None:
    typer.echo(f"error: {visible(error.message)}", err=True)
    if error.hint:
        typer.echo(f"hint: {visible(error.hint)}", err=True)
    _traceback(error)


def _refuse_odd_combinations(
    paths: list[Path], attest: Path | None, sigstore: Path | None, key: Path | None
) -> None:
    if (attest is None) != (key is None):
        message = "--attest FILE and --key FILE go together"
        raise UsageError(message, hint="`verifier keygen --out PREFIX` makes a key.")
    if sigstore is not None and attest is None:
        message = "--sigstore-bundle goes with --attest and --key"
        raise UsageError(message, hint="It wraps the same envelope.")
    if attest is not None and len(paths) != 1:
        message = "--attest signs the verdict on one PATH"
        raise UsageError(message, hint="Run once per bundle.")


def _rendered(looks: tuple[pipeline.Look, ...], output_format: str) -> str:
    renderer = catalog.renderers()[output_format]
    parts = [
        Rendered(
            path=look.path,
            text=renderer.render(look.report) if look.report is not None else "",
            error=look.error,
        )
        for look in looks
    ]
    if len(parts) == 1:
        return parts[0].text
    return combine(output_format, parts)


def _write(text: str, output: Path | None, *, quiet: bool) -> None:
    if output is not None and text:
        write_new(output, text.encode())
    elif not quiet:
        try:
            typer.echo(text, nl=False)
        except OSError as error:
            # A pipe that was closed is no verdict: exit code 1 would say FAILED.
            message = f"the report cannot be printed: {error.strerror or error}"
            raise OutputError(message, hint="Write it to a file with --output FILE.") from error
