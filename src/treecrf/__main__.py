"""``python -m treecrf`` is the command line."""

from treecrf.cli import main

if __name__ == "__main__":
    main()
