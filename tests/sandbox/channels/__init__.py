"""What one bot can tell another by numbers and names of the kernel: a walker reads all of them, a doer does all."""
