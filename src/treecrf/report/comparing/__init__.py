"""Two runs beside each other: what changed, which numbers moved beyond noise, which verdicts flipped."""
