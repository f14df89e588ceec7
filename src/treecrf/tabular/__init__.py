"""Labellers of tables: trained, saved, asked and described for one file at a time."""
