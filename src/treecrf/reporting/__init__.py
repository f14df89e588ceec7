"""Published values, tables and pages."""
