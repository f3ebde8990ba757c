"""Attacks on the prose of a bundle: a page says what the data do not."""

from scripts.results_documents import LISTED, PAGE, results
from scripts.tampering import Attack, Change, chain, edit, replace_text
from tests.support.build import Files


def with_page(content: Files) -> Files:
    """The small bundle with its page of results, every number of which is right."""
    listed = edit("bundle.json", lambda document: document["documents"].__setitem__(-1, LISTED))
    return {**listed(content), **results("example-small")}


def _saying(right: str, wrong: str) -> Change:
    return chain(with_page, replace_text(PAGE, right, wrong))


ATTACKS = (
    Attack(
        check="document-claims",
        name="digit-changed",
        description="One digit of a difference in prose is another one than the scores give.",
        change=_saying("by 0.00785 nats", "by 0.00735 nats"),
        message="expected '0.00735', found '0.00785'",
    ),
    Attack(
        check="document-claims",
        name="rows-of-a-table-swapped",
        description="Two arms of a table have changed places, and their numbers have not.",
        change=chain(
            _saying("| alpha |", "| beta  |"), replace_text(PAGE, "| beta |", "| alpha |")
        ),
        message="expected '0.02193', found '0.02978'",
    ),
    Attack(
        check="document-claims",
        name="fraction-for-percent",
        description="A share is printed as a fraction, with the sign for per cent behind it.",
        change=_saying("26.4 %", "0.264 %"),
        message="expected '0.264', found '26.360'",
    ),
    Attack(
        check="document-claims",
        name="digest-of-another-image",
        description="The page names the digest of the capture image with one digit changed.",
        change=_saying("bb1a4ace", "bb1a4acf"),
        message="bb1a4acf",
    ),
)
