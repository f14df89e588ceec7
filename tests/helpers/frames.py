"""Frames of text as lists."""


def cells(frame):
    """Rows of a frame, None where a cell is empty."""
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


TREEBANK = """# newdoc id = weblog-1
# sent_id = 1
# text = Vámonos al # mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tVMIP1P0\tMood=Imp|Number=Plur\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\tPP1CP000\tCase=Acc\t1\tobj\t1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t6\tcase\t6:case\t_
4\tel\tel\tDET\t_\t_\t6\tdet\t6:det\tGloss=the
5\t#\t#\tSYM\t_\t_\t6\tdep\t6:dep\t_
6\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl\tSpaceAfter=No
   \t
# sent_id = 2
# text = Nueva York _ o
1\tNueva York\tNueva York\tPROPN\t_\t_\t0\troot\t0:root\t_
2\t_\t_\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_
2.1\tbebe\tbeber\tVERB\t_\t_\t_\t_\t1:conj\tCopyOf=1
3\to\t_\t_\t_\t_\t1\tcc\t1:cc\t_

"""
"""Two sentences in CoNLL-U, with words of several words, an empty node and a word "_"."""
