"""What search finds, beside other ways of looking: see `__main__`."""
