"""Protocol of scikit-learn: settings by name, lists and frames as inputs, tags; no other folder knows it."""
