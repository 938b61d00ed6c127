"""Formulas and powers of an HTML page, written on a line."""

from __future__ import annotations

from rag.documents.layout import superscript
from rag.documents.markup import Element, xml_safe

_BETWEEN = {"mfrac": "/", "msup": "^", "msub": "_"}


def write_formulas(root: Element) -> None:
    for formula in root.iter("math"):
        if tex := formula.findtext(".//annotation"):
            formula.clear(keep_tail=True)
            formula.text = xml_safe(tex)
        _write_parts(formula)
    for raised in root.iter("sup"):
        if len(raised) == 0:
            raised.text = superscript(xml_safe(raised.text))


def _write_parts(formula: Element) -> None:
    """Writes a sign between the parts of MathML, and brackets around those of several elements."""
    for whole in formula.iter("msqrt"):
        whole.text = xml_safe(f"√({''.join(whole.itertext())})")
        del whole[:]
    for tag, sign in _BETWEEN.items():
        for whole in formula.iter(tag):
            for part in whole:
                if len(part) > 1:
                    part.text = f"({xml_safe(part.text)}"
                    part[-1].tail = f"{xml_safe(part[-1].tail)})"
                part.tail = sign if part is not whole[-1] else part.tail
