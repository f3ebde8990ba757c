import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tests.support import reports
from verifier.attest import dsse, sigstore_bundle, statement
from verifier.attest.check import BundleFiles, Checked, Require, check
from verifier.errors import AttestationError
from verifier.model.report import Status, Subject

Change = Callable[[dict[str, Any]], object]


def _attest(key: Ed25519PrivateKey, *statuses: Status, root: str | None = reports.ROOT) -> bytes:
    report = reports.report(*statuses, identity=reports.bundle(root=root))
    payload = statement.encode(statement.build(report, reports.NOW))
    return dsse.encode(dsse.sign(payload, key))


def _signed(key: Ed25519PrivateKey, change: Change) -> bytes:
    """An attestation whose statement was changed before it was signed."""
    built = statement.build(reports.report(), reports.NOW)
    change(built)
    return dsse.encode(dsse.sign(json.dumps(built).encode(), key))


def _check(
    data: bytes,
    *trusted: Ed25519PrivateKey,
    files: dict[str, str] | None = reports.FILES,
    root: str | None = reports.ROOT,
    require: Require = "PASSED",
) -> Checked:
    public_keys: list[Ed25519PublicKey] = [key.public_key() for key in trusted]
    bundle = None if files is None else BundleFiles(sha256=files, root=root)
    return check(data, public_keys, bundle=bundle, require=require)


def _refusal(
    data: bytes,
    *trusted: Ed25519PrivateKey,
    files: dict[str, str] | None = reports.FILES,
    root: str | None = reports.ROOT,
    require: Require = "PASSED",
) -> str:
    with pytest.raises(AttestationError) as caught:
        _check(data, *trusted, files=files, root=root, require=require)
    assert caught.value.exit_code == 1
    assert caught.value.hint
    assert caught.value.message.isprintable()
    return caught.value.message


def _altered(data: bytes, change: Change) -> bytes:
    fields = json.loads(data)
    change(fields)
    return json.dumps(fields).encode()


def test_an_accepted_attestation_says_what_it_establishes(key: Ed25519PrivateKey) -> None:
    report = reports.report()

    assert _check(_attest(key), key) == Checked(
        result="PASSED",
        keyid=dsse.keyid(key.public_key()),
        subjects=(reports.subject("figures.json"), reports.subject("bundle.json")),
        root=reports.ROOT,
        time=reports.NOW,
        policy=Subject(name="review", sha256=report.policy.sha256),
        verifier=Subject(name="verifier 0.1.0", sha256=report.verifier.sha256),
        compared=True,
    )


def test_a_sigstore_bundle_is_accepted_as_well(key: Ed25519PrivateKey) -> None:
    data = _attest(key)

    assert _check(sigstore_bundle.wrap(dsse.decode(data)), key) == _check(data, key)


def test_without_files_only_the_attestation_is_looked_at(key: Ed25519PrivateKey) -> None:
    checked = _check(_attest(key), key, files=None, root=None)

    assert not checked.compared
    assert checked.root == reports.ROOT


def test_a_bundle_without_a_seal_root_is_compared_by_its_files(key: Ed25519PrivateKey) -> None:
    checked = _check(_attest(key, root=None), key, root=None)

    assert checked.compared
    assert checked.root is None


def test_any_of_several_trusted_keys_may_have_signed(
    key: Ed25519PrivateKey, other_key: Ed25519PrivateKey
) -> None:
    assert _check(_attest(key), other_key, key).keyid == dsse.keyid(key.public_key())


@pytest.mark.parametrize("keyid", ["", "SHA256:of somebody else"])
def test_the_claimed_key_id_does_not_decide(key: Ed25519PrivateKey, keyid: str) -> None:
    data = _altered(_attest(key), lambda fields: fields["signatures"][0].update(keyid=keyid))

    assert _check(data, key).keyid == dsse.keyid(key.public_key())


@pytest.mark.parametrize(
    ("status", "require", "result"),
    [
        ("PASSED", "PASSED", "PASSED"),
        ("PASSED", "WARNED", "PASSED"),
        ("WARNED", "WARNED", "WARNED"),
    ],
)
def test_results_that_are_good_enough(
    key: Ed25519PrivateKey, status: Status, require: Require, result: str
) -> None:
    assert _check(_attest(key, status), key, require=require).result == result


@pytest.mark.parametrize(
    ("status", "require", "message"),
    [
        ("WARNED", "PASSED", "the attested result is WARNED, required: PASSED"),
        ("FAILED", "PASSED", "the attested result is FAILED, required: PASSED"),
        ("FAILED", "WARNED", "the attested result is FAILED, required: PASSED or WARNED"),
        ("ERROR", "WARNED", "the attested result is FAILED, required: PASSED or WARNED"),
    ],
)
def test_results_that_are_not_good_enough(
    key: Ed25519PrivateKey, status: Status, require: Require, message: str
) -> None:
    assert _refusal(_attest(key, status), key, require=require) == message


@pytest.mark.parametrize("word", ["passed", "PASSED ", "SKIPPED", "\x1b[32mPASSED"])
@pytest.mark.parametrize("require", ["PASSED", "WARNED"])
def test_an_unknown_result_word_is_no_pass(
    key: Ed25519PrivateKey, word: str, require: Require
) -> None:
    data = _signed(key, lambda built: built["predicate"].update(result=word))

    assert _refusal(data, key, require=require) == (
        f"the attested result is {word!r}, which is no result word"
    )


def test_another_key_is_refused_with_both_key_ids(
    key: Ed25519PrivateKey, other_key: Ed25519PrivateKey
) -> None:
    claimed, trusted = dsse.keyid(other_key.public_key()), dsse.keyid(key.public_key())

    assert _refusal(_attest(other_key), key) == (
        "no trusted key made this signature: "
        f"the envelope names key '{claimed}', trusted: {trusted}"
    )


def test_another_key_that_names_no_key_is_refused(
    key: Ed25519PrivateKey, other_key: Ed25519PrivateKey
) -> None:
    data = _altered(_attest(other_key), lambda fields: fields["signatures"][0].pop("keyid"))

    assert "the envelope names key none, trusted: SHA256:" in _refusal(data, key)


def test_another_key_under_a_trusted_key_id_is_refused(
    key: Ed25519PrivateKey, other_key: Ed25519PrivateKey
) -> None:
    trusted = dsse.keyid(key.public_key())
    data = _altered(
        _attest(other_key), lambda fields: fields["signatures"][0].update(keyid=trusted)
    )

    assert _refusal(data, key) == (
        f"the signature does not fit: trusted key {trusted} did not sign this"
    )


def test_without_a_trusted_key_nothing_is_accepted(key: Ed25519PrivateKey) -> None:
    assert _refusal(_attest(key)).endswith("trusted: none")


def test_a_hostile_key_id_is_shown_escaped_and_cut(
    key: Ed25519PrivateKey, other_key: Ed25519PrivateKey
) -> None:
    keyid = "\x1b[2J\n" + "x" * 10_000
    data = _altered(_attest(other_key), lambda fields: fields["signatures"][0].update(keyid=keyid))
    message = _refusal(data, key)

    assert r"'\x1b[2J\nxxx" in message
    assert len(message) < 400


def test_a_key_inside_a_sigstore_bundle_is_never_trusted(
    key: Ed25519PrivateKey, other_key: Ed25519PrivateKey
) -> None:
    raw = base64.b64encode(other_key.public_key().public_bytes_raw()).decode()
    data = _altered(
        sigstore_bundle.wrap(dsse.decode(_attest(other_key))),
        lambda fields: fields["verificationMaterial"]["publicKey"].update(
            rawBytes=raw, hint=dsse.keyid(key.public_key())
        ),
    )

    assert "no trusted key made this signature" in _refusal(data, key)


def test_an_altered_payload_is_refused_before_it_is_read(key: Ed25519PrivateKey) -> None:
    payload = base64.b64encode(b"not even JSON").decode()
    data = _altered(_attest(key), lambda fields: fields.update(payload=payload))

    assert _refusal(data, key).startswith("the signature does not fit: trusted key SHA256:")


def test_a_result_turned_after_signing_is_refused(key: Ed25519PrivateKey) -> None:
    envelope = json.loads(_attest(key, "FAILED"))
    payload = base64.b64decode(envelope["payload"]).replace(b'"FAILED"', b'"PASSED"')
    assert b'"result":"PASSED"' in payload
    envelope["payload"] = base64.b64encode(payload).decode()

    assert "the signature does not fit" in _refusal(json.dumps(envelope).encode(), key)


def test_another_payload_type_is_refused(key: Ed25519PrivateKey) -> None:
    payload = statement.encode(statement.build(reports.report(), reports.NOW))
    payload_type = "application/vnd.in-toto.test-result+json"
    envelope = dsse.Envelope(
        payload=payload,
        payload_type=payload_type,
        signature=key.sign(dsse.pae(payload_type, payload)),
    )

    assert _refusal(dsse.encode(envelope), key) == (
        "the payload type is 'application/vnd.in-toto.test-result+json', "
        "expected 'application/vnd.in-toto+json'"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not strict JSON: the attestation: empty file"),
        (b"PASSED", "not strict JSON: the attestation: line 1"),
        (b"null", "the attestation is not a JSON object"),
        (b"{}", "envelope: 'signatures' is not an array of objects"),
        (b'{"mediaType":"x"}', "the Sigstore bundle is 'x', expected application/vnd."),
    ],
)
def test_files_that_are_no_attestation_are_refused(
    key: Ed25519PrivateKey, data: bytes, message: str
) -> None:
    assert _refusal(data, key).startswith(message)


def test_two_signatures_are_refused(key: Ed25519PrivateKey) -> None:
    data = _altered(_attest(key), lambda fields: fields["signatures"].append({"sig": "QQ=="}))

    assert _refusal(data, key) == "the envelope holds 2 signatures, expected exactly one"


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"\xff", "not strict JSON: the signed payload: line 1 column 1: byte 0xff is not UTF-8"),
        (b"[]", "the signed payload is not a JSON object"),
        (b'{"_type":1}', "statement: '_type' is not a non-empty text"),
        (b'{"a":1,"a":2}', "not strict JSON: the signed payload#/a: duplicate key 'a'"),
    ],
)
def test_signed_payloads_that_are_no_statement_are_refused(
    key: Ed25519PrivateKey, payload: bytes, message: str
) -> None:
    assert _refusal(dsse.encode(dsse.sign(payload, key)), key) == message


def _with_subject(**fields: Any) -> Change:
    return lambda built: built["subject"].__setitem__(0, fields)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda built: built.update(_type="https://in-toto.io/Statement/v0.1"),
            (
                "statement: '_type' is 'https://in-toto.io/Statement/v0.1', "
                "expected 'https://in-toto.io/Statement/v1'"
            ),
        ),
        (
            lambda built: built.update(predicateType="https://slsa.dev/provenance/v1"),
            (
                "statement: 'predicateType' is 'https://slsa.dev/provenance/v1', "
                "expected 'https://in-toto.io/attestation/test-result/v0.1'"
            ),
        ),
        (
            lambda built: built.update(subject=[]),
            "the statement names no subject, so it speaks of no bundle",
        ),
        (
            lambda built: built.pop("subject"),
            "statement: 'subject' is not an array of objects",
        ),
        (
            lambda built: built["subject"].append(built["subject"][0]),
            "the statement names subject 'figures.json' twice",
        ),
        (
            _with_subject(digest={"sha256": "a" * 64}),
            "subject 0: 'name' is not a non-empty text",
        ),
        (
            _with_subject(name="figures.json"),
            "subject 0: 'digest' is not an object",
        ),
        (
            _with_subject(name="figures.json", digest={"sha512": "a" * 128}),
            "subject 0 'figures.json': 'sha256' is not a non-empty text",
        ),
        (
            _with_subject(name="figures.json", digest={"sha256": "A" * 64}),
            "subject 0 'figures.json': sha256 is not 64 lower-case hex digits",
        ),
        (
            _with_subject(name="figures.json", digest={"sha256": "a" * 64 + "\n"}),
            "subject 0 'figures.json': sha256 is not 64 lower-case hex digits",
        ),
        (
            lambda built: built.update(predicate=[]),
            "statement: 'predicate' is not an object",
        ),
        (
            lambda built: built["predicate"].pop("result"),
            "predicate: 'result' is not a non-empty text",
        ),
        (
            lambda built: built["predicate"].pop("measurementVerification"),
            "predicate: 'measurementVerification' is not an object",
        ),
        (
            lambda built: built["predicate"]["measurementVerification"].pop("timeVerified"),
            "measurementVerification: 'timeVerified' is not a non-empty text",
        ),
        (
            lambda built: built["predicate"]["measurementVerification"]["bundle"].update(root=None),
            (
                "the statement contradicts itself: subject 'seal-root' and "
                "measurementVerification name different seal roots"
            ),
        ),
        (
            lambda built: built["predicate"]["configuration"].pop(),
            "predicate: 'configuration' does not name the policy and the verifier",
        ),
        (
            lambda built: built["predicate"]["configuration"][1].pop("digest"),
            "verifier: 'digest' is not an object",
        ),
    ],
)
def test_signed_statements_of_another_kind_are_refused(
    key: Ed25519PrivateKey, change: Change, message: str
) -> None:
    assert _refusal(_signed(key, change), key, files=None) == message


def test_a_passed_unit_test_of_the_same_signer_is_no_verdict_on_a_measurement(
    key: Ed25519PrivateKey,
) -> None:
    def foreign(built: dict[str, Any]) -> None:
        built["predicate"] = {"result": "PASSED", "configuration": []}

    assert "'measurementVerification' is not an object" in _refusal(_signed(key, foreign), key)


def test_fields_of_a_later_version_are_ignored(key: Ed25519PrivateKey) -> None:
    def later(built: dict[str, Any]) -> None:
        built["predicate"]["measurementVerification"]["later"] = [1]
        built["predicate"]["configuration"].append({"uri": "x"})
        built["subject"][0]["digest"]["sha512"] = "b" * 128

    assert _check(_signed(key, later), key).result == "PASSED"


def test_a_changed_file_is_refused_with_both_hashes(key: Ed25519PrivateKey) -> None:
    files = {**reports.FILES, "figures.json": "0" * 64}

    assert _refusal(_attest(key), key, files=files) == (
        f"'figures.json' has sha256 {'0' * 64}, attested was {reports.FILES['figures.json']}"
    )


def test_an_absent_file_is_refused(key: Ed25519PrivateKey) -> None:
    files = {"figures.json": reports.FILES["figures.json"]}

    assert _refusal(_attest(key), key, files=files) == (
        "the bundle has no file 'bundle.json', which the attestation names"
    )


def test_an_empty_folder_is_refused(key: Ed25519PrivateKey) -> None:
    assert "the bundle has no file 'figures.json'" in _refusal(_attest(key), key, files={})


@pytest.mark.parametrize(
    ("attested", "actual", "message"),
    [
        (reports.ROOT, "0" * 64, f"is {'0' * 64}, attested was {reports.ROOT}"),
        (reports.ROOT, None, f"is none, attested was {reports.ROOT}"),
        (None, reports.ROOT, f"is {reports.ROOT}, attested was none"),
    ],
    ids=["another root", "seal taken away", "sealed afterwards"],
)
def test_another_seal_root_is_refused(
    key: Ed25519PrivateKey, attested: str | None, actual: str | None, message: str
) -> None:
    data = _attest(key, root=attested)

    assert _refusal(data, key, root=actual) == f"the bundle's seal root {message}"


def test_a_file_named_like_the_root_subject_does_not_stand_for_it(key: Ed25519PrivateKey) -> None:
    files = {**reports.FILES, "seal-root": reports.ROOT}

    assert "seal root is none" in _refusal(_attest(key), key, files=files, root=None)


def _refused(data: bytes, key: Ed25519PrivateKey, **state: Any) -> str:
    """Why an attestation is refused for a bundle that departs from its seal in this way."""
    bundle = BundleFiles(sha256=reports.FILES, root=reports.ROOT, **state)
    with pytest.raises(AttestationError) as caught:
        check(data, [key.public_key()], bundle=bundle, require="PASSED")
    assert caught.value.exit_code == 1
    return caught.value.message


def test_a_file_that_departs_from_the_seal_is_refused_though_the_root_is_the_attested_one(
    key: Ed25519PrivateKey,
) -> None:
    message = _refused(_attest(key), key, departures=("arms/fp8/windows.json", "late.txt"))
    assert message == "'arms/fp8/windows.json' is not as the seal promises"


def test_a_file_that_only_the_attestation_can_vouch_for_has_to_be_named(
    key: Ed25519PrivateKey,
) -> None:
    named = frozenset({"figures.json", "bundle.json"})
    message = _refused(_attest(key), key, vouching=named | {"b.json", "a.json"})
    assert message == "the attestation does not speak of 'a.json', which the bundle holds"
    bundle = BundleFiles(sha256=reports.FILES, root=reports.ROOT, vouching=named)
    assert check(_attest(key), [key.public_key()], bundle=bundle, require="PASSED").compared


def _allowing(key: Ed25519PrivateKey, allowed: object) -> bytes:
    def change(built: dict[str, Any]) -> None:
        built["predicate"]["measurementVerification"]["policyAllowedMissing"] = allowed

    return _signed(key, change)


def test_a_sealed_file_that_is_gone_is_refused_unless_the_signer_allowed_that_very_file(
    key: Ed25519PrivateKey,
) -> None:
    absent = frozenset({"b.txt", "a.txt", "known.txt"})
    message = _refused(_allowing(key, ["known.txt"]), key, absent=absent)
    assert message == "the bundle has no file 'a.txt', which its seal lists"
    bundle = BundleFiles(sha256=reports.FILES, root=reports.ROOT, absent=frozenset({"known.txt"}))
    data = _allowing(key, ["known.txt"])
    assert check(data, [key.public_key()], bundle=bundle, require="PASSED").compared


@pytest.mark.parametrize("allowed", ["a.txt", {"a.txt": 1}, None, 1, ["b.txt", 1], [["a.txt"]]])
def test_an_allowance_that_is_no_list_of_names_allows_nothing(
    key: Ed25519PrivateKey, allowed: object
) -> None:
    assert _refusal(_allowing(key, allowed), key) == (
        "measurementVerification: policyAllowedMissing is no list of names"
    )


def test_a_statement_without_an_allowance_allows_nothing(key: Ed25519PrivateKey) -> None:
    data = _signed(
        key,
        lambda built: built["predicate"]["measurementVerification"].pop("policyAllowedMissing"),
    )
    assert _check(data, key).result == "PASSED"
    assert _refused(data, key, absent=frozenset({"a.txt"})) == (
        "the bundle has no file 'a.txt', which its seal lists"
    )
