"""Campaigns of faults and attacks against the program `offers`; Scripts/soak runs them."""
