"""Anchored inputs, position by position."""

from treecrf.inputs.anchors import OUTSIDE
from treecrf.sequences import MISSING


def anchored_cells(data, first, last, counted=()):
    """For each observation the texts or numbers of its anchored inputs, by name; None: missing."""
    rows = []
    for begin, end in zip(data.observation_offsets[:-1], data.observation_offsets[1:], strict=True):
        sequence = [_cells(data, row) for row in range(begin, end)]
        for place in range(len(sequence)):
            cells = {}
            for end_name, most, ordered in (("start", first, sequence), ("end", last, sequence[::-1])):
                for number in range(1, most + 1):
                    for name in sequence[0]:
                        has = number <= len(ordered)
                        cells[f"{name} {number} from the {end_name}"] = ordered[number - 1][name] if has else OUTSIDE
            cells["place from the start"], cells["place from the end"] = place + 1, len(sequence) - place
            for attribute in data.attributes:
                for category in attribute.categories if attribute.name in counted else ():
                    before = [seen[attribute.name] for seen in sequence[:place]]
                    cells[f"count of {attribute.name}={category} before"] = before.count(category)
            rows.append(cells)
    return rows


def _cells(data, row):
    cells = {}
    for j, attribute in enumerate(data.attributes):
        code = data.values[row, j]
        cells[attribute.name] = None if code == MISSING else attribute.categories[code]
    for j, name in enumerate(data.number_names):
        number = data.numbers[row, j]
        cells[name] = None if number != number else number
    return cells
