"""Files of users, read once: what they are, how they are written, and what their columns hold."""
