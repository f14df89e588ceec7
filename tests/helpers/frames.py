"""Frames of text as lists."""


def cells(frame):
    """Rows of a frame, None where a cell is empty."""
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
