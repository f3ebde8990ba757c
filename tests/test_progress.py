import io

from verifier.progress import Bar

LARGE = 1024**3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(stream: io.StringIO, total: int) -> str:
    with Bar(stream) as bar:
        for done in range(0, total + 1, total // 4):
            bar.advance(done, total)
    return stream.getvalue()


def test_long_hashing_is_shown_on_a_terminal() -> None:
    assert "hashing" in drawn(Terminal(), LARGE)


def test_nothing_is_drawn_off_a_terminal() -> None:
    assert drawn(io.StringIO(), LARGE) == ""


def test_small_bundles_draw_nothing() -> None:
    assert drawn(Terminal(), 4096) == ""
