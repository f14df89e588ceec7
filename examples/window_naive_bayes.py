"""Your own labeller: naive Bayes over the window of a position. See docs/own_method.md."""

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from treecrf.sequences import slot_sizes, window_codes


class WindowNaiveBayes:
    """Labels each position separately; a missing value is one more category."""

    def __init__(self, smoothing=1.0, window=(0, 0)):
        self.smoothing = smoothing
        self.window = window

    def fit(self, train):
        """Count the categories of every window slot by label."""
        n_categories = slot_sizes(train.attributes, self.window) + 1
        self.n_labels = len(train.label_names)
        self.bayes = CategoricalNB(alpha=self.smoothing, min_categories=n_categories)
        self.bayes.fit(window_codes(train, self.window), train.labels)
        return self

    def predict_proba(self, data):
        """P(label | window), shape (n_positions, n_labels)."""
        probabilities = np.zeros((data.n_positions, self.n_labels))
        probabilities[:, self.bayes.classes_] = self.bayes.predict_proba(window_codes(data, self.window))
        return probabilities
