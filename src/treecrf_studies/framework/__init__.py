"""What all studies share: their declaration, settings, jobs, comparisons and claims."""
