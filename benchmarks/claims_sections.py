"""What the generated document says about figures: headings, labels and sentences, as data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of figures; the id of a cell's figure is the column's prefix and the row's ending.

    Attributes:
        heading: of the section that the table stands in.
        lead: paragraph before the table.
        corner: header of the labels.
        columns: (label, prefix).
        rows: (label, ending, decimals); ``%`` behind the decimals prints a fraction as a
            percentage, and an ending in ``/`` stands for an interval ``[low, high]``.
    """

    heading: str
    lead: str
    corner: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str, str], ...]


_TWO = (("kv-fp8-p1", "kv-fp8-p1/"), ("kv-nvfp4-l1", "kv-nvfp4-l1/"))
_ALL = (
    ("teacher-f32", "teacher-f32/"),
    _TWO[0],
    ("kv-fp8-p2", "kv-fp8-p2/"),
    _TWO[1],
    ("kv-nvfp4-l2", "kv-nvfp4-l2/"),
)
_NVFP4 = (_TWO[1],)

TABLES = (
    Table(
        heading="KL divergence of each arm",
        lead="Windows weigh the same unless the row says otherwise.",
        corner="Quantity",
        columns=_TWO,
        rows=(
            ("Mean KLD", "kld/mean", "6"),
            ("Mean KLD, BCa 95 % interval", "kld/mean/bca95/", "5"),
            ("Natural panel", "kld/panel/natural", "6"),
            ("Generated panel", "kld/panel/generated", "6"),
            ("Long panel", "kld/panel/long", "6"),
            ("Panels weigh the same", "kld/panels-weigh-the-same", "6"),
            ("Domain: prose", "kld/domain/prose", "7"),
            ("Domain: code", "kld/domain/code", "7"),
            ("Domains weigh the same", "kld/domains-weigh-the-same", "6"),
            ("First 6 windows", "kld/first-6-windows", "6"),
            ("Two windows by name", "kld/two-named-windows", "6"),
            ("99th percentile over rows, linear", "kld/rows/p99/linear", "5"),
        ),
    ),
    Table(
        heading="KL divergence of kv-nvfp4-l1 in detail",
        lead="",
        corner="Statistic",
        columns=_NVFP4,
        rows=(
            ("Median over windows", "kld/windows/median", "5"),
            ("Smallest window (minimum)", "kld/windows/minimum", "6"),
            ("Largest window (maximum)", "kld/windows/maximum", "5"),
            ("Range of the windows", "kld/windows/range", "5"),
            ("SD of the windows, ddof 0", "kld/windows/sd-ddof0", "6"),
            ("SD of the windows, ddof 1", "kld/windows/sd-ddof1", "6"),
            ("Standard error over windows", "kld/windows/standard-error", "6"),
            ("Geometric mean of the windows", "kld/windows/geometric-mean", "5"),
            ("Median over rows", "kld/rows/median", "6"),
            ("Sum over rows", "kld/rows/sum", "2"),
            ("Standard deviation over rows", "kld/rows/sd", "5"),
            ("Mean of the medians of the windows", "kld/window-medians/mean", "6"),
            ("Median of the maxima of the windows", "kld/window-maxima/median", "5"),
            ("Including the prefill row", "kld/including-prefill", "7"),
            ("The prefill row alone", "kld/prefill-row", "6"),
            ("Rows above 0.1, count", "kld/rows/above-0.1/count", "0"),
            ("Rows above 0.1, fraction", "kld/rows/above-0.1/fraction", "2%"),
            ("Windows without a row above 0.1", "kld/windows-without-a-row-above-0.1", "0"),
            ("Rows from 0.001 to below 0.01", "kld/rows/from-0.001-below-0.01", "0"),
            ("Largest row", "kld/rows/largest/1", "4"),
            ("Row of the largest value", "kld/rows/largest/1/row", "0"),
            ("History of the largest value", "kld/rows/largest/1/history", "0"),
            ("Second largest row", "kld/rows/largest/2", "6"),
            ("Top 1 percent, count rounded down (floor)", "kld/rows/top-1-percent/floor", "4"),
            ("Top 1 percent, count rounded up (ceil)", "kld/rows/top-1-percent/ceil", "4"),
        ),
    ),
    Table(
        heading="Quantiles of kv-nvfp4-l1 over all rows",
        lead="The KLD at which a share of the rows lies below, by rule.",
        corner="Rule",
        columns=(
            ("p99", "kv-nvfp4-l1/kld/rows/p99/"),
            ("p99.9", "kv-nvfp4-l1/kld/rows/p99.9/"),
        ),
        rows=(
            ("linear", "linear", "5"),
            ("hazen", "hazen", "5"),
            ("weibull", "weibull", "5"),
            ("normal_unbiased", "normal_unbiased", "5"),
            ("interpolated_inverted_cdf", "interpolated_inverted_cdf", "5"),
            ("higher", "higher", "5"),
            ("midpoint", "midpoint", "6"),
            ("median_unbiased", "median_unbiased", "6"),
        ),
    ),
    *(
        Table(
            heading=f"By history, natural panel of {arm}",
            lead="Rows are grouped by the tokens before them.",
            corner="Tokens of history",
            columns=tuple(
                (f"{size} tokens", f"{arm}/natural/history/{size}/")
                for size in ("1-256", "257-512", "513-1024", "1025-2047")
            ),
            rows=(("Mean KLD", "kld", "6"), ("Rows", "rows", "0")),
        )
        for arm in ("kv-fp8-p1", "kv-nvfp4-l1")
    ),
    Table(
        heading="By context, long windows of kv-nvfp4-l1",
        lead="",
        corner="Quantity",
        columns=tuple(
            (f"Context {size}", f"kv-nvfp4-l1/long/context/{size}/")
            for size in ("0-2k", "2-4k", "4-8k", "8-16k")
        ),
        rows=(("Rows", "rows", "0"),),
    ),
    Table(
        heading="Quarters of the long windows, kv-nvfp4-l1",
        lead="",
        corner="Quarter",
        columns=tuple(
            (f"Quarter {number}", f"kv-nvfp4-l1/long/quarter/{number}/") for number in range(1, 5)
        ),
        rows=(("KLD, mean", "kld", "6"), ("KLD, median", "kld-median", "6")),
    ),
    Table(
        heading="FP8 against NVFP4",
        lead="kv-fp8-p1 minus kv-nvfp4-l1, window by window.",
        corner="Quantity",
        columns=(("fp8-nvfp4", "fp8-nvfp4/"),),
        rows=(
            ("KLD difference, mean", "kld/difference", "6"),
            ("KLD difference, median", "kld/difference/median", "6"),
            ("KLD difference over rows", "kld/rows/difference", "6"),
            ("KLD difference over rows, median", "kld/rows/difference/median", "6"),
            ("Largest KLD difference of a row", "kld/rows/largest-difference", "5"),
            ("KLD, better of both, rows", "kld/rows/better-of-both", "6"),
            ("KLD, worse of both, windows", "kld/windows/worse-of-both", "6"),
            ("Ratio of the mean KLDs", "kld/ratio-of-means", "4"),
            ("Ratio of the mean KLDs over rows", "kld/rows/ratio-of-means", "5"),
            ("Window ratio of KLD, minimum", "kld/window-ratio/minimum", "5"),
            ("Window ratio of KLD, median", "kld/window-ratio/median", "5"),
            ("Window ratio of KLD, maximum", "kld/window-ratio/maximum", "4"),
            ("Window ratio of KLD, geometric mean", "kld/window-ratio/geometric-mean", "5"),
            ("SD of the log ratio of KLD", "kld/log-ratio/sd", "4"),
            ("Windows with lower KLD", "kld/windows-lower", "0"),
            ("Windows of equal KLD", "kld/windows-equal", "0"),
            ("Windows with higher KLD", "kld/windows-higher", "0"),
            ("Windows compared by KLD", "kld/windows-compared", "0"),
            ("Rows with lower KLD, fraction", "kld/rows-lower/fraction", "2%"),
            ("Same top-1 token, mean", "same-top1/mean", "4"),
            ("Top-1 and top-2 swaps", "top1-top2-swaps", "0"),
            ("Swaps among differing rows", "swaps-among-differing", "2%"),
            ("NLL difference, all windows", "nll/difference/all", "6"),
            ("NLL difference without the passage", "nll/difference/without-passage", "6"),
            ("NLL difference without the stream", "nll/difference/without-stream", "6"),
            ("NLL rows above 1", "nll/rows-above-1", "0"),
            ("NLL rows above 1, quarter 1", "nll/rows-above-1/quarter-1", "0"),
            ("NLL rows above 1, quarter 2", "nll/rows-above-1/quarter-2", "0"),
            ("NLL rows above 1, quarter 3", "nll/rows-above-1/quarter-3", "0"),
            ("NLL rows above 1, quarter 4", "nll/rows-above-1/quarter-4", "0"),
        ),
    ),
    Table(
        heading="Intervals of the KLD difference, fp8-nvfp4",
        lead="Two-sided, of the mean difference.",
        corner="Recipe",
        columns=(("Interval", "fp8-nvfp4/kld/difference/"),),
        rows=(
            ("bca95", "bca95/", "6"),
            ("bca95-pcg64", "bca95-pcg64/", "6"),
            ("bca95-bonferroni4", "bca95-bonferroni4/", "6"),
            ("percentile95", "percentile95/", "6"),
            ("percentile90-hazen", "percentile90-hazen/", "6"),
            ("percentile95-truncate", "percentile95-truncate/", "6"),
            ("basic95", "basic95/", "6"),
            ("bootstrap-error95", "bootstrap-error95/", "6"),
            ("normal95", "normal95/", "6"),
            ("t95", "t95/", "6"),
            ("t95-bonferroni4", "t95-bonferroni4/", "6"),
            ("streams95", "streams95/", "6"),
        ),
    ),
    Table(
        heading="Agreement and likelihood",
        lead="",
        corner="Quantity",
        columns=_TWO,
        rows=(
            ("Top-1 agreement, mean", "top1-agreement/mean", "4"),
            ("Top-1 agreement, rows", "top1-agreement/rows", "0"),
            (
                "Top-1 agreement where the teacher has at least 0.5",
                "top1-agreement/teacher-at-least-0.5",
                "2%",
            ),
            (
                "Top-1 agreement, rows where the teacher has at least 0.9",
                "top1-agreement/teacher-at-least-0.9/rows",
                "0",
            ),
            ("Hits of the actual token", "actual-token-hits", "2%"),
            ("Excess NLL, mean", "excess-nll/mean", "6"),
            ("Excess NLL, median", "excess-nll/median", "6"),
            ("Entropy, mean", "entropy/mean", "5"),
        ),
    ),
    Table(
        heading="Perplexity",
        lead="Of the actual tokens, base e.",
        corner="Quantity",
        columns=_ALL,
        rows=(
            ("NLL, mean", "nll/mean", "6"),
            ("Perplexity", "perplexity", "6"),
            (
                "Rows with the actual token above 0.9",
                "rows-with-the-actual-token-above-0.9",
                "2%",
            ),
        ),
    ),
    Table(
        heading="Top-20 lists of the short windows",
        lead="Divergences from the twenty likeliest tokens.",
        corner="Measure",
        columns=tuple((name, f"{prefix}short/") for name, prefix in _TWO),
        rows=(
            ("kl-topk, mean", "kl-topk/mean", "6"),
            ("kl-topk, p99", "kl-topk/p99", "5"),
            ("kl-topk normalised, mean", "kl-topk-normalised/mean", "6"),
            ("js-topk, mean", "js-topk/mean", "7"),
            ("js-topk, p99", "js-topk/p99", "5"),
            ("kl two-bucket, mean", "kl-two-bucket/mean", "6"),
            ("Missing from the list, mean", "topk-missing/mean", "4"),
            ("Full KLD, mean", "kld/mean", "6"),
            ("kl-topk of the top 5, mean", "kl-topk/top-5/mean", "6"),
        ),
    ),
    Table(
        heading="Copied text",
        lead="Rows whose next token completes a long copy, against the other rows.",
        corner="Quantity",
        columns=tuple(
            (name, f"{name}/")
            for name in (
                "stream-005k-code",
                "stream-007k-code",
                "stream-009k-code",
                "passage-006k-prose",
            )
        ),
        rows=(
            ("Copied rows", "copied-rows", "0"),
            ("Copied: KLD", "copied/kld", "6"),
            ("Copied: volatile rows, fraction", "copied/volatile-rows/fraction", "2%"),
            ("Other: KLD", "other/kld", "6"),
            ("Other: volatile rows, fraction", "other/volatile-rows/fraction", "2%"),
        ),
    ),
    Table(
        heading="Repeated runs",
        lead="Two passes of FP8, two launches of NVFP4.",
        corner="Quantity",
        columns=(("fp8-passes", "fp8-passes/"), ("nvfp4-launches", "nvfp4-launches/")),
        rows=(
            ("Identical windows", "identical-windows", "0"),
            ("Identical windows, natural panel", "natural/identical-windows", "0"),
            ("Identical windows, generated panel", "generated/identical-windows", "0"),
            ("Identical windows, long panel", "long/identical-windows", "0"),
            ("Rows of equal KLD", "rows-of-equal-kld", "0"),
            ("Rows of equal NLL", "rows-of-equal-nll", "0"),
        ),
    ),
)

PROSE = (
    (
        "Summary",
        (
            "Over the whole panel the mean KLD of kv-fp8-p1 is {kv-fp8-p1/kld/mean:5} nats. "
            "For kv-nvfp4-l1 the mean KLD is {kv-nvfp4-l1/kld/mean:5} nats."
        ),
    ),
    (
        "Summary",
        (
            "FP8 minus NVFP4: the difference of the mean KLD is {fp8-nvfp4/kld/difference:5}, "
            "BCa 95 % interval [{fp8-nvfp4/kld/difference/bca95/low:5}, "
            "{fp8-nvfp4/kld/difference/bca95/high:5}]."
        ),
    ),
    (
        "Summary",
        (
            "The KLD of FP8 is lower than that of NVFP4 in {fp8-nvfp4/kld/windows-lower:0}/"
            "{fp8-nvfp4/kld/windows-compared:0} windows."
        ),
    ),
    (
        "Summary",
        (
            "The top-1 token of kv-nvfp4-l1 agrees with the teacher on "
            "{kv-nvfp4-l1/top1-agreement/rows:0} rows, a mean agreement of "
            "{kv-nvfp4-l1/top1-agreement/mean:2%} %."
        ),
    ),
    (
        "Perplexity and entropy",
        (
            "The perplexity of the teacher-f32 arm is {teacher-f32/perplexity:4}; kv-nvfp4-l2 "
            "reaches a perplexity of {kv-nvfp4-l2/perplexity:4}."
        ),
    ),
    (
        "Perplexity and entropy",
        (
            "Its entropy exceeds that of the teacher in "
            "{kv-nvfp4-l1/entropy/windows-higher-than-the-teacher:0} windows for kv-nvfp4-l1."
        ),
    ),
)
"""(heading, paragraph); ``{id:format}`` is a figure, in the format of the tables."""
