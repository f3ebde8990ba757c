from verifier.model.measure import Condition, Measure, Ranked, RowSelection


def test_the_arms_of_a_measure_are_those_of_its_operands_rows_and_base_once_each() -> None:
    measure = Measure(
        statistic="mean",
        arms=("a", ("b", "c")),
        rows=RowSelection(
            where=(Condition(column="nll", arms=("d", "a")), Condition(column="nll")),
            ranked=Ranked(column="nll", rank=1, arms=(("e", "b"),)),
        ),
        relative_to=Measure(statistic="mean", arms=("f", "a")),
    )
    assert measure.arm_names == ("a", "b", "c", "d", "e", "f")


def test_a_measure_of_the_panel_names_no_arm() -> None:
    assert Measure(statistic="size").arm_names == ()
