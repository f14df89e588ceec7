"""Drawing and writing for all studies: cells, tables, figure style, parts of pages."""
