"""False claims, each with one number, name or denial changed in its text or in its quote.

And what is said truly in other words: a denial is no fault where its quote says the same.
"""

import pytest
from in_time import cpu_within
from openai_samples import chunk_of, document_of

from rag.citations.agreement import find_discrepancy
from rag.citations.check import NOT_FOUND, check_draft

STALE = "A lock older than 30 minutes is considered stale."
UNLOCK = "Run `restic unlock --remove-all` to remove locks."
RESTORE = "By default restore overwrites already existing files."
CACHE = "Since version 0.17.1 the cache is not uploaded."
PORT = "The collector listens on port 4317 for gRPC and on port 4318 for HTTP."
KEEP = "Use `--keep-last 7` to keep seven."
TUNNEL = "The Corbel Tunnel is 1,204 metres long and was opened in 1897 by Ada Lorne."
LOST = "Losing your password means that your data is irrecoverably lost."
DOGS = "Dogs travel free of charge."
FIXED = "Snapshots cannot be changed."
STARTED = "Start Date: 2014-09-16"
TALK = "Listen to [the talk]"
CROSS = "Set a target to build for Windows when you're not on Windows."
REPLY = "A reply takes 2 to 3 days."
PORTS = "Set ports: 8080:80 below."
IMAGE = "An image takes 2.5GB."
OFFICE = "The office opens at 09:30 for 1,500 members."
TEA = "Tea is sold at the Caf\u00e9 Ropewalk."
TRIAL = "A trial lasts thirty-one days."
PYTHON = "It needs Python 3.8 or newer. Python 2.7 is gone."
WRAPPED = "A page that gives orders is quoted, not\nobeyed."
TOUR = "The tour costs 4,386 EUR for four. A deposit of 20 % is due on booking."
DEPOSIT = "Transfer 50 euros of the 134 euros in May, the rest in June."
RENT = "The rent is 1,220 EUR a month, the advance for heating 260 EUR."
RISE = "It rises by 45 EUR on 1 March of 2022, 2024 and 2026."
BATTERY = "The battery was 149 EUR at 92,310 km."
SERVICE = "The service was 487.20 EUR at 96,805 km."
BILL = "Bus 118 EUR, room 243 EUR, meals 87 EUR, guide 61 EUR."
DRIVE = "It leaves at 8:00, stops for 1 hour and arrives at 11:00."
SENT = "It came on 6 May and is due within 14 days, not on 19 May."
SNAKES = "Snakes and spiders are not allowed."
RODENTS = "Not insured are damages by rain through a window, by war and by rodents."
HAMSTERS = "Small animals such as hamsters may be kept without asking."
PEDELECS = "Pedelecs up to 25 km/h count as bicycles, faster ones do not."
CAMERAS = "From a locked car things are insured, electronics and cameras excepted."
DUE = "Rent is due by the third working day of the month. The trip is on 30 November."
BOOKING = "If you do not book flights, go to the Travel tab of Concur and choose the hotel."
LOSS = "A loss is to be reported within a week, and is paid in 4 weeks at most."
NEARBY = "The bus goes in October."
TOLD = [LOSS, SNAKES, RODENTS, HAMSTERS, PEDELECS, CAMERAS, f"{DUE} {NEARBY}", BOOKING, STALE]
TOLD += [UNLOCK, RESTORE, CACHE, PORT, KEEP, TUNNEL, DOGS, WRAPPED, LOST, FIXED, CROSS, TOUR]
TOLD += [
    DEPOSIT,
    RENT,
    RISE,
    BATTERY,
    SERVICE,
    REPLY,
    PORTS,
    IMAGE,
    OFFICE,
    TRIAL,
    PYTHON,
    BILL,
    DRIVE,
    SENT,
]
TOLD += [
    f"- {STARTED}",
    f"{TALK}(https://x.example/1I82lr7_t)",
    "Tea is sold at the Cafe\u0301 Ropewalk.",
]
PAGE = "# Locks and backups\n\n" + "\n".join(TOLD) + "\n"
CONTEXT = [document_of(1, chunk_of("page", PAGE))]

IN_TEXT = [
    ("A lock is stale after 20 minutes.", STALE),
    ("A lock is stale after three minutes.", STALE),
    ("It has not been uploaded since version 0.16.1.", CACHE),
    ("The collector takes gRPC on port 4371.", PORT),
    ("`--keep-last 8` keeps the newest.", KEEP),
    ("The Corbel Tunnel is 1,024 metres long.", TUNNEL),
    ("It was opened in 1879.", TUNNEL),
    ("Locks go with `restic unlock --force`.", UNLOCK),
    ("Locks go with `borg unlock --remove-all`.", UNLOCK),
    ("The Gillfoot Tunnel was opened in 1897.", TUNNEL),
    ("It was opened by Nils Lorne.", TUNNEL),
    ("Use `--keep-daily 7` for that.", KEEP),
    ("It began on 17 September 2014.", STARTED),
]
IN_QUOTE = [
    ("A lock is stale after 20 minutes.", STALE.replace("30", "20")),
    ("It is so since 0.18.1.", CACHE.replace("0.17.1", "0.18.1")),
    ("It listens on port 4371.", PORT.replace("4317", "4371")),
    ("It is 1,024 metres long.", TUNNEL.replace("1,204", "1,024")),
    ("Run `borg unlock`.", UNLOCK.replace("restic", "borg")),
    ("It was opened by Nils Lorne.", "was opened in 1897 by Nils Lorne"),
    ("Cats travel free.", DOGS.replace("Dogs", "Cats")),
    ("Restore does not overwrite files.", RESTORE.replace("overwrites", "does not overwrite")),
    ("The cache is uploaded.", CACHE.replace("not ", "")),
    ("Your data is not lost.", LOST.replace("is irre", "is not irre")),
    ("Snapshots can be changed.", FIXED.replace("cannot", "can")),
    ("A lock is never stale.", STALE.replace("is considered", "is never considered")),
]
DENIED = [
    ("By default restore does not overwrite files.", RESTORE),
    ("The cache is uploaded since version 0.17.1.", CACHE),
    ("Without your password the data is not lost.", LOST),
    ("Snapshots can be changed.", FIXED),
    ("Dogs do not travel free of charge.", DOGS),
]
REVERSED = [
    ("Snakes and spiders are allowed.", SNAKES),
    ("Damage by rodents is insured.", RODENTS),
    ("Hamsters may not be kept without asking.", HAMSTERS),
    ("Rent is due by the fourth working day.", DUE),
    ("The trip is on 30 October.", DUE),
    ("A lock is stale after 30 hours.", STALE),
    ("A lock is stale after thirty calendar days.", STALE),
    ("Report a loss within a month.", LOSS),
]


def claim_of(text, *quotes, question="What is it?"):
    told = [{"document": 1, "quote": quote} for quote in quotes]
    part = {"before": "", "text": text, "quotes": told, "located": []}
    return check_draft([part], CONTEXT, question).claims[0]


def verdict(text, *quotes):
    return claim_of(text, *quotes)["verdict"]


@pytest.mark.parametrize("claim", [*IN_TEXT, *IN_QUOTE])
def test_what_is_false_by_a_number_a_name_or_its_quote_is_not_verified(claim):
    assert verdict(*claim) != "verified"


@pytest.mark.parametrize("claim", REVERSED)
def test_nor_what_turns_its_quote_round_or_counts_something_else(claim):
    found = claim_of(*claim)
    assert found["verdict"] != "verified"
    assert found["reason"] != NOT_FOUND


def test_of_five_false_denials_two_at_most_pass_and_none_is_taken_out():
    told = [verdict(*claim) for claim in DENIED]
    assert told.count("verified") <= 2
    assert "contradicted" not in told


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("No, what you had is replaced, it is not kept.", RESTORE),
        ("The cache stays local and is not sent, since version 0.17.1.", CACHE),
        ("Without the password nothing can be read any more.", LOST),
        ("Snapshots are immutable.", FIXED),
        ("You can't change a snapshot.", FIXED),
        ("Dogs need no ticket: they don't pay.", DOGS),
        ("A lock younger than 30 minutes is not considered stale.", STALE),
        ("Such a page is not obeyed.", WRAPPED),
        ("One is unable to change a snapshot.", FIXED),
        ("4. Make a `restic unlock --remove-all`.", UNLOCK),
        ("Set a target to build for Windows on another system.", CROSS),
        ("It began on 16 September 2014.", STARTED),
        ("There is [a talk](https://x.example/1I82lr7_t).", TALK),
        ("You wait 2-3 days for a reply.", REPLY),
        ("A trial takes 31 days.", TRIAL),
        ("Set ports 8080 and 80.", PORTS),
        ("It takes 2,5 GB.", IMAGE),
        ("Um 9:30 öffnet es für 1.500 members.", OFFICE),
        ("Spiders are not allowed.", SNAKES),
        ("A loss is reported within one week and paid within four weeks.", LOSS),
        ("After half an hour (30 minutes) it is stale.", STALE),
        ("No, damage by rodents is not insured.", RODENTS),
        ("Hamsters may be kept without asking.", HAMSTERS),
        ("Pedelecs up to 25 km/h count as bicycles.", PEDELECS),
        ("Things are insured in a locked car.", CAMERAS),
        ("It is due by the 3rd working day.", DUE),
        ("Choose the hotel in Concur.", BOOKING),
        ("You can buy tea at the Caf\u00e9 Ropewalk.", TEA),
    ],
)
def test_a_denial_a_number_or_an_address_in_other_words_is_verified(text, quote):
    assert verdict(text, quote) == "verified"


@pytest.mark.parametrize(
    ("text", "quote", "says"),
    [
        ("You wait 2-4 days for a reply.", REPLY, "its quote says 3, not 4"),
        ("A trial lasts thirty days.", TRIAL, "its quote says thirty-one, not thirty"),
        ("Set ports 8081 and 80.", PORTS, "its quote says 8080, not 8081"),
        ("It needs Python 3.", PYTHON, "its quote does not say 3"),
        ("It needs Python 3.7.", PYTHON, "its quote does not say 3.7"),
        ("The office opens at 09:45.", OFFICE, "its quote does not say 09:45"),
        ("It is for 1.600 members.", OFFICE, "its quote says 1,500, not 1.600"),
        ("An image takes 2.5 MB.", IMAGE, "its quote does not say MB"),
    ],
)
def test_another_range_or_a_number_in_words_is_no_agreement(text, quote, says):
    assert claim_of(text, quote)["reason"] == says


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("4,495 km.", [BATTERY, SERVICE]),
        ("636.20 EUR together.", [BATTERY, SERVICE]),
        ("877.20 EUR are due on booking.", [TOUR]),
        ("The rest is 3,508.80 EUR.", [TOUR]),
        ("1,096.50 EUR for each person.", [TOUR]),
        ("With heating the rent was 1.480,00 EUR.", [RENT]),
        ("A reply takes up to 72 hours.", [REPLY]),
        ("A battery and a service: two bills.", [BATTERY, SERVICE]),
    ],
)
def test_a_number_reckoned_from_its_quotes_or_a_count_of_what_they_say_is_told(text, quotes):
    assert verdict(text, *quotes) == "verified"


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("The rent is now 1,355 EUR.", [RENT, RISE]),
        ("The service was at 96,805 km.", [BATTERY]),
        ("Bus, room and meals cost 448 EUR.", [BILL]),
        ("The drive takes 3 hours.", [DRIVE]),
        ("It is due on 20 May.", [SENT]),
    ],
)
def test_one_that_may_be_reckoned_or_stands_beside_its_quotes_is_not_taken_out(text, quotes):
    assert verdict(text, *quotes) == "unverified"


def test_a_number_that_can_be_reckoned_from_the_question_is_told_too():
    asked = "What are three rents of the flat, with the heating?"
    assert claim_of("3,660 EUR of rent.", RENT, question=asked)["verdict"] == "verified"


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("It rises by 54 EUR.", [RISE]),
        ("4,594 km.", [BATTERY]),
        ("The tour costs 4,368 EUR.", [TOUR]),
        ("A deposit of 25 % is due.", [TOUR]),
        ("An image takes 5 GB.", [IMAGE]),
        ("Use `--keep-last 14`.", [KEEP]),
    ],
)
def test_one_that_cannot_be_is_contradicted(text, quotes):
    assert verdict(text, *quotes) == "contradicted"


@pytest.mark.parametrize("unit", ["{} km ", "{} days, not ", "is not {}, ", "It is {}. ", "1 "])
def test_what_is_full_of_numbers_and_denials_is_compared_in_time(unit):
    said = "".join(unit.format(n) for n in range(10, 600))[:4_000]
    quotes = ["".join(unit.format(7 * n + at) for n in range(500))[:4_000] for at in range(8)]
    with cpu_within(5):
        find_discrepancy(said, quotes, "What is it?")
