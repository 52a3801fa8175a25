"""Remarks on the trials of a cell."""

from __future__ import annotations

from support.builders import trial, usage

from ab_runner.analysis.cells import summarise_cell
from ab_runner.analysis.remarks import stolen_remarks
from ab_runner.model.trial import Cell, Trial
from ab_runner.report.say.figures import remark_text


def stolen(share: float) -> Trial:
    return trial("a-1", "small", 10, usage=usage(server_stolen_share=share, generator_stolen_share=0.0))


def test_time_that_the_hypervisor_gave_to_others_is_told_where_it_is_more_than_a_little() -> None:
    assert list(stolen_remarks([stolen(0.0), stolen(0.03)])) == []
    (one,) = stolen_remarks([stolen(0.01), stolen(0.034)])
    assert remark_text(one) == "the hypervisor gave 3.4 % of the CPU time to others"
    (range_of_two,) = stolen_remarks([stolen(0.034), stolen(0.125), stolen(0.06)])
    assert remark_text(range_of_two) == "the hypervisor gave 3.4 to 12.5 % of the CPU time to others"


def test_a_cell_has_the_remark() -> None:
    cell = summarise_cell(Cell("a-1", "small", 10), [stolen(0.034)])
    assert [remark_text(remark) for remark in cell.remarks] == ["the hypervisor gave 3.4 % of the CPU time to others"]
