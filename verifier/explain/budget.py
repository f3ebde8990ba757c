"""How much one explanation may compute: a bundle chooses how large its figures are."""

from dataclasses import dataclass

from verifier.explain.wording import DIGITS, UNTRIED, none, partly


@dataclass(slots=True)
class Budget:
    """Steps that are left, and what was left out for want of them."""

    left: int
    _tried: bool = False
    _refused: bool = False

    def take(self, steps: int, *, tries: bool = True) -> bool:
        """Whether so many steps may be spent; smaller ones may still fit afterwards.

        Args:
            steps: at least 0.
            tries: whether they try an alternative, and do not only prepare for one.
        """
        if steps > self.left:
            self.refuse()
            return False
        self.left -= steps
        self._tried = self._tried or tries
        return True

    def refuse(self) -> None:
        """Note that something was left out, whatever it would have taken."""
        self._refused = True

    def nothing_found(self, wanted: str = DIGITS) -> str:
        """What to say when nothing that was tried gives what is wanted."""
        if not self._refused:
            return none(wanted)
        return partly(wanted) if self._tried else UNTRIED
