"""Reports: from results to values, and from values to tables, Markdown, CSV and JSON. Callers pass in all else."""
