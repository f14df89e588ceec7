"""Chapter 5: features of the future, discovered as in multiple-instance learning."""
