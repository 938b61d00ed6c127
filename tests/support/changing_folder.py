"""A folder whose files change at random, and every text that they ever had."""

import random
from pathlib import Path

WORDS = ["valve", "pump", "rotor", "seal", "bearing", "flange", "gasket", "boiler", "relay"]


class Folder:
    """Files that change; `versions` is every text that a file ever had."""

    def __init__(self, path: Path, dice: random.Random) -> None:
        self.path = path
        self.dice = dice
        self.texts: dict[str, str] = {}
        self.versions: dict[str, set[str]] = {}
        self.count = 0
        path.mkdir()

    def write(self, name: str) -> None:
        self.count += 1
        paragraphs = [
            f"# Sheet {self.count}\n",
            *(
                " ".join(self.dice.choices(WORDS, k=60)).capitalize() + f" {self.count}-{number}.\n"
                for number in range(self.dice.randint(1, 16))
            ),
        ]
        self.put(name, "\n".join(paragraphs) + f"\nThe mark is mark{self.count}x.\n")

    def put(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)
        self.texts[name] = text
        self.versions.setdefault(name, set()).add(text)

    def change(self) -> None:
        """Change, add, move and remove some files."""
        for name in self.dice.sample(sorted(self.texts), 8):
            self.write(name)
        for _ in range(4):
            self.write(f"new{self.count}.md")
        moved, *removed = self.dice.sample(sorted(self.texts), 4)
        self.put(f"moved{self.count}.md", self.texts[moved])
        for name in (moved, *removed):
            (self.path / name).unlink()
            del self.texts[name]
