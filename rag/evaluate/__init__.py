"""Scores of the whole pipeline on anyone's questions: `crag eval`."""
