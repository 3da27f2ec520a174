"""The report as a page: sections, plots, style."""
