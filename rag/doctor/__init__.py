"""Looks at each part of an installation and says what is wrong and what mends it."""
