"""What is said and written while selling: calls and letters."""
