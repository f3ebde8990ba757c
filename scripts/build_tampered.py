"""Write the corpus of tampered bundles: ``python -m scripts.build_tampered [DIR]``.

``bundles/tampered/<check>/<attack>/`` holds the tampered bundle in ``bundle/`` and, beside it, what
was done and which checks have to fail in ``expected.json``. The bundle is the small synthetic one;
tests/test_tampered.py holds the committed corpus against this script and audits every case.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts import (
    attacks_on_decisions,
    attacks_on_distributions,
    attacks_on_documents,
    attacks_on_evidence,
    attacks_on_figures,
    attacks_on_receipts,
    attacks_on_records,
)
from scripts.build_example_rows import write
from scripts.tampering import Attack
from tests.support.build import Files, resealed, valid

TARGET = Path(__file__).parent.parent / "bundles" / "tampered"
ATTACKS: tuple[Attack, ...] = (
    *attacks_on_records.ATTACKS,
    *attacks_on_evidence.ATTACKS,
    *attacks_on_receipts.ATTACKS,
    *attacks_on_distributions.ATTACKS,
    *attacks_on_figures.ATTACKS,
    *attacks_on_decisions.ATTACKS,
    *attacks_on_documents.ATTACKS,
)


def tampered(attack: Attack) -> Files:
    """The bundle after an attack, under a new seal unless the attack is on the sealed files."""
    content = attack.change(valid())
    return content if attack.keeps_seal else resealed(content)


def expected(attack: Attack) -> bytes:
    """What ``expected.json`` says."""
    document = {
        "description": attack.description,
        "policy": attack.policy,
        "failing": attack.failing,
        "message": attack.message,
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def folder(attack: Attack) -> Path:
    """Where an attack lies below the corpus."""
    return Path(attack.check) / attack.name


def main(arguments: Sequence[str]) -> None:
    """Write the corpus anew; only the committed one is ever replaced."""
    target = Path(arguments[0]) if arguments else TARGET
    if arguments and target.exists():
        sys.exit(f"{target} exists; remove it first")
    shutil.rmtree(target, ignore_errors=True)
    for attack in ATTACKS:
        write(target / folder(attack) / "bundle", tampered(attack))
        (target / folder(attack) / "expected.json").write_bytes(expected(attack))
    print(f"wrote {len(ATTACKS)} tampered bundles to {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
