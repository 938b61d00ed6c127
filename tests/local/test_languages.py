"""Documents and questions in other languages, written with spaces or without."""

import pytest

FILES = {
    "灯塔.md": "# 桑德霍姆灯塔\n\n灯塔于1874年首次点亮。红砖塔高38米。\n\n"
    "最后一位守塔人玛尔塔于1983年离开了小岛。\n",
    "面包店.md": "# 面包店\n\n面包店早上五点半开门，星期一休息。\n\n"
    "酸面团在烘烤前要静置18个小时。\n",
    "図書館.md": "# 図書館\n\n利用者は一度に十二冊まで本を借りることができます。"
    "貸出期間は四週間です。\n\n閲覧室は二階にあります。\n",
    "プール.md": "# プール\n\nプールの水温は26度です。水質は二時間ごとに検査されます。\n\n"
    "初心者の教室は水曜日の夜に開かれます。\n",
    "brücke.md": "# Brücke\n\nDer Steg wurde nach dem Hochwasser von 2016 gesperrt.\n\nDie neue "
    "Brücke wird aus Lärche gebaut und trägt fünf Tonnen.\n",
}


@pytest.mark.parametrize(
    ("question", "source", "held"),
    [
        ("灯塔是哪一年首次点亮的？", "灯塔.md", "1874"),
        ("面包店早上几点开门？", "面包店.md", "五点半"),
        ("酸面团要静置多少个小时？", "面包店.md", "18"),
        ("一度に何冊の本を借りることができますか？", "図書館.md", "十二冊"),
        ("初心者の教室はいつ開かれますか？", "プール.md", "水曜日"),
        ("Aus welchem Holz wird die neue Brücke gebaut?", "brücke.md", "Lärche"),
        ("Wovon sind Brücken gemacht?", "brücke.md", "Lärche"),
    ],
)
def test_a_question_is_answered_from_the_document_in_its_language(session, question, source, held):
    answer = session.ask(question)
    assert answer["status"] == "answered"
    assert answer["citations"][0]["source"] == source
    assert held in answer["citations"][0]["passage"]
