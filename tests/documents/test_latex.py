"""LaTeX as people read it: its words, headings, items, rows and code, each on the line it had."""

from pathlib import Path

import pytest
from document_files import save
from whole_document import read_document

from rag.documents.latex import as_markdown
from rag.text.blocks import blocks_of_text
from rag.text.prose import as_prose

PAPER = r"""\documentclass{article} % of the county
\newcommand{\weir}{\textsc{Weir}}
\title{Opening Weirs at \emph{Dawn}\thanks{Paid by us.}}
\begin{document}
\maketitle
\section*{When to open}\label{sec:when}
It costs 5\% more, see Section~\ref{sec:when} and \cite[p.~4]{orrin}.  % a remark
The ``old'' bar is \textbf{not \textit{really} safe}.\footnote{Bent
in 1931.} M\"uller and na\"{\i}ve ones \href{https://x.org}{agree}.
\noindent $\frac{a_{1}}{b}$ and \emph{the $x_{1}$ case} of \LaTeX{} in {\bf all}.
\subsection[Short]{A long title
  that goes on}
\begin{itemize}
    \item Take the \texttt{weir\_bar}.
    \item[Bar] Run \verb|ls %x|.
\end{itemize}
\begin{equation}
  E = mc^2 % energy
\end{equation}
\begin{tabular}{|l|r@{\,}c|}
  Lock & Hours \\ \hline
  Ann \& Co & \multicolumn{2}{c}{closed} \\
\end{tabular}
\begin{comment}
Unsaid \section{Nothing}
\end{comment}
\weir{} is ours.
\end{document}
"""


def test_every_line_says_its_words_where_it_stands() -> None:
    assert as_markdown(PAPER).split("\n") == [
        "",
        "",
        "# Opening Weirs at Dawn",
        "",
        "",
        "## When to open",
        "It costs 5% more, see Section sec:when and [orrin].",
        "The “old” bar is not really safe. (Bent",
        "in 1931.) Müller and naïve ones agree.",
        "$\\frac{a_{1}}{b}$ and the $x_{1}$ case of LaTeX in all.",
        "### A long title that goes on",
        "",
        "",
        "- Take the `weir_bar`.",
        "- Bar Run `ls %x`.",
        "",
        "```",
        "  E = mc^2 % energy",
        "```",
        "",
        "| Lock | Hours",
        "| Ann & Co | closed",
        "",
        "",
        "",
        "",
        "\\weir{} is ours.",
        "",
        "",
    ]


def test_a_comment_within_a_paragraph_does_not_part_it() -> None:
    above = "% (c)\nBars are\n% which?\n\\index{long}%\nlong.\n% end\n\n"
    shown = as_markdown(above + "%\n\\section{So}\n%\nYes.")
    said = [as_prose(shown[slice(*each.extent)]) for each in blocks_of_text(shown, "latex")]
    assert said == ["Bars are long.", "So", "Yes."]
    assert shown.count("\u200b") == 2


def test_a_paper_is_named_by_its_title_and_slides_by_theirs(tmp_path: Path) -> None:
    document = read_document(save(tmp_path, "a.tex", PAPER))
    assert (document.title, document.format) == ("Opening Weirs at Dawn", "latex")
    slide = "\\begin{frame}[t]{Why \\alert{bars}}\n\\begin{block}{So}\nThey hold.\n\\end{block}\n"
    assert as_markdown(slide) == "#### Why bars\n##### So\nThey hold.\n\n"
    assert as_markdown("\\begin{align} a &= b \\end{align}") == "\\begin{align} a &= b \\end{align}"


@pytest.mark.parametrize(
    "text",
    ["\\a{", "{", "$", "\\begin{x", "\\item[", "\\(", "\\[", "`", "\\verb|a", "\\a[b", "{b}"],
)
def test_what_is_never_closed_stays_on_its_lines(text: str) -> None:
    assert as_markdown(f"{text}\n" * 3000).count("\n") == 3000
