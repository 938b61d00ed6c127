"""Lines that were wrapped are joined; lines that somebody ended are not."""

import textwrap

import pytest

from rag.text.blocks import blocks_of_text
from rag.text.prose import as_prose
from rag.text.wrapping import lines_of, runs

PROSE = (
    "The harbour board met on the second Tuesday of the month, as it has done since the old pier "
    "was taken down, and heard that the dredging would cost more than had been thought. 14 berths "
    "are let. Nobody spoke against the new slipway, although Mr Orr wished it wider (as he has "
    "said before). The money is to come from the mooring fees, and from a loan over ten years."
)

CHAT = """[20/05/2026, 08:02:11] Bo: the knee appointment was moved, to June now. can you drive
[20/05/2026, 08:40:53] Cy: yes
[20/05/2026, 08:41:35] Bo: she should take the blue list with all of her pills along with her
and the card
[29/05/2026, 21:10:00] Bo: good"""

SHOPPING = """shopping for the weekend that we spoke about on the telephone the other evening
milk
butter from the market stall, the salted one, half a pound, unless it has gone up again
eggs
Bring the blue bag"""

BILL = "Harbour Vets of Northsea\nConsultation, an hour 38.00\nVaccine for the dog 21.50\nPaid"

PARAGRAPHS = "\n".join(f"{name} wrote this. {PROSE[:n]}" for name, n in [("Bo", 350), ("Cy", 330)])


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in runs(lines_of(text, 0, len(text)))]


@pytest.mark.parametrize("width", [32, 45, 60, 72, 100, 118])
def test_wrapped_prose_is_joined_at_any_width(width: int) -> None:
    text = textwrap.fill(PROSE, width)
    assert parts(text) == [text]
    first = textwrap.fill(PROSE[: width + 20], width)
    assert parts(first) == [first]


@pytest.mark.parametrize(
    "text",
    [
        SHOPPING,
        BILL,
        "Heating   1.243,17 €\nless paid 3.060,00 €\nCredit      346,96 €",
        "Fuel in 2024\n7.1.  44,2 l  1,719 €/l   Shell\n2.2.  47,0 l  1,759       Aral",
        "Customer no. 40 77 1182\nhotline 0721 / 55 10 99",
        PARAGRAPHS,
        "Kind regards\nBo Orr",
        "Yours, with many thanks,\nBo Orr of the harbour board at Northsea",
        "02 Mar Rent of the berth 741.20 5,477.20\n04 Mar Power 18.63 5,458.57\n05 Mar Orr 1.00",
    ],
)
def test_lines_that_their_writer_ended_stay_apart(text: str) -> None:
    assert parts(text) == text.split("\n")


TAKEN = "The harbour board has had the old pier taken down, and"
LINK = "[notes on updating](administration.md#updating-on-bare-metal)"


@pytest.mark.parametrize(
    "text",
    [
        f"{TAKEN} ***wholly new***\nit is not built.",
        f"{TAKEN} as the board wished---\nit is not built.",
        f"Where an older one is on the machine, see the\n{LINK} instead, before\nanything is done.",
    ],
)
def test_a_wrapped_line_may_end_in_marks_or_before_a_long_link(text: str) -> None:
    assert parts(text) == [text]


def test_a_message_is_its_lines_up_to_the_next_time() -> None:
    first, second, third, more, last = CHAT.split("\n")
    assert parts(CHAT) == [first, second, f"{third}\n{more}", last]


def test_a_year_at_the_start_of_a_line_is_no_item() -> None:
    text = "The lease began in May 2023 and ends on the thirtieth of April\n2026. It is renewed."
    assert len(blocks_of_text(text)) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Fire it\nslowly <!-- why? --> now.", "Fire it slowly now."),
        ("[Crates](https://a/)<!-- ignore --> has it.", "Crates has it."),
        ("In {{< param v >}} and {% if x %}later{% endif %}.", "In and later."),
        ('See [it](a.md "Ada\'s").', "See it."),
        ("See [](a.md) and ![ ](b.png) [c](d.md).", "See and c."),
        ("**[`a`](b(c).md 'd')**<br>[![e](f)](g) **h `**i`**", "`a` e h `**i`"),
        ("`[a](b) **c**` a[0](1) 2**3**4 **kwargs",) * 2,
        ("Write `{{< param >}}` and `[]( )`, `{% if %}`.",) * 2,
        ("> One\n> two [3].", "> One two (3)."),
        ('<p><kbd class="k">Ctrl</kbd>+C &lt;n&gt;<img src="a"></p>', "Ctrl+C <n>"),
        ("<details><summary>Why</summary> <Tab a={1} b='c'>It</Tab> </iframe>", "Why It"),
        ("Give <name> a List<b>, `<b>`, 1 < 2, <table> a=b>.",) * 2,
        ('In {% on "ops" "C1" %}, {{< b "y" >}}{% c "a.md" %}{% include "d" %}.', "In ops, y."),
        ("[[Ink|Inks]], [[Pens#Nibs]] ![[a.png]]", "Inks, Pens > Nibs"),
        ("if [[ -f x ]] a[[b]]",) * 2,
        (r"\# \*Not\* a\_b \[1\] C:\d", r"# *Not* a_b (1) C:\d"),
        ("[All][] of [it][a b], ![oil][] [x]: l[0][1]", "All of it, oil [x]: l[0][1]"),
        ("*No* (_not `a_b`\nnow_) 2 * 3", "No (not `a_b` now) 2 * 3"),
        ("*.md, __init__ _x a_b_ *",) * 2,
        ("{meth}`lid` of {py:class}`Kiln` at /{id}", "`lid` of `Kiln` at /{id}"),
        ("Call <tel:0117> or <https://a/b>. {#c}", "Call 0117 or https://a/b."),
        ("[`A=<b>`](#A) {#A} : It. {: .note}", "`A=<b>` : It."),
        ("[Try it](a.md){ .button .wide }", "Try it"),
        ("Write {:.2f} in {.5, .25} and {#a} here.",) * 2,
        (r"\*\*Not\*\* \_this\_ `\*`", r"**Not** _this_ `\*`"),
        ("It is old.[^2][^b-1] Match [^a-z] and `a[^b]`.", "It is old. Match [^a-z] and `a[^b]`."),
        ("Kiln\n: hot\n: loud", "Kiln: hot; loud"),
        ("Throws:\n  : A - no\n  : B", "Throws: A - no; B"),
        ("Since:\\\n2.5\\\n3.0", "Since: 2.5 3.0"),
        ("Fire:\n\n```sh\nkiln _x_ [a](b)\n```\n```On```.", "Fire: kiln _x_ [a](b) ```On```."),
        ("1. #### Fire it", "1. Fire it"),
        ("    ### Slowly :material-fire: C## #3", "Slowly C## #3"),
    ],
)
def test_prose_is_shown_without_what_only_its_format_reads(text: str, shown: str) -> None:
    assert as_prose(text) == shown
