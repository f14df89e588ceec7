"""Studies: data and settings in, tidy frames out; one file per study."""
