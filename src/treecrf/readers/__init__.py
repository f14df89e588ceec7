"""Files of users, read once: their formats, their dialects, and the types of their columns."""
