"""The commands that list what this program knows: checks, measures and schemas."""

from typing import Annotated

import typer

from verifier import catalog
from verifier.columns.registry import ROW_COLUMNS
from verifier.errors import UsageError
from verifier.render._measures import column_page, listing, statistic_page


def checks(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A check's id.")] = None,
) -> None:
    """List the checks, or print the page of one.

    Example: verifier checks receipt-hashes
    """
    known = catalog.checks()
    if name is None:
        width = max(map(len, known))
        for check in known.values():
            typer.echo(f"{check.id:<{width}}  {check.title}")
        return
    if name not in known:
        message = f"no check {name!r}"
        raise UsageError(message, hint=f"Known checks: {', '.join(known)}.")
    typer.echo(catalog.check_page(name))


def measures(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A statistic or a column.")
    ] = None,
) -> None:
    """List the statistics and columns that measures are made of, or print one's definition.

    Example: verifier measures quantile
    """
    statistics, columns = catalog.statistics(), ROW_COLUMNS
    if name is None:
        typer.echo(listing(statistics.values(), columns.values()), nl=False)
        return
    if name not in statistics and name not in columns:
        message = f"no statistic or column {name!r}"
        raise UsageError(message, hint="`verifier measures` lists them.")
    if name in statistics:
        typer.echo(statistic_page(statistics[name]), nl=False)
    if name in columns:
        typer.echo(column_page(columns[name]), nl=False)


def schemas(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A schema's id.")] = None,
) -> None:
    """List the JSON Schemas, or print one.

    Example: verifier schemas receipt-1
    """
    known = catalog.SCHEMAS.names()
    if name is None:
        width = max(map(len, known))
        for schema in known:
            typer.echo(f"{schema:<{width}}  {catalog.SCHEMAS.get(schema).get('title', '')}")
        return
    if name not in known:
        message = f"no schema {name!r}"
        raise UsageError(message, hint=f"Known schemas: {', '.join(known)}.")
    typer.echo(catalog.SCHEMAS.text(name), nl=False)
