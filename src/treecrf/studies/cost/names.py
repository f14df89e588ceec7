"""Names of the cost study."""

SAMPLING_NAMES = {
    "none": "all rows and features",
    "row_fraction": "share of the rows",
    "feature_fraction": "share of the features",
    "influence_trimming": "influence trimmed",
    "pseudo_likelihood_iterations": "first iterations by pseudo-likelihood",
}
"""Options of the sampling study as readers see them."""

SPEED_UP = ["seconds_speed_up", "seconds_speed_up_low", "seconds_speed_up_high"]
"""Columns with how many times faster the log likelihood rises to what plain training reaches too, and its interval."""
