"""The words of the PDF and DOCX files in sample_corpus/ (made by make_sample_corpus.py)."""

# ruff: noqa: ISC004 - a paragraph over several lines is one block

from __future__ import annotations

Block = str | list[list[str]]

RULEBOOK: list[Block] = [
    "# Rule book, part 4: working the single line",
    "Issued by the operations superintendent. In force from 1 March 2024. Replaces the issue of "
    "2019. Every driver, guard and signaller carries a copy on duty.",
    "## 4.1 The staff",
    "The line is divided into four sections: Hollin Bridge to Osmer, Osmer to Langrigg, Langrigg "
    "to Stone Gill, and Stone Gill to Tarren Summit. For each there is one wooden staff. No train "
    "may enter a section unless its driver holds the staff of that section in the hand and has "
    "read the name on it aloud.",
    "The staffs are coloured so that they cannot be confused: red for the lowest section, then "
    "white, then blue, and yellow for the rack section.",
    "If a staff is lost, the section is worked by a pilotman, who wears a red armband and rides "
    "on every train. Only the duty controller can appoint one, in writing.",
    "## 4.2 Speeds",
    [
        ["place", "steam (km/h)", "diesel and railcar (km/h)"],
        ["Hollin Bridge to Osmer", "30", "35"],
        ["Gillfoot Viaduct", "15", "15"],
        ["Osmer to Langrigg", "25", "30"],
        ["Corbel Tunnel", "20", "20"],
        ["Langrigg to Stone Gill", "25", "30"],
        ["Rack, uphill", "10", "12"],
        ["Rack, downhill", "8", "8"],
    ],
    "Over open level crossings trains whistle twice and slow to 8 km/h until the engine is on the "
    "road.",
    "\f",
    "## 4.3 Going on to the rack",
    "On the rack the engine is always at the lower end of the train: it pushes uphill and leads "
    "downhill. Before the entry tooth at Stone Gill the train stops dead, the fireman looks at "
    "the pinions, and the driver enters at walking pace.",
    "At most two carriages may be taken up the rack by a steam engine, and one by the railcar. The "
    "brake is tested at the stop board every time: the driver makes a full application and the "
    "guard answers with one green flag.",
    "If the pinion rides up on the teeth, stop at once and do not reverse. Send for the rack gang; "
    "they bring the lifting jacks from Stone Gill.",
    "## 4.4 Bell and whistle codes",
    "One long blast: attention. Two short: start. Three short: brakes on by hand. A continuous "
    "series of short blasts: emergency, everybody stops. From the guard to the driver on the "
    "bell, three beats mean that a passenger has been left behind.",
    "## 4.5 Fog",
    "When the distant board cannot be seen from 90 metres, the fog signalman is called out and "
    "places two detonators, 200 metres before the home signal. Nobody under eighteen may handle "
    "detonators. The tin holds ten; it is counted back in at the end of the turn.",
    "\f",
    "## 4.6 Failure of a train in section",
    "The guard protects the train in the rear with three detonators 20 metres apart, the first at "
    "300 metres, and then telephones from the nearest lineside box. The boxes stand at every whole "
    "kilometre and are painted yellow.",
    "An assisting engine may be sent in only after the driver of the failed train has given "
    "up the staff to it, or has told the controller by telephone where exactly the train "
    "stands and that it will not move.",
    "## 4.7 Who may drive",
    "A driver on the adhesion section needs two years as a passed fireman, sixty turns, and an "
    "examination by the traction inspector. For the rack there is a second examination after "
    "thirty rack turns under supervision. The licence lasts three years.",
    "Trainees on the footplate must be at least eighteen years old.",
]

ANNUAL_REPORT: list[Block] = [
    "# Tarrenfell Railway Trust: annual report 2023",
    "## From the chair",
    "It rained on sixty-one of the two hundred and twelve days on which trains ran, and still "
    "61,400 visitors travelled with us or came to the museum, four per cent more than in the year "
    "before. I thank staff and volunteers, who gave 41,800 hours. Cornelia Hask.",
    "## Trains",
    "We ran 1,486 trains and cancelled 37, most of them in the October floods, when the river "
    "washed out eighty metres of embankment below Cray Mill. Traffic was restored after sixteen "
    "days. Ninety-one per cent of trains reached their terminus within five minutes of time.",
    "Fellside ran 9,870 km and Curlew 8,140 km. Coal now costs us £412 a tonne, after £287 two "
    "years ago; the trial with compressed biomass briquettes in July was not a success, because "
    "the ash melted on the grate.",
    "## Museum",
    "The exhibition 'Paintings Underground', about the pictures hidden on the fell in the war, was "
    "opened on 6 May by the poet Wilhelmina Oake. The museum took in 214 objects, of which 180 "
    "were photographs from the estate of the schoolmaster Alban Tice. The roof of the carriage "
    "shed remains our worry; a new one would cost about £190,000.",
    "\f",
    "## Money",
    [
        ["", "2023 (£)", "2022 (£)"],
        ["Income", "1,506,000", "1,391,000"],
        ["Expenditure", "1,346,000", "1,322,000"],
        ["Surplus to reserve", "160,000", "69,000"],
        ["Reserve at 31 December", "612,000", "452,000"],
    ],
    "The board's policy is to hold six months of running costs in reserve. We are not there yet.",
    "The Northern Heritage Fund granted £210,000 towards the tunnel in December 2023; it will be "
    "paid when the works begin.",
    "## Nature",
    "With the county wildlife trust we manage eleven hectares beside the line. Sheep are kept out "
    "until August. Globe flower was found again at Stone Gill after thirty years, and the number "
    "of juniper bushes planted has reached 1,500.",
    "## The year ahead",
    "In 2024 we shall mark fifty years since the first train of the society with a week of events "
    "from 20 to 27 May. We hope to order a second hybrid railcar, for which £380,000 has to be "
    "found, and to start a foundation course in boilersmithing with Brackwater College.",
]

HANDBOOK: list[Block] = [
    "# Volunteer handbook",
    "Welcome. This little book tells you what you need in your first year. The person to ask is "
    "the volunteer coordinator, Henrike Dallow, in the office above the booking hall at Hollin "
    "Bridge.",
    "## Joining",
    "You may join from the age of fourteen. Under eighteen you work only in daylight and with a "
    "named adult, and a parent signs the form. Membership costs £24 a year, £10 for the young and "
    "for students.",
    "Everybody begins with the safety day, held on the first Saturday of February, April, June and "
    "October at Langrigg. You then receive a track-side card, valid for two years.",
    "## What you can do",
    [
        ["post", "minimum age", "training", "turns before you work alone"],
        ["Platform steward", "14", "half a day", "2"],
        ["Booking clerk", "16", "2 days", "4"],
        ["Guard", "20", "6 days and examination", "12"],
        ["Cleaner (locomotives)", "16", "1 day", "3"],
        ["Fireman", "18", "10 days and examination", "30"],
        ["Museum guide", "16", "2 days", "3"],
    ],
    "Footplate trainees may start at sixteen with their parents' consent.",
    "## Clothes",
    "On the track: orange vest, boots with ankle support and steel caps, no hoods. On the "
    "footplate: cotton overalls, never anything synthetic, because it melts. Guards wear the grey "
    "jacket with the brass badge; the Trust lends it against a deposit of £30.",
    "\f",
    "## Staying overnight",
    "The bunkhouse at Langrigg has 18 beds in four rooms. A night costs £6, bedding not included. "
    "Book with Mrs Postlethwaite by the Thursday before. Boots stay in the porch; the last one up "
    "banks the stove. There is no mobile signal; the landline is for emergencies and for ringing "
    "home on Sundays.",
    "## Food",
    "On days with trains a hot lunch is served in the mess room from 12:15 to 13:30 for £4. "
    "Tell the cook of allergies on the list by the door before ten o'clock.",
    "## If you are hurt",
    "Say so at once, however small it is. First-aid boxes hang in the mess room, in every guard's "
    "compartment and in the museum shop. Every injury is entered in the accident book, which is "
    "kept at the controller's desk. The nearest hospital with a casualty ward is at Brackwater, "
    "23 km away.",
    "## Leaving the line tidy",
    "No smoking in carriages, in the workshop, or within ten metres of the oil store. Nothing from "
    "the line is a souvenir: bolts and keys have a habit of being needed.",
    "## Complaints",
    "Talk to your head of department first. If that does not help, write to the trustee for "
    "volunteers, Hilary Mountjoy, who answers within fourteen days.",
]

WASHOUT: list[Block] = [
    "# Boiler washout: procedure for rack engines",
    "Document WS-07, issue 3, 9 January 2024. Prepared by N. Farrow, checked by G. Postlethwaite.",
    "## When",
    "Every 240 hours in steam or every 30 days, whichever comes first, and before any examination "
    "by the boiler inspector.",
    "## Before you begin",
    "- The fire has been out for at least 36 hours. The shell must be cool enough to lay your "
    "palm on it for ten seconds.",
    "- Hang the red board 'Boiler open' on the regulator handle.",
    "- Open the blow-down valve slowly. Never blow down a boiler above 2 bar.",
    "## Steps",
    "- Take out the eleven washout plugs, beginning at the top. Put each on the numbered tray.",
    "- Wash with the hose at 7 bar from the front tube plate backwards. Use the bent nozzle for "
    "the crown sheet.",
    "- Rake the mud out through the foundation ring holes. Weigh it: more than 4 kg means that "
    "the water treatment is wrong, and the civil engineer has to be told.",
    "- Look at the stays with the mirror and lamp. Any stay that weeps rust is marked with chalk.",
    "- Replace both fusible plugs every second washout, or earlier if the lead shows more than "
    "1 mm of wastage.",
    "- Coat the threads with graphite paste, never with tape. Tighten the plugs by hand, then a "
    "quarter turn with the key.",
    "- Fill with treated water to three quarters of the glass.",
    "## Warming up",
    "Raise steam slowly: not more than 2 bar in the first four hours. Tighten nothing under "
    "pressure.",
    "## Record",
    [
        ["entry", "who signs", "kept for"],
        ["Washout sheet", "boilersmith", "7 years"],
        ["Weight of mud", "boilersmith", "7 years"],
        ["Plug renewal", "works foreman", "life of the boiler"],
    ],
]

MINUTES_FEBRUARY: list[Block] = [
    "# Tarrenfell Railway Trust: minutes of the board, 13 February 2024",
    "Present: Cornelia Hask (chair), Imogen Sarrat, Rosalind Achterberg, Desmond Pryke "
    "(treasurer), Hilary Mountjoy, Dr Leonie Vask. Apologies: Tomas Brandreth.",
    "## 1. Budget",
    "The budget for 2024 was adopted with five votes to one. Ms Mountjoy voted against because "
    "nothing is set aside for the bunkhouse roof.",
    "## 2. Fares",
    "The adult return to the summit rises from £26 to £28. The treasurer expects £44,000 more "
    "from it. Fares for children stay as they are, as do bicycles.",
    "## 3. Online booking",
    "The contract with Ticketloom ends in April. The new supplier is Platzwart, at 2.9 % of each "
    "sale instead of 4.5 %. Ms Sarrat leads the change.",
    "## 4. Level crossing at Beck Lane",
    "The county wants lights and a bell, at our cost of £86,000. The board offers to close the "
    "crossing to cars and keep it for walkers. Ms Achterberg negotiates and reports in May.",
    "## 5. Museum",
    "Dr Vask asked for a dehumidifier for the reading room. Granted, up to £3,200. The gallery's "
    "loan of the crate was extended to 2030.",
    "## 6. Names",
    "The diesel shunter has been called Boggart since 1990 without any decision. The board now "
    "decides it, unanimously and to applause.",
    [
        ["action", "who", "by"],
        ["Sign contract with Platzwart", "I. Sarrat", "15 March"],
        ["Reply to the county about Beck Lane", "R. Achterberg", "30 April"],
        ["Buy dehumidifier", "L. Vask", "31 March"],
        ["Insurance tender", "D. Pryke", "1 June"],
    ],
]

CONSERVATION: list[Block] = [
    "# Conservation policy of the Osmer museum",
    "Adopted by the board on 11 October 2022. To be reviewed in October 2027. Author: Dr Leonie "
    "Vask, archivist and keeper.",
    "## Principles",
    "We keep things as they were last used, not as they left the factory. Dirt that tells a story "
    "stays. Any treatment must be reversible and is written in the object's file with a "
    "photograph before and after.",
    "## Climate",
    "The archive is held between 16 and 18 °C and 45 to 50 per cent relative humidity. In the main "
    "hall, which is not heated, loggers record every fifteen minutes and the keeper reads them on "
    "Mondays.",
    "## Light",
    "Drawings and textiles: not more than 50 lux, and not on show for more than four months in "
    "two years. The viaduct drawings are therefore shown two sheets at a time.",
    "## Running old machines",
    "No. 1 Merriden will not be steamed again. Its boiler would have to be replaced, and more than "
    "half of what makes it the engine of 1896 would be lost.",
    "## Lending",
    "Objects are lent only to museums with a guard at night. Loans are decided by the keeper up "
    "to a value of £5,000 and by the board above.",
    "## Disposal",
    "Nothing given to the museum is sold. What we cannot keep is first offered back to the giver, "
    "then to other museums. Duplicates of photographs may go to schools.",
    "## Pests",
    "Sticky traps lie along the walls and are counted every quarter. Woodworm in the hospital "
    "coach was treated by freezing in 2017, at -30 °C for three days.",
]

PDF_TEXTS: dict[str, tuple[str, list[Block]]] = {
    "operations/rule-book-part-4.pdf": ("Rule book, part 4: working the single line", RULEBOOK),
    "board/annual-report-2023.pdf": ("Annual report 2023", ANNUAL_REPORT),
    "volunteers/handbook.pdf": ("Volunteer handbook", HANDBOOK),
}
DOCX_TEXTS: dict[str, tuple[str, list[Block]]] = {
    "depot/boiler-washout.docx": ("Boiler washout: procedure for rack engines", WASHOUT),
    "board/minutes-2024-02-13.docx": ("Minutes of the board, 13 February 2024", MINUTES_FEBRUARY),
    "museum/conservation-policy.docx": ("Conservation policy", CONSERVATION),
}
