"""Every format: its words, headings, tables and lists are there, readable, and in order."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from document_files import binary_workbook, make_pdf, raw_pdf, save, zipped
from whole_document import read_document as read

from rag.documents.stream import Part
from rag.text.blocks import blocks_of_text
from state.errors import DocumentError, UnsupportedFormatError


@pytest.fixture(autouse=True)
def _too_small_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without text are drawn so small that nothing is looked for on them."""
    monkeypatch.setattr("rag.documents.pdf.SIDE", 20)


def test_markdown_stays_as_it_is_and_names_itself(tmp_path: Path) -> None:
    text = "```\n# no title\n```\n# The *Line*\n\n- a\n- b\n"
    document = read(save(tmp_path, "a.md", text))
    assert (document.text, document.title, document.format) == (text, "The Line", "markdown")


PAGE = """<html><head><title>Depot</title><style>p{}</style><script>evil()</script></head>
<body><nav><a>Home</a></nav><h1>Stock
list</h1><p>One&nbsp;two<b>three</b> four<br>five</p><div>Left<p>Right</p></div>
<ul><li>First<ul><li>Inner</li></ul></li><li>Second</li></ul><ol start=3><li>Third</li></ol>
<table><tr><th>Name</th><th>Power</th></tr><tr><td rowspan=2>Ada</td><td>40&nbsp;kW</td></tr>
<tr><td>50 kW</td></tr></table><pre class="language-c">int a;
  b();</pre><p hidden>secret</p>
<div role="tabpanel" hidden>Tab</div></body></html>"""


def test_html_keeps_structure_and_drops_machinery(tmp_path: Path) -> None:
    document = read(save(tmp_path, "a.html", PAGE))
    assert document.title == "Depot"
    assert document.text == (
        "# Stock list\n\nOne\xa0twothree four\nfive\n\nLeft\n\nRight\n\n- First\n  - Inner\n"
        "- Second\n3. Third\n\nName | Power\nAda | 40\xa0kW\nAda | 50 kW\n\n"
        "```\nint a;\n  b();\n```\n\nTab\n"
    )


def test_formulas_and_powers_of_a_page_are_written_on_a_line(tmp_path: Path) -> None:
    tex, drawn = "<annotation>E = mc^2</annotation>", '<span class="katex-html">E=mc2</span>'
    page = (
        f"<p>So <math><mi>E</mi><mo>=</mo><msup><mi>m</mi></msup>{tex}</math>{drawn} holds to "
        '10<sup>-3</sup> m<span style="display: none">, or not</span></p>'
    )
    assert read(save(tmp_path, "a.html", page)).text == "So E = mc^2 holds to 10⁻³ m\n"


def test_menus_and_contents_are_left_out_of_a_page(tmp_path: Path) -> None:
    menu = '<p><a href="/">Home</a> | <a href="/glaze">Glazes</a></p>'
    page = (
        f'{menu}<div><a href="..">Up</a> &gt; <a href=".">Kilns</a></div><h1>Kilns</h1>'
        '<ul><li>1 <a href="#fire">Firing</a><ul><li><a href="#cool">Cooling</a></ul></ul>'
        '<h2 id="fire">Firing</h2><p>See <a href="#cool">Cooling</a>.</p>'
        '<h2 id="cool">Cooling</h2><p>Takes a day.</p>'
        '<ul><li><a href="a.zip">Plans</a></li><li><a href="b.zip">Photographs</a></li></ul>'
        '<p>Next: <a rel="next" href="b">Glazes</a>, Up: <a rel="up" href="c">Top</a></p>'
        f'<footer>{menu}</footer><div role="navigation">Near</div>'
        '<div class="breadcrumbs">Home &gt; Kilns</div><ol aria-label="breadcrumb"><li>Home</ol>'
    )
    assert read(save(tmp_path, "a.html", page)).text == (
        "# Kilns\n\n## Firing\n\nSee Cooling.\n\n## Cooling\n\nTakes a day.\n\n"
        "- Plans\n- Photographs\n"
    )


@pytest.mark.parametrize(
    "page",
    [
        "<h1>Links</h1><ul><li><a href=a>Kilns</a><li><a href=b>Glazes</a></ul>",
        "<ul><li><a href=a>Kilns</a><li><a href=b>Glazes</a></ul>",
        "<h1>Links</h1><p><a href=a>Kilns</a> | <a href=b>Glazes</a></p>",
        "<nav><p>Kilns, Glazes</p></nav>",
        "<p>Club</p><div><p>Kilns, Glazes.</p><a rel=next href=b>Next</a></div>",
        "<main>Loading…</main><div><p>Kilns, Glazes.</p></div>",
        "<div class=no-cookies><p>Kilns, Glazes.</p></div><p>Club</p>",
    ],
)
def test_a_page_of_links_keeps_them(tmp_path: Path, page: str) -> None:
    text = read(save(tmp_path, "a.html", page)).text
    assert "Kilns" in text
    assert "Glazes" in text


@pytest.mark.parametrize(
    "page",
    [
        "<header>Fire <a href=/in>Log in</a></header><main>{}</main>Sale<footer>Imprint</footer>",
        f"<div class=cookies>{'We ask. ' * 9}</div><main>{{}}</main>",
        "<p id=Cookies>?</p><header><a href=a>Up</a> <a href=b>In</a></header>{}<p role=dialog>Go",
    ],
)
def test_banners_and_what_stands_around_a_pages_main_part_are_left_out(tmp_path, page):
    kilns = page.format("<h1>Kilns</h1><p>All of them are hot.</p>")
    assert read(save(tmp_path, "a.html", kilns)).text == "# Kilns\n\nAll of them are hot.\n"
    above = "<h1>Kilns</h1><main><p>Hot.</p></main>"
    assert read(save(tmp_path, "a.html", above)).text == "# Kilns\n\nHot.\n"


def test_questions_of_a_page_that_open_their_answers_are_headings(tmp_path: Path) -> None:
    asked = "<details><summary>{}?</summary><p>{}.</p></details>"
    page = f"<h2>Kilns</h2>{asked.format('Hot', 'Yes')}\n{asked.format('Old', 'No')}"
    text = "## Kilns\n\n###### Hot?\n\nYes.\n\n###### Old?\n\nNo.\n"
    assert read(save(tmp_path, "a.html", page)).text == text


def test_lines_of_a_page_that_were_broken_on_purpose_are_blocks(tmp_path: Path) -> None:
    page = "<p>The Depot<br>Long Road 5<br>AB1</p><p>A sentence that goes on<br>to the next.</p>"
    text = read(save(tmp_path, "a.html", page)).text
    said = [text[block.start_char : block.end_char] for block in blocks_of_text(text, "html")]
    assert said == ["The Depot", "Long Road 5", "AB1", "A sentence that goes on\nto the next."]


def test_code_of_a_page_has_its_lines_without_their_numbers(tmp_path: Path) -> None:
    page = (
        '<table><tr><td class="linenos"><pre>1\n2</pre></td><td><pre>a = 1\nb = 2</pre></td></tr>'
        '</table><pre><span class="lineno"> 1</span>c = 3\nd</pre>'
        "<pre><code>g = 1</code><code>var g</code></pre>"
        "<p><ruby>窯<rt>かま</rt></ruby>は熱い。</p>"
    )
    assert read(save(tmp_path, "a.html", page)).text == (
        "```\na = 1\nb = 2\n```\n\n```\nc = 3\nd\n```\n\n```\ng = 1\nvar g\n```\n\n窯は熱い。\n"
    )


def test_signs_of_links_are_not_read_and_a_notes_number_is_none_of_a_word(tmp_path: Path) -> None:
    page = (
        '<h2>Kilns<a class="headerlink" href="#kilns" title="Link">\N{PILCROW SIGN}</a></h2>'
        '<dl><dt>fire(kiln)<a href="#fire"> &para;</a>: lights it</dt><dd>By night.</dd></dl>'
        '<p>See <a href="#n1">1</a>, <a href="https://kilns.example">&sect;</a>.</p>'
        '<h3>Heat<span class="mw-editsection">[<a href="/e">edit</a>]</span></h3>'
        '<p>Hot.<a href="e.html#n2"><sup>2</sup></a> <a href="#r2">↩</a>'
        '<sup><a href="#n3">3</a></sup></p>'
    )
    assert read(save(tmp_path, "a.html", page)).text == (
        "## Kilns\n\nfire(kiln): lights it\n: By night.\n\nSee 1, \N{SECTION SIGN}.\n\n"
        "### Heat\n\nHot.² ³\n"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md.erb", "markdown"),
        ("a.html.de.utf8", "html"),
        ("a.py.txt", "text"),
        ("a.html.md", "markdown"),
        ("a.pdf.part", "text"),
        ("a.conf.5", "code"),
        ("makefile.md", "markdown"),
    ],
)
def test_an_extension_that_says_nothing_is_looked_behind(tmp_path: Path, name, expected) -> None:
    assert read(save(tmp_path, name, "Kilns\n=====\n\nFire them.\n")).format == expected


@pytest.mark.parametrize(
    "name",
    [
        *("Dockerfile", "Dockerfile.dev", "Makefile", "crontab", "Jenkinsfile", "CMakeLists.txt"),
        *("requirements.txt", "requirements-dev.txt", "env.example", ".env.local", ".gitignore"),
    ],
)
def test_a_file_whose_name_says_so_is_code(tmp_path: Path, name: str) -> None:
    text = "# all of it\nall: kiln glaze\n\tfire kiln\n"
    document = read(save(tmp_path, name, text))
    kinds = {block.kind for block in blocks_of_text(text, document.format)}
    assert (document.format, document.text, kinds) == ("code", text, {"code"})


def test_html_encoding_is_taken_from_the_page(tmp_path: Path) -> None:
    page = "<html><head><meta charset='windows-1251'></head><body>Привет, мир</body></html>"
    assert "Привет, мир" in read(save(tmp_path, "a.html", page.encode("cp1251"))).text


def test_pdf_has_pages_and_says_which_have_no_text(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["First page words", "", "Third page words"])
    document = read(path)
    assert document.pages == [1, 3]
    assert document.title == "Yard book"
    assert document.page_of("Third") == 3
    assert document.warnings == ("no text on page 2: scanned, drawn or blank",)


@pytest.mark.parametrize("title", ["(anonymous)", "Untitled-1", "Microsoft Word - plan.doc"])
def test_what_a_program_puts_in_by_itself_is_no_title(tmp_path: Path, title: str) -> None:
    from docx import Document as WordDocument

    assert read(make_pdf(tmp_path / "a.pdf", ["Words"], title=title)).title is None
    assert read(make_pdf(tmp_path / "b.pdf", ["Words"], title="Anonymous letters")).title
    word = WordDocument()
    word.core_properties.title = title
    word.add_heading("Brakes")
    word.save(str(tmp_path / "a.docx"))
    assert read(tmp_path / "a.docx").title == "Brakes"
    page = f"<title>{title}</title><h1>Brakes</h1>"
    assert read(save(tmp_path, "a.html", page)).title is None


def test_a_scan_and_a_locked_pdf_say_so(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no text on any page: scanned or drawn"):
        read(make_pdf(tmp_path / "scan.pdf", ["", ""]))
    locked = make_pdf(tmp_path / "l.pdf", ["Secret"], owner_password="o", user_password="u")
    with pytest.raises(DocumentError, match="encrypted PDF: needs a password"):
        read(locked)
    opened = make_pdf(tmp_path / "o.pdf", ["Open to all"], owner_password="o", user_password="")
    assert "Open to all" in read(opened).text


def set_by_words(*lines: str, gap: int = 5, between: str = " 8 0 Td ") -> bytes:
    """A PDF as browsers write it: upside down, each word set by itself, sign by sign."""
    drawn = "1 0 0 -1 0 792 cm"
    for number, line in enumerate(lines, 1):
        right = 72
        drawn += f" q .75 0 0 .75 0 {40 * number} cm"
        for word in line.split():
            signs = between.join(f"({sign}) Tj" for sign in word)
            drawn += f" BT /F 15 Tf 1 0 0 -1 {right} 5 Tm 0 -13 Td {signs} ET"
            right += 9 * len(word) + gap
        drawn += " Q"
    return raw_pdf(drawn, "<</Type/Pages/Kids[3 0 R]/Count 1>>")


def test_words_of_a_pdf_that_are_set_one_by_one_are_lines(tmp_path: Path) -> None:
    lines = ("Two harbourmasters lie", "at the weir", "a")
    for between in (" 8 0 Td ", " "):
        drawn = set_by_words(*lines, between=between)
        assert read(save(tmp_path, "a.pdf", drawn)).text == "\n".join(lines) + "\n"
    cells = set_by_words("Deposit 500, paid", gap=100, between=" ")
    assert read(save(tmp_path, "c.pdf", cells)).text == "Deposit 500, paid\n"


def test_a_damaged_page_does_not_lose_the_document(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["Good one", "Bad page", "Good three"])
    head, first, second, *rest = path.read_bytes().split(b"\nstream\n")
    path.write_bytes(b"\nstream\n".join([head, first, b"\xff" * 20 + second[20:], *rest]))
    document = read(path)
    assert "Good one" in document.text
    assert "Good three" in document.text
    assert any("page 2" in warning for warning in document.warnings)


WORD = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def test_docx(tmp_path: Path) -> None:
    from docx import Document as Word

    word = Word()
    word.core_properties.title = "Rule book"
    word.add_heading("Signals", 1)
    paragraph = word.add_paragraph("Red means ")
    paragraph.add_run("stop").bold = True
    paragraph.add_run(".\tAlways")
    paragraph.add_run("2").font.superscript = True
    word.add_heading("Colours", 2)
    word.add_paragraph("green", style="List Bullet")
    word.add_paragraph("amber", style="List Number")
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["Lamp", "Hours", "Oil", "12"], strict=True):
        cell.text = text
    path = tmp_path / "a.docx"
    word.save(str(path))
    document = read(path)
    assert document.title == "Rule book"
    assert document.text == (
        "# Signals\n\nRed means stop. Always²\n\n## Colours\n\n- green\n- amber\n\n"
        "Lamp | Hours\nOil | 12\n"
    )


def test_docx_leaves_out_its_table_of_contents_and_is_not_named_by_it(tmp_path: Path) -> None:
    based = '<w:basedOn w:val="H"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'
    told = {"C": "Contents", "T": "Kilns 3", "N": "Draft", "H": "Kilns"}
    named = {"C": ("TOC Heading", based), "T": ("toc 1", ""), "N": ("Note", based)}
    styles = "".join(
        f'<w:style w:styleId="{key}"><w:name w:val="{name}"/>{more}</w:style>'
        for key, (name, more) in {"H": ("heading 1", ""), **named}.items()
    )
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{key}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for key, text in told.items()
    )
    members = {
        "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {WORD}>{styles}</w:styles>",
    }
    document = read(zipped(tmp_path / "a.docx", members))
    assert (document.text, document.title) == ("Contents\n\nDraft\n\n# Kilns\n", "Kilns")


def test_docx_without_styles_has_its_bold_paragraphs_for_headings(tmp_path: Path) -> None:
    from docx import Document as Word

    word = Word()
    for title, text in (("1. Budget", "The roof costs 900."), ("2. Staff", "Nobody left.")):
        word.add_paragraph().add_run(title).bold = True
        word.add_paragraph(text)
    word.save(str(tmp_path / "a.docx"))
    shown = "###### 1. Budget\n\nThe roof costs 900.\n\n###### 2. Staff\n\nNobody left.\n"
    assert read(tmp_path / "a.docx").text == shown


def test_docx_has_notes_boxes_merged_cells_equations_and_nothing_deleted(tmp_path: Path) -> None:
    def line(text: str, more: str = "") -> str:
        return f"<w:p><w:r><w:t>{text}</w:t>{more}</w:r></w:p>"

    def table(*rows: Sequence[str]) -> str:
        drawn = ("".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in rows)
        return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in drawn)}</w:tbl>"

    wide, tall, below = (
        f"<w:tcPr><w:{merged}/></w:tcPr>"
        for merged in ('gridSpan w:val="2"', 'vMerge w:val="restart"', "vMerge")
    )
    box = f"<w:pict><w:txbxContent>{line('a')}</w:txbxContent></w:pict>"
    above, below_it, n, x = (f"<m:r><m:t>{sign}</m:t></m:r>" for sign in ("a+b", "2", "n", "x"))
    half = f"<m:f><m:num>{above}</m:num><m:den>{below_it}</m:den></m:f>"
    sigma = '<m:naryPr><m:chr m:val="∑"/></m:naryPr>'
    total = f"<m:nary>{sigma}<m:sub>{n}</m:sub><m:e>{x}</m:e></m:nary>"
    body = (
        "<w:p><w:ins><w:r><w:t>kept </w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText>"
        f"</w:r></w:del><m:oMath>{half}{total}</m:oMath></w:p>"
        + line("Seen", '<w:footnoteReference w:id="2"/><w:footnoteReference w:id="3"/>')
        + table([line("Boxed")])
        + table(
            [wide + line("Boats"), line("Since")],
            [tall + line("Ada"), line("Bo"), line("1931")],
            [below + line(""), line("", box), line("1940")],
        )
    )
    notes = "".join(
        f'<w:footnote w:id="{number}" {kind}>{line(text)}</w:footnote>'
        for number, kind, text in (
            *((1, 'w:type="separator"', "---"), (2, "", "By the harbour."), (3, "", "In May.")),
            (4, "", "Of what was deleted."),
        )
    )
    members = {
        "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
        "word/footnotes.xml": f"<w:footnotes {WORD}>{notes}</w:footnotes>",
    }
    assert read(zipped(tmp_path / "a.docx", members)).text == (
        "kept (a+b)/2∑_nx\n\nSeen[footnote 2][footnote 3]\n\n[footnote 2] By the harbour.\n\n"
        "[footnote 3] In May.\n\nBoxed\n\nBoats |  | Since\nAda | Bo | 1931\nAda | a | 1940\n"
    )


def test_pptx_slides_are_pages_with_all_that_is_shown_on_them(tmp_path: Path) -> None:
    from PIL import Image
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.opc.package import Part as PackagePart
    from pptx.opc.packuri import PackURI
    from pptx.util import Inches

    deck = Presentation()
    layouts = [deck.slide_layouts[layout] for layout in (1, 5, 6, 6)]
    first, second, third, fourth = map(deck.slides.add_slide, layouts)
    first.shapes.title.text = "Timetable"
    first.placeholders[1].text = "Early train\nLate train"
    first.notes_slide.notes_text_frame.text = "Mention the ferry."
    second.shapes.title.text = "Fares"
    table = second.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for index, text in enumerate(["Zone", "Price", "A", "3"]):
        table.cell(index // 2, index % 2).text = text
    box = third.shapes.add_group_shape().shapes.add_textbox(0, 0, Inches(2), Inches(1))
    box.text_frame.text = "In a group"
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    for words in ("Wharf", "The new wharf at dusk"):
        picture = third.shapes.add_picture(str(tmp_path / "a.png"), 0, 0)
        picture._element.nvPicPr.cNvPr.set("descr", words)
    data = CategoryChartData()
    data.categories = ["2023", "2024"]
    data.add_series("Riders", (310, 420))
    data.add_series("Bikes", (12, 30))
    chart = third.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, Inches(4), Inches(4), data).chart
    chart.chart_title.text_frame.text = "A year on the line"
    shape = "<d:pt><d:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></d:t></d:pt>"
    shapes = shape.format("Plan") + "<d:pt/>" + shape.format("Fire")
    drawn = f'<d:dataModel xmlns:d="d" xmlns:a="a"><d:ptLst>{shapes}</d:ptLst></d:dataModel>'
    place, package = PackURI("/ppt/diagrams/data1.xml"), fourth.part.package
    diagram = PackagePart(place, "application/xml", package, drawn.encode())
    fourth.part.relate_to(diagram, "x/diagramData")
    path = tmp_path / "a.pptx"
    deck.save(str(path))
    document = read(path)
    assert document.text == (
        "# Timetable\n\n- Early train\n- Late train\n\nNotes: Mention the ferry.\n\n"
        "# Fares\n\nZone | Price\nA | 3\n\n"
        "In a group\n\n[image: The new wharf at dusk]\n\nA year on the line\n\n"
        " | Riders | Bikes\n2023 | 310 | 12\n2024 | 420 | 30\n\n- Plan\n- Fire\n\n"
    )
    assert document.pages == [1, 2, 3, 4]


def test_xlsx_has_its_values_as_shown_and_repeats_merged_cells(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Stock"
    sheet.append(["Engine", "Since", "Power", "Runs"])
    sheet.append(["Ada", date(1931, 5, 2), 40.0, True])
    sheet.append([None, None])
    sheet.append(["Bo", timedelta(hours=26), 0.1 + 0.2, "line one\nline two"])
    book.create_sheet("Empty")
    crews = book.create_sheet("Crews")
    for row in (["Boats"], [], ["Boat", "Crew"], ["Ada", "Orr"], [None, "Pell"], ["Bo", "Tam"]):
        crews.append([None, *row])
    for merged in ("B1:C2", "B4:B5"):
        crews.merge_cells(merged)
    path = tmp_path / "a.xlsx"
    book.save(path)
    assert read(path).text == (
        "# Stock\n\nEngine | Since | Power | Runs\nAda | 1931-05-02 | 40 | TRUE\n"
        "Bo | 26:00:00 | 0.3 | line one line two\n\n# Empty\n\n\n"
        "# Crews\n\nBoats\nBoat | Crew\nAda | Orr\nAda | Pell\nBo | Tam\n\n"
    )
    book.create_chartsheet("Chart")
    book.properties.title = "Yard book"
    book.save(path)
    assert "Chart" not in read(path).text
    assert read(path).title == "Yard book"


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("0%", 0.35, "35%"),
        ("0.0%", -0.022, "-2.2%"),
        ("[$€-407] #,##0.00;[Red]-[$€-407] #,##0.00", 1204.5, "€1,204.50"),
        ('#,##0.00 "CHF"', 4.8, "4.80 CHF"),
        ("£0", -92.0, "-£92"),
        ("$#,##0.00_);($#,##0.00)", 12.0, "$12.00"),
        ("_-* #,##0.00\\ _€_-", 12.5, "12.5"),
        ("[$-407]0.00", 12.5, "12.5"),
        ('#,##0,"K"', 1234567.0, "1234567"),
        ('0.00E+00" m"', 12.5, "12.5"),
        ('# ?/?" in"', 1.75, "1.75"),
        ('"$"0.00', 0.125, "$0.13"),
        ('"$"0.' + "0" * 99, 12.5, "12.5"),
        ("0.00", 12.5, "12.5"),
        ("@", 12.5, "12.5"),
        ('"Sum: "', 12.5, "12.5"),
        ("[$$$$", 12.5, "12.5"),
    ],
)
def test_a_cell_s_number_is_of_what_its_format_says(tmp_path, code, value, shown):
    from openpyxl import Workbook

    book = Workbook()
    book.create_sheet("Plain").append([0.35])
    sheet = book.create_sheet("Fees & more")
    sheet["C3"], sheet["D3"] = value, value
    sheet["C3"].number_format = code
    book.save(path := tmp_path / "a.xlsx")
    assert read(path).text.endswith(f"# Fees & more\n\n{shown} | {value:.15g}\n\n")


def test_xlsb(tmp_path: Path) -> None:
    document = read(binary_workbook(tmp_path / "a.xlsb", [("Ada", 40.0), ("Zoë", 0.5)]))
    assert document.text == "# Stock\n\nAda | 40\nZoë | 0.5\n\n"


ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
)


def odf(path: Path, body: str, before: str = "") -> Path:
    kind = {".odt": "text", ".ods": "spreadsheet", ".odp": "presentation"}[path.suffix]
    body = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    content = f"<office:document-content {ODF}>{before}{body}</office:document-content>"
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return zipped(path, {"mimetype": mimetype, "content.xml": content})


def test_odt_has_its_title_lists_words_of_pictures_and_merged_cells(tmp_path: Path) -> None:
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    cell = "<table:table-cell {}><text:p>{}</text:p></table:table-cell>"
    tall = cell.format('table:number-rows-spanned="2"', "Ada")
    wide = cell.format('table:number-columns-spanned="2"', "Both")
    rows = (
        f"{tall}{cell.format('', 'Oil')}",
        f"<table:covered-table-cell/>{cell.format('', 'Gas')}",
        f"{wide}<table:covered-table-cell/>{cell.format('', 'x')}",
    )
    body = (
        '<text:p text:style-name="P1">Kiln book</text:p><text:table-of-content><text:index-body>'
        "<text:p>Kilns 3</text:p></text:index-body></text:table-of-content>"
        '<text:h text:outline-level="2">Depot</text:h>'
        "<text:p>Two<text:s text:c='2'/>words<text:line-break/>next<text:span>line</text:span>"
        "</text:p><text:p>Seen<draw:frame><svg:title>Object 3"
        "</svg:title><svg:desc>by night</svg:desc></draw:frame>only</text:p>"
        "<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>inner"
        "</text:p></text:list-item></text:list></text:list-item></text:list><table:table>"
        + "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
        + "</table:table>"
    )
    before = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    document = read(odf(tmp_path / "a.odt", body, before))
    assert document.title == "Kiln book"
    assert document.text == (
        "# Kiln book\n\n## Depot\n\nTwo words\nnextline\n\nSeen by night only\n\n"
        "- one\n  - inner\n\nAda | Oil\nAda | Gas\nBoth |  | x\n"
    )
    members = {"content.xml": "x", "META-INF/manifest.xml": "<manifest:encryption-data/>"}
    locked = zipped(tmp_path / "b.odt", members)
    with pytest.raises(DocumentError, match="encrypted OpenDocument"):
        read(locked)


def test_a_sheet_of_opendocument_repeats_its_cells_and_names_its_place(tmp_path: Path) -> None:
    cell = "<table:table-cell {}><text:p>{}</text:p></table:table-cell>"
    repeated = cell.format('table:number-columns-repeated="2"', "50 %")
    sheet = (
        f'<table:table table:name="Fares"><table:table-row>'
        f"{cell.format('', 'Zone')}{repeated}</table:table-row><table:table-row>"
        f"{cell.format('', '<office:annotation><text:p>Old</text:p></office:annotation>A')}"
        '<table:table-cell table:number-columns-repeated="2"/>'
        f"{cell.format('', 'late')}<table:table-cell table:number-columns-repeated='999'/>"
        "</table:table-row></table:table>"
    )
    (found,) = read(odf(tmp_path / "a.ods", sheet)).parts
    assert found == Part("# Fares\n\nZone | 50 % | 50 %\nA |  |  | late\n", anchor="sheet Fares")


def test_cells_repeated_within_repeated_ones_take_no_room(tmp_path: Path) -> None:
    body = "<text:p>x</text:p>"
    for _ in range(8):
        cell = f'<table:table-cell table:number-columns-repeated="64">{body}</table:table-cell>'
        body = f"<table:table><table:table-row>{cell}</table:table-row></table:table>"
    assert len(read(odf(tmp_path / "a.odt", body)).text) < 1000


def test_slides_of_opendocument_have_their_titles_or_names_and_their_notes(tmp_path: Path) -> None:
    frame = "<draw:frame presentation:class='{}'><draw:text-box>{}</draw:text-box></draw:frame>"
    notes = "<presentation:notes>" + frame.format("notes", "{}") + "</presentation:notes>"
    slide = frame.format("title", "<text:p>Fares</text:p>") + "<text:p>A | 3</text:p>"
    pages = "".join(
        f'<draw:page draw:name="{name}">{said}</draw:page>'
        for name, said in (
            ("Start", frame.format("", "<text:p>Welcome<text:tab/>all</text:p>")),
            ("page2", slide + notes.format("<text:p>Ask.</text:p>")),
            ("page3", slide + notes.format("")),
        )
    )
    found = read(odf(tmp_path / "a.odp", pages)).parts
    assert [(part.anchor, part.text) for part in found if part.text] == [
        ("slide 1", "# Start\n\nWelcome all\n"),
        ("slide 2", "\n# Fares\n\nA | 3\n\nNotes: Ask.\n"),
        ("slide 3", "\n# Fares\n\nA | 3\n"),
    ]


def test_epub_chapters_come_in_the_order_of_the_spine(tmp_path: Path) -> None:
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    package = (
        "<package><metadata><title>Lines</title></metadata><manifest>"
        '<item id="b" href="b%20b.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="gone.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="c"/><itemref idref="b"/></spine></package>'
    )
    members = {
        "META-INF/container.xml": container,
        "OPS/book.opf": package,
        "OPS/a.xhtml": "<html><body><h1>One</h1><p>first</p></body></html>",
        "OPS/b b.xhtml": "<html><body><h1>Two</h1><p>second</p></body></html>",
    }
    document = read(zipped(tmp_path / "a.epub", members))
    assert (document.title, document.text) == ("Lines", "# One\n\nfirst\n\n# Two\n\nsecond\n\n")
    assert len(document.warnings) == 1


MAIL = """From: Ada <ada@example.org>
Date: Mon, 21 Jul 2025 23:40:00 +0100
To: bo@example.org
Subject: =?utf-8?q?Z=C3=BCge?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=B

--B
Content-Type: multipart/alternative; boundary=C

--C
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe aus dem Depot
--C
Content-Type: text/html

<p>nope</p>
--C--
--B
Content-Type: application/pdf
Content-Disposition: attachment; filename="plan.pdf"

x
--B
Content-Type: text/plain

Written below it
--B
Content-Type: message/rfc822

From: cy@example.org
Subject: inner

<the inner body>
--B--
"""


def test_mail(tmp_path: Path) -> None:
    document = read(save(tmp_path, "a.eml", MAIL))
    assert document.title == "Züge"
    body = "Grüße aus dem Depot\n\nWritten below it\n"
    assert f"Subject: Züge\nAttachments: plan.pdf\n\n{body}" in document.text
    assert "Subject: inner\n\n<the inner body>" in document.text
    assert "nope" not in document.text
    sent = [part.anchor for part in document.parts]
    assert sent == ["from Ada, 2025-07-21", "from cy@example.org"]
    html = "Subject: s\nContent-Type: text/html\n\n<h1>Head</h1><p>Only HTML</p>"
    assert "# Head\n\nOnly HTML" in read(save(tmp_path, "b.eml", html)).text


def test_what_a_mail_quotes_at_its_end_is_told_as_quoted(tmp_path: Path) -> None:
    head = "From: Joana <jo@example.org>\nDate: Thu, 21 Mar 2024 09:12:00 +0000\n\n"
    quoted = "On Tue, Anna <anna@example.org>\nwrote:\n> We paid.\n>\n> > It is 620."
    own, of_anna = read(save(tmp_path, "a.eml", f"{head}Yes:\n\n{quoted}\n\n")).parts
    assert (own.anchor, of_anna.anchor) == ("from Joana, 2024-03-21", "quoted by Joana, 2024-03-21")
    assert own.text.endswith("\n\nYes:\n\n")
    assert of_anna.text.strip() == quoted
    for body in ("> Why?\n\nSo.", "> Why?"):  # between the lines, or nothing of one's own
        (whole,) = read(save(tmp_path, "b.eml", f"{head}{body}\n")).parts
        assert whole.text.endswith(f"{body}\n\n")


@pytest.mark.parametrize(("subject", "how"), [("Re: Fee", "quoted"), ("FW: Fee", "forwarded")])
def test_what_is_below_a_line_drawn_by_outlook_is_somebody_else_s(tmp_path, subject, how):
    below = "-----Original Message-----\nFrom: Bo\n\nIt is £7."
    mail = f"From: Jo <jo@example.org>\nSubject: {subject}\n\nSee below.\n\n{below}\n"
    own, others = read(save(tmp_path, "a.eml", mail)).parts
    assert (own.anchor, others.anchor) == ("from Jo", f"{how} by Jo")
    assert others.text.strip() == below


CALL = """WEBVTT
Kind: captions

1
00:00:01.000 --> 00:00:04.000 align:start
<v Ann Orrin>The weir is
opened at <i>dawn</i>,</v>

2
00:00:04.000 --> 00:00:06.000
<v Ann Orrin><i>with</i> the long bar.</v>

3
00:00:06.000 --> 00:00:09.000
with the long bar.
<v Ben>By whom?</v>
"""


def test_what_is_said_in_subtitles_stands_on_its_own_lines(tmp_path: Path) -> None:
    document = read(save(tmp_path, "call.vtt", CALL))
    lines = document.text.split("\n")
    assert lines[5:7] == ["Ann Orrin: The weir is", "opened at dawn,"]
    assert lines[7:11] == ["", "", "", "Ann Orrin: with the long bar."]
    assert len(lines) == len(CALL.split("\n"))
    assert "-->" not in document.text
    assert document.parts[0].anchor is None


def test_notebook(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Study\n", "Words"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"data": {"image/png": "AAAA", "text/plain": "<Figure>"}},
                {"output_type": "error", "ename": "E", "evalue": "bad", "traceback": ["\x1b[0m"]},
            ],
        },
    ]
    content = json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}})
    document = read(save(tmp_path, "a.ipynb", content))
    assert document.title == "Study"
    assert document.text == (
        "# Study\nWords\n\n```\nprint(1)\n```\n\n```\n1\n```\n\n```\nE: bad\n```\n\n"
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_rows_are_lines(tmp_path: Path, delimiter: str) -> None:
    buffer = io.StringIO()
    rows = [["name", "note"], ["Ada", 'says "hi"\nand goes'], ["", ""], ["Bo", "1,5;2|3"]]
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    document = read(save(tmp_path, "a.csv", buffer.getvalue()))
    assert document.text == 'name | note\nAda | says "hi" and goes\nBo | 1,5;2|3\n'


def test_a_table_may_name_its_delimiter_and_hold_vertical_tabs(tmp_path: Path) -> None:
    table = "sep=;\r\nname;price\r\nAda,\x0bold;1,5\r\nBo,new;2,5\r\n"
    document = read(save(tmp_path, "a.csv", table))
    assert document.text == "name | price\nAda, old | 1,5\nBo,new | 2,5\n"


def test_rows_of_prose_become_records_under_their_column_names(tmp_path: Path) -> None:
    prose = "The points at the north end are heated from October on. " * 8
    rows = [["question", "answer"], ["Heating?", prose], ["More?", prose + "\nSecond line"]]
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    path = save(tmp_path, "faq.csv", buffer.getvalue())
    document = read(path)
    first, second = document.text.strip().split("\n\n")
    assert first == f"question: Heating?\nanswer: {prose.strip()}"
    assert second.startswith("question: More?\nanswer: The points")
    assert "langchain_community" in sys.modules


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{\n  "n": 1.10,\n  "broken": [1,, "kept"]\n}\n'),
        ("a.jsonl", '{"a": 1}\nnot json\n{"a": "two\\nlines"}\n'),
        ("a.xml", '<?xml version="1.0"?>\n<kilns>\n  <p fired="1931">Hot &amp; dry</p>\n'),
        ("noname", '<?xml version="1.0"?>\n<!DOCTYPE k SYSTEM "k.dtd">\n<k><p>Hot</p></k>\n'),
    ],
)
def test_json_and_xml_stand_as_they_are(tmp_path: Path, name: str, text: str) -> None:
    document = read(save(tmp_path, name, text))
    assert (document.text, document.warnings, document.pages) == (text, (), [])


def test_letters_that_json_writes_out_can_be_read(tmp_path: Path) -> None:
    written = '{"a": "Kaiserstra\\u00dfe \\ud83d\\ude00", "b": "\\u0022 C:\\\\u00df"}\n'
    said = '{"a": "Kaiserstraße 😀", "b": "\\u0022 C:\\\\u00df"}\n'
    assert read(save(tmp_path, "a.json", written)).text == said
    assert read(save(tmp_path, "a.py", written)).text == written


@pytest.mark.parametrize("name", ["searchindex.js", "a.min.css", "a.css.map", "search_index.json"])
def test_what_a_site_s_generator_packs_into_a_line_is_skipped(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnsupportedFormatError, match="for programs"):
        read(save(tmp_path, name, "/* Kilns 1.2 */\n" + "a={b:1};" * 1000))
    assert read(save(tmp_path, name, "a={b:1};\n" * 1000)).format == "code"


def test_a_name_that_lies_is_seen_through(tmp_path: Path) -> None:
    pdf = make_pdf(tmp_path / "a.txt", ["Really a PDF"])
    assert read(pdf).format == "pdf"
    assert read(save(tmp_path, "b.pdf", PAGE)).format == "html"
    assert read(save(tmp_path, "c.xls", "a\tb\n1\t2\n")).text == "a | b\n1 | 2\n"
    assert read(save(tmp_path, "noname", "#!/bin/sh\necho\n")).format == "text"


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("locks.md", "# Locks\n\nOne.\n\n## Rusty\n\nTwo.\n", "Locks"),
        ("on-locks.md", "## Rusty\n\nOne.\n\n## Oiled\n\nTwo.\n", "on locks"),
        ("README.md", "# Rusty\n\nOne.\n\n# Oiled\n\nTwo.\n", None),
        ("a.md", "---\nauthor: x\ntitle: 'Locks'\n---\n# Rusty\n\n# Oiled\n\nTwo.\n", "Locks"),
        ("a.md", "# The [best](https://a.b/) **locks** &amp; keys\n", "The best locks & keys"),
        ("a.md", "---\ntitle: >-\n  Locks\n  and keys\n---\n# Rusty\n", "Locks and keys"),
        ("a.md", '---\ntitle: Of "locks"\n---\n# Rusty\n', 'Of "locks"'),
        ("a.md", '---\ntitle: ""\n---\n# Rusty\n', "Rusty"),
        ("a.md", '+++\ntitle = "Locks: all"\n+++\n# Rusty\n\n# Oiled\n\nTwo.\n', "Locks: all"),
        ("a.rst", "Rusty\n=====\n\nOne.\n\nOiled\n=====\n\nTwo.\n", "a"),
    ],
)
def test_a_heading_with_others_beside_it_is_no_title(tmp_path: Path, name, text, title) -> None:
    assert read(save(tmp_path, name, text)).title == title
