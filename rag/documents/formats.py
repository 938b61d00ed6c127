"""The formats that are read, the extensions that name them, and the ones that are not read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Format:
    """A format and the module here whose `read` reads it. `held` chooses its size limit: a text
    stream, a file that a parser keeps, a file read whole, or markup that becomes a tree.
    """

    name: str
    module: str
    held: Literal["text", "parsed", "whole", "tree"]
    suffixes: tuple[str, ...]


TEXT_FORMATS = frozenset({"markdown", "rst", "text", "log", "code"})
"""Formats whose extracted text has the lines of the file; in all others places have names."""

_CODE = (
    ".py .pyi .pyx .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .groovy .c .h .cc .cpp .cxx "
    ".hh .hpp .cs .fs .vb .go .rs .swift .m .mm .rb .php .pl .pm .lua .r .jl .hs .ml .mli .ex .exs "
    ".erl .clj .cljs .lisp .el .scm .dart .zig .nim .d .f .f90 .asm .s .sql .sh .bash .zsh .fish "
    ".ps1 .bat .cmd .awk .sed .tcl .vim .css .scss .less .vue .svelte .proto .graphql .tf .cmake "
    ".mk .sty .cls .gradle .nix .toml .yaml .yml .ini .cfg .conf .properties .diff .patch "
    ".json .geojson .jsonld .webmanifest .xml .rss .atom .opml .xsd .xsl .dita"
)

CODE_NAMES = re.compile(
    r"(?:docker|container|make|gnumake|just|jenkins|vagrant|proc|gem|rake|pip|caddy)file|crontab"
    r"|cmakelists\.txt|(?:requirements|constraints)(?:[-_.](?:dev|docs|prod|tests?))?\.txt"
    r"|\.?env(?:\.(?:dist|example|sample|template))?|robots\.txt|\.[a-z]+(?:ignore|attributes)"
    r"|\.editorconfig|codeowners",
    re.IGNORECASE,
)
"""Names of files that are code, whose extension does not say so."""

_TEXT = ".txt .text .nfo .srt .vtt .adoc .asciidoc .asc .org .tex .latex .ltx .bib"  # markup shown

_ALL = (
    Format("markdown", "encoding", "text", (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rmd")),
    Format("text", "encoding", "text", tuple(_TEXT.split())),
    Format("log", "encoding", "text", (".log", ".out", ".err", ".jsonl", ".ndjson")),
    Format("code", "encoding", "text", tuple(_CODE.split())),
    Format("rst", "rst", "text", (".rst", ".rest")),
    Format("html", "html", "tree", (".html", ".htm", ".xhtml", ".shtml")),
    Format("pdf", "pdf", "parsed", (".pdf",)),
    Format("docx", "docx", "parsed", (".docx", ".docm", ".dotx")),
    Format("pptx", "pptx", "parsed", (".pptx", ".pptm", ".ppsx")),
    Format("xlsx", "workbook", "parsed", (".xlsx", ".xlsm", ".xltx", ".xlsb")),
    Format("xls", "workbook", "whole", (".xls", ".xlt")),
    Format("odt", "opendocument", "parsed", (".odt", ".ott", ".odp", ".ods")),
    Format("epub", "epub", "parsed", (".epub",)),
    Format("email", "email", "whole", (".eml", ".mht", ".mhtml")),
    Format("notebook", "notebook", "whole", (".ipynb",)),
    Format("csv", "csv", "text", (".csv", ".tsv", ".tab", ".psv")),
    Format("picture", "picture", "whole", (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")),
    Format("tiff", "picture", "parsed", (".tif", ".tiff")),
)

FORMATS = {entry.name: entry for entry in _ALL}
SUFFIXES = {suffix: entry for entry in _ALL for suffix in entry.suffixes}
ZIP_FORMATS = {"docx", "pptx", "xlsx", "odt", "epub"}
"""Formats that are ZIP archives inside."""
_ARCHIVES = ".zip .gz .bz2 .xz .zst .7z .rar .tar .tgz .jar .war .whl .deb .rpm .iso .dmg"
ARCHIVE = "an archive: unpack it to have its files read"
_SAVED_AS = {
    ".doc": ".docx", ".dot": ".docx", ".rtf": ".docx", ".ppt": ".pptx", ".pps": ".pptx",
    ".msg": ".eml", ".mbox": "one .eml a message", ".ics": ".csv", ".ical": ".csv", ".vcf": ".csv",
    ".vcard": ".csv",
}  # fmt: skip
UNSUPPORTED = {
    **dict.fromkeys(_ARCHIVES.split(), ARCHIVE),
    **dict.fromkeys((".svg", ".eps"), "a drawing: there is no text to read"),
    **{old: f"{old} files are not read: save it as {new}" for old, new in _SAVED_AS.items()},
}
"""Extensions that are not read, with the reason; of other files without text their bytes tell."""
