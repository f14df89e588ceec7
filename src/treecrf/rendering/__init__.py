"""What studies draw and write with: cells, tables, figure style, parts of pages."""
