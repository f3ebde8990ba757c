"""How much one explanation may compute: a bundle chooses how large its figures are."""

from dataclasses import dataclass

from verifier.explain.wording import NONE, PARTLY, UNTRIED


@dataclass(slots=True)
class Budget:
    """Steps that are left, and what was left out for want of them."""

    left: int
    _tried: bool = False
    _refused: bool = False

    def take(self, steps: int) -> bool:
        """Whether so many steps may be spent; smaller ones may still fit afterwards."""
        if steps > self.left:
            self.refuse()
            return False
        self.left -= steps
        self._tried = True
        return True

    def refuse(self) -> None:
        """Note that something was left out, whatever it would have taken."""
        self._refused = True

    @property
    def nothing_found(self) -> str:
        """What to say when nothing that was tried gives the digits."""
        if not self._refused:
            return NONE
        return PARTLY if self._tried else UNTRIED
