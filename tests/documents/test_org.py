"""Org-mode: Markdown on the file's own lines."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from whole_document import read_document

from rag.documents.org import as_markdown
from rag.text.blocks import blocks_of_text

NOTES = """\
:PROPERTIES:
:ID: 5f1c
:END:
#+TITLE: Pumps
#+author: A. Miller
#+options: toc:nil
# to do
* TODO [#A] Oil :shop:car:
SCHEDULED: <2031-05-02 Fri>
  Buy *two* cans of =SAE 30= at [[https://example.org][the
  shop]]; see [[id:77][Cars]] and ~/oil/bin~, a/b/c.
- rod :: of steel
  - [ ] /polish/ it
    #+begin_src sh :results none
    ,* polish --all
    [[x][y]]
    #+end_src
** Prices
[[file:img/pump.png]]
#+caption: What is paid
| part | price |
|------+-------|
| rod  | 3     |
: $ ls
#+BEGIN_QUOTE
It runs.
#+END_QUOTE
:LOGBOOK:
CLOCK: [2031-05-02]

Never closed.
"""
SHOWN = """\



# Pumps
Author: A. Miller


## TODO [#A] Oil
SCHEDULED: <2031-05-02 Fri>
Buy **two** cans of `SAE 30` at the
shop; see Cars and `/oil/bin`, a/b/c.
- rod: of steel
  - [ ] polish it
    ```
    ,* polish --all
    [[x][y]]
    ```
### Prices

What is paid
| part | price |
|------|-------|
| rod  | 3     |
    $ ls

> It runs.




Never closed.
"""


def test_markup_becomes_its_words_and_every_line_keeps_its_number(tmp_path: Path) -> None:
    shown = as_markdown(NOTES)
    assert shown == SHOWN
    assert NOTES.count("\n") == shown.count("\n")
    file = tmp_path / "pumps.org"
    file.write_text(NOTES)
    assert read_document(file).title == "Pumps"
    code = next(block for block in blocks_of_text(shown, "org") if block.kind.value == "code")
    assert shown[slice(*code.extent)].strip().startswith(",* polish")


@pytest.mark.parametrize("text", ["[[" * 50_000, "*a " * 50_000, " :: " * 50_000, ":a:\n" * 50_000])
def test_hostile_notes_are_read_in_time(text: str) -> None:
    began = time.process_time()
    assert as_markdown(text).count("\n") == text.count("\n")
    assert time.process_time() - began < 5
