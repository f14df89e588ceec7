"""MALLET and SMILE, run in a Java machine."""
