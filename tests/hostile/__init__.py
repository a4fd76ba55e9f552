"""What bots may do to the host, on real processes: one program of many sins, and what each of them must get."""
