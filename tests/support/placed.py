"""What every reader of documents owes: each placed character is that of the source."""

from collections.abc import Callable, Sequence

from verifier.model.document import NO_PLACE, Block, Mark


def checked(read: Callable[[str], tuple[Block, ...]], source: str) -> tuple[Block, ...]:
    """The blocks of a source, held to the contract of ``Block``."""
    blocks = read(source)
    lines = source.count("\n") + source.count("\r") + 1
    for block in blocks:
        assert len(block.offsets) == len(block.text)
        pairs = zip(block.text, block.offsets, strict=True)
        placed = [(character, place) for character, place in pairs if place != NO_PLACE]
        assert [source[place] for _, place in placed] == [character for character, _ in placed]
        places = [place for _, place in placed]
        assert places == sorted(set(places))
        assert 1 <= block.line <= lines
        assert_nested(block.marks, len(block.text))
    return blocks


def assert_nested(marks: Sequence[Mark], length: int) -> None:
    """Marks stand in the order of their starts, and nest or stand apart."""
    assert [mark.start for mark in marks] == sorted(mark.start for mark in marks)
    ends: list[int] = []
    for mark in marks:
        assert 0 <= mark.start <= mark.end <= length
        assert (mark.start == mark.end) == (mark.kind == "comment")
        while ends and ends[-1] <= mark.start:
            ends.pop()
        assert not ends or mark.end <= ends[-1]
        ends.append(mark.end)


def written(source: str, block: Block) -> str:
    """The source that a block's text was taken from, from its first to its last character."""
    return source[block.offsets[0] : block.offsets[-1] + 1]
