"""A league: a folder whose bots play each night for a table that everybody can see, and a cup at the end."""
