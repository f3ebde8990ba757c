"""The list of columns: complete, each name once, each one explained."""

import re

import pytest

from verifier.columns import agreement, position
from verifier.columns.registry import ROW_COLUMNS, collect
from verifier.errors import CatalogError

TOPK = ("teacher_topk_ids", "teacher_topk_logp", "student_topk_ids", "student_topk_logp")


def test_the_columns_are_those_that_measures_may_name() -> None:
    assert {name: (column.needs, column.unit) for name, column in ROW_COLUMNS.items()} == {
        "kld": (("kld",), "nats"),
        "teacher_entropy": (("teacher_entropy",), "nats"),
        "student_entropy": (("student_entropy",), "nats"),
        "teacher_top1_p": (("teacher_top1_p",), "probability"),
        "student_top1_p": (("student_top1_p",), "probability"),
        "history": (("history",), "tokens"),
        "realized_token": (("realized_token",), "token id"),
        "teacher_top1": (("teacher_top1",), "token id"),
        "student_top1": (("student_top1",), "token id"),
        "teacher_logp_realized": (("teacher_logp_realized",), "nats"),
        "student_logp_realized": (("student_logp_realized",), "nats"),
        "row": ((), "row number"),
        "window": ((), "window number"),
        "one": ((), "rows"),
        "nll": (("student_logp_realized",), "nats"),
        "teacher_nll": (("teacher_logp_realized",), "nats"),
        "excess_nll": (("student_logp_realized", "teacher_logp_realized"), "nats"),
        "realized_p": (("student_logp_realized",), "probability"),
        "teacher_realized_p": (("teacher_logp_realized",), "probability"),
        "kl_two_bucket": (("teacher_logp_realized", "student_logp_realized"), "nats"),
        "top1_agreement": (("student_top1", "teacher_top1"), "0 or 1"),
        "actual_token_top1_hit": (("student_top1", "realized_token"), "0 or 1"),
        "same_top1": (("student_top1",), "0 or 1"),
        "top1_top2_swap": (("student_topk_ids",), "0 or 1"),
        "rows_identical": (("row_sha256",), "0 or 1"),
        "kl_topk": (TOPK, "nats"),
        "kl_topk_normalised": (TOPK, "nats"),
        "js_topk": (TOPK, "nats"),
        "topk_missing": (TOPK, "tokens"),
        "topk_entropy": (TOPK[2:], "nats"),
        "kl_topk_between": (TOPK[2:], "nats"),
        "kl_topk_normalised_between": (TOPK[2:], "nats"),
        "js_topk_between": (TOPK[2:], "nats"),
        "copied": (("history", "realized_token"), "0 or 1"),
        "kl_logits": ((), "nats"),
        "js_logits": ((), "nats"),
        "teacher_entropy_logits": ((), "nats"),
        "student_entropy_logits": ((), "nats"),
        "nll_logits": (("realized_token",), "nats"),
    }


def test_the_columns_that_compare_two_arms_say_so() -> None:
    assert {name for name, column in ROW_COLUMNS.items() if column.arms != 1} == {
        "same_top1",
        "top1_top2_swap",
        "rows_identical",
        "kl_topk_between",
        "kl_topk_normalised_between",
        "js_topk_between",
    }
    assert {column.arms for column in ROW_COLUMNS.values()} == {1, 2}


def test_only_copying_reads_the_token_stream() -> None:
    assert [name for name, column in ROW_COLUMNS.items() if column.needs_tokens] == ["copied"]


def test_the_columns_of_raw_logits_say_whose_they_need() -> None:
    needed = {name: column.needs_logits for name, column in ROW_COLUMNS.items()}
    assert {name: sides for name, sides in needed.items() if sides} == {
        "kl_logits": ("teacher", "student"),
        "js_logits": ("teacher", "student"),
        "teacher_entropy_logits": ("teacher",),
        "student_entropy_logits": ("student",),
        "nll_logits": ("student",),
    }


@pytest.mark.parametrize("name", ROW_COLUMNS)
def test_a_column_is_explained_in_sentences_and_has_a_source(name: str) -> None:
    column = ROW_COLUMNS[name]
    assert column.name == name
    assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
    assert re.fullmatch(r"\S.*\S\.", column.definition)
    assert "  " not in column.definition
    assert re.fullmatch(r"\S.*[^.\s]", column.source)


def test_the_list_cannot_be_changed_by_who_reads_it() -> None:
    with pytest.raises(TypeError):
        ROW_COLUMNS["kld"] = ROW_COLUMNS["nll"]  # type: ignore[index]


def test_a_second_column_of_a_name_is_refused_loudly() -> None:
    with pytest.raises(CatalogError, match=r"^two columns are named 'same_top1'$") as caught:
        collect(position.COLUMNS, agreement.COLUMNS, agreement.COLUMNS[2:3])
    assert caught.value.hint == "Give each column in verifier/columns its own name."
