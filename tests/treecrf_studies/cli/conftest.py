"""Commands and tables that the tests share."""

import commands

import treecrf.cli
from treecrf_studies.cli import main

words, table = commands.words, commands.table
run = commands.runner("treecrf-studies", main)
run_treecrf = commands.runner("treecrf", treecrf.cli.main)
