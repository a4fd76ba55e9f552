"""What bots may do to the house, on real processes: one program of many sins, and what each of them must get."""
