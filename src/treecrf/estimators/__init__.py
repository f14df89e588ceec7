"""Protocol of scikit-learn: settings by name, inputs as lists and frames, tags; nothing else of the library knows it."""
