"""``python -m treecrf_studies`` is the command line of the studies."""

from treecrf_studies.cli import main

if __name__ == "__main__":
    main()
