"""Files: written whole, read only as they were written; what errors say of them."""
