"""Files to text."""
