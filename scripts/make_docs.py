"""Regenerate docs/checks.md and the report in the README: ``make docs``.

Both are committed; tests/test_docs.py fails when they differ from what this would write.
"""

import re
from pathlib import Path

from verifier import catalog, pipeline

ROOT = Path(__file__).parent.parent
CHECKS_PAGE = ROOT / "docs" / "checks.md"
README = ROOT / "README.md"
REPORT_BUNDLE = "bundles/kv-cache-kld-20260909"
_HEAD = """# Checks

Generated from the docstrings of `verifier/checks/` by `make docs`; do not edit.

The runner adds one outcome of its own, `figure-coverage`: every published number was reproduced,
is a mismatch, is not recomputable (with what is missing) or is degenerate.
"""
_REPORT = re.compile(r"(?<=<!-- report -->\n```text\n).*?(?=```\n<!-- /report -->)", re.DOTALL)


def checks_page() -> str:
    """The page of every check, generated from the modules' docstrings."""
    pages = [f"\n## {name}\n\n{catalog.check_page(name)}\n" for name in catalog.checks()]
    return _HEAD + "".join(pages)


def shortened_report() -> str:
    """The head of the report on the shipped reference bundle, as the README shows it."""
    options = pipeline.Options(policy=pipeline.load_policy("review"))
    report = pipeline.audit_path(ROOT / REPORT_BUNDLE, options)
    text = catalog.renderers()["text"].render(report)
    # The identity of the sources changes with every commit, the report does not.
    text = re.sub(r"(verifier {3}verifier [^,]+), sha256 \S+", r"\1", text)
    head, _, rest = text.partition("\nWARNINGS")
    figures = rest[rest.index("\n  REPRODUCED") :].splitlines()[:17]
    return head + "\n...\n" + "\n".join(figures) + "\n...\n"


def readme() -> str:
    """The README with the current report."""
    return _REPORT.sub(lambda _: shortened_report(), README.read_text(encoding="utf-8"))


def main() -> None:
    """Write both files."""
    CHECKS_PAGE.write_text(checks_page(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
    print(f"wrote {CHECKS_PAGE.relative_to(ROOT)} and the report in {README.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
