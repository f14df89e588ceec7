"""Chapter 4: which way of handling missing input values is best."""
