"""Lists of the leaves' positions."""

from builders import larger_set

from treecrf import TreeCRF
from treecrf.compiled.struct import allocate


def test_lists_of_positions_grow_when_they_are_full(monkeypatch):
    data = larger_set()
    expected = TreeCRF(4, 40, 0.5, (1, 1), order=2).fit(data)

    def with_short_lists(kind, **sizes):
        workspace = allocate(kind, **sizes)
        leaves = workspace.leaves
        return workspace._replace(leaves=leaves._replace(positions=leaves.positions[: data.n_positions]))

    monkeypatch.setattr("treecrf.models.boosted.training.allocate", with_short_lists)
    measured = TreeCRF(4, 40, 0.5, (1, 1), order=2).fit(data)
    for name in expected.forest_._fields:
        assert getattr(measured.forest_, name).tobytes() == getattr(expected.forest_, name).tobytes()
