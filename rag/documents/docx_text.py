"""The text of one Word paragraph: runs, breaks, links, equations; not what was deleted."""

from __future__ import annotations

import re

from rag.documents.markup import Element, attribute, name

_DROPPED = frozenset(
    {"pPr", "rPr", "del", "moveFrom", "instrText", "delText", "delInstrText", "Fallback", "sdtPr"}
)
_SPACED = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "ptab": "\t"}
_MATH = "math}"
_DEPTH = 100


def inline_text(element: Element, depth: int = 0) -> str:
    """What a reader sees of a paragraph or run. A text box's paragraphs come where it hangs."""
    if depth > _DEPTH:
        return ""
    pieces: list[str] = []
    for node in element:
        kind = name(node)
        if not kind or kind in _DROPPED:
            continue
        if isinstance(node.tag, str) and _MATH in node.tag:
            pieces.append(f" {math_text(node, depth)} ")
        elif kind == "t":
            pieces.append(node.text or "")
        elif kind in _SPACED:
            pieces.append(_SPACED[kind])
        elif kind in {"footnoteReference", "endnoteReference"}:
            pieces.append(f"[{kind.removesuffix('Reference')} {attribute(node, 'id')}]")
        elif kind == "p":
            pieces.append(f"\n{inline_text(node, depth + 1)}\n")
        else:
            pieces.append(inline_text(node, depth + 1))
    return "".join(pieces)


def math_text(element: Element, depth: int = 0) -> str:
    """An equation (OMML) on one line: fractions as (a)/(b), powers as a^b, indices as a_b."""
    kind = name(element)
    if depth > _DEPTH or kind.endswith("Pr"):
        return ""
    if kind == "t":
        return element.text or ""
    shape = _SHAPES.get(kind)
    if shape is None:
        joint = {"oMathPara": "\n", "d": ", "}.get(kind, "")
        inner = (math_text(part, depth + 1) for part in element if name(part))
        text = joint.join(part for part in inner if part)
        return f"({text})" if kind == "d" and not _BRACKETED.fullmatch(text) else text
    parts = {name(part): math_text(part, depth + 1) for part in element if name(part)}
    if kind == "nary":
        sign = element.find("{*}naryPr/{*}chr")
        parts["sign"] = (attribute(sign, "val") or "") if sign is not None else "∫"
    return _SLOT.sub(lambda slot: _filled(parts, slot.group(1), grouped=not slot.group(2)), shape)


_SHAPES = {
    "f": "{num}/{den}",
    "sSup": "{e!}^{sup}",
    "sSub": "{e!}_{sub}",
    "sSubSup": "{e!}_{sub}^{sup}",
    "rad": "√{deg}({e!})",
    "func": "{fName!} {e}",
    "nary": "{sign!}_{sub}^{sup} {e!}",
}
"""How an equation's shape is written; a slot without "!" is put in brackets where it is long."""

_BRACKETED = re.compile(r"\([^()]*\)")
_SLOT = re.compile(r"\{(\w+)(!?)\}")


def _filled(parts: dict[str, str], slot: str, *, grouped: bool) -> str:
    text = parts.get(slot, "").strip()
    plain = not grouped or len(text) <= 1 or text.isalnum() or _BRACKETED.fullmatch(text)
    return text if plain else f"({text})"
