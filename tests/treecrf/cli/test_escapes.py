"""Labels, categories and names of data with control sequences: a terminal shows them and does not obey them."""

import pytest

ODD = "\x1b]0;title\x07\x1b]52;c;eA==\x07\x1b[2J\x9b31m\u202e"


@pytest.fixture
def odd_table(write):
    rows = [f"{i // 4},{'uv'[i % 2]}{ODD},{'ab'[i % 2]}{ODD},{i}" for i in range(80)]
    write("odd.csv", f"sequence,label,word{ODD},x\n" + "\n".join(rows) + "\n")
    return "odd.csv"


def test_no_command_passes_a_control_sequence_on(run, odd_table, write):
    write("new.csv", f"sequence,label,word{ODD},x\n0,new{ODD},seldom{ODD},1\n0,u{ODD},a{ODD},2\n")
    write("wrong.csv", f"sequence,word{ODD},x\n0,a{ODD},tall{ODD}\n")
    commands = [
        ("describe", odd_table),
        ("fit", odd_table, "-o", "m.npz", "--method", "treecrf_newton", "--iterations", 2),
        ("describe", "m.npz"),
        ("evaluate", "m.npz", odd_table),
        ("evaluate", "m.npz", "new.csv"),
        ("explain", "m.npz", odd_table),
        ("predict", "m.npz", "new.csv", "-o", f"out{ODD}.csv"),
        ("predict", "m.npz", "wrong.csv", "-o", "out.csv"),
        ("evaluate", "m.npz", f"gone{ODD}.csv"),
        ("describe", odd_table, "--label", f"a{ODD}"),
    ]
    for command in commands:
        _, out, err = run(*command)
        assert out or err
        for control in ("\x1b", "\x07", "\x9b", "\u202e"):
            assert control not in out + err, (command, out, err)
