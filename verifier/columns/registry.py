"""Every column of rows, by name: adding a family is adding one module and naming it here."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from verifier.columns import agreement, copying, distributions, likelihood, logits, position, stored
from verifier.errors import CatalogError
from verifier.model.column import RowColumn


def collect(*families: Iterable[RowColumn]) -> Mapping[str, RowColumn]:
    """The columns of all families by name, in the order given.

    Raises:
        CatalogError: two columns have one name, so that a measure could mean either.
    """
    found: dict[str, RowColumn] = {}
    for family in families:
        for column in family:
            if column.name in found:
                message = f"two columns are named {column.name!r}"
                raise CatalogError(
                    message, hint="Give each column in verifier/columns its own name."
                )
            found[column.name] = column
    return MappingProxyType(found)


ROW_COLUMNS: Mapping[str, RowColumn] = collect(
    stored.COLUMNS,
    position.COLUMNS,
    likelihood.COLUMNS,
    agreement.COLUMNS,
    distributions.COLUMNS,
    copying.COLUMNS,
    logits.COLUMNS,
)
