"""Attestations of earlier versions keep verifying, whatever a later version writes."""

from pathlib import Path

import pytest

from verifier.attest import keys
from verifier.attest.check import BundleFiles, Checked, Require, check
from verifier.errors import AttestationError
from verifier.model.report import Subject

_STORED = Path(__file__).parent.parent / "data" / "attestations"
FILES = {
    "figures.json": "dc2e3999e6b3e23f3327c0e6cb9a3d6cde4ab7cc16a46ec0fe716df8ce2717b9",
    "bundle.json": "1e6ed65d77d6364eeaed5a745ba5c4985ae2b700dd85d7cf7f027bdf294a33fc",
}
ROOT = "4813494d137e1631bba301d5acab6e7bb7aa74ce1185d456565ef51d737677b2"


def _check(name: str, *, require: Require = "WARNED", root: str = ROOT) -> Checked:
    folder = _STORED / "v0.1"
    trusted = keys.load_public(folder / "signer.pub")
    data = (folder / name).read_bytes()
    return check(data, [trusted], bundle=BundleFiles(sha256=FILES, root=root), require=require)


@pytest.mark.parametrize("name", ["warned.intoto.json", "warned.sigstore.json"])
def test_an_attestation_of_version_0_1_says_what_it_said(name: str) -> None:
    assert _check(name) == Checked(
        result="WARNED",
        keyid="SHA256:gxV8S9NEx3vIuuMoBo6GbpqFJNlqs8Cih9ierue3YFg",
        subjects=tuple(Subject(name=path, sha256=sha256) for path, sha256 in FILES.items()),
        root=ROOT,
        time="2026-09-09T12:00:00Z",
        policy=Subject(
            name="review",
            sha256="823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812",
        ),
        verifier=Subject(
            name="verifier 0.1.0",
            sha256="88c9eae68eb300b2971a2bec9e5a26ff4179fd661d6b7d861e4c6557b9aaee14",
        ),
        compared=True,
    )


def test_an_attestation_of_version_0_1_is_still_refused_where_it_was() -> None:
    with pytest.raises(AttestationError, match="the attested result is WARNED"):
        _check("warned.intoto.json", require="PASSED")
    with pytest.raises(AttestationError, match="seal root"):
        _check("warned.intoto.json", root="0" * 64)
