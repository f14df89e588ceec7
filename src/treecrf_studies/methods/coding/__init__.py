"""Labellers of many labels that learn one bit of a code at a time."""
