"""A writer of OLE compound files, enough for readers of old Office formats to be tested.

Every stream is padded to 4096 bytes, so that no mini stream is needed.
"""

from __future__ import annotations

import struct

SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(streams: dict[str, bytes]) -> bytes:
    """The bytes of a compound file with these streams in its root."""
    bodies = {name: body.ljust(4096, b"\0") for name, body in streams.items()}
    bodies = {name: body + b"\0" * (-len(body) % SECTOR) for name, body in bodies.items()}
    entries = 1 + len(bodies)
    directory_sectors = -(-entries * 128 // SECTOR)
    sectors = directory_sectors + sum(len(body) // SECTOR for body in bodies.values())
    fat_sectors = 1
    while fat_sectors * 128 < sectors + fat_sectors:
        fat_sectors += 1
    assert fat_sectors <= 109
    fat = [FAT] * fat_sectors
    starts: list[int] = []

    def chain(count: int) -> int:
        start = len(fat)
        fat.extend([*range(start + 1, start + count), END])
        return start

    directory_start = chain(directory_sectors)
    starts = [chain(len(body) // SECTOR) for body in bodies.values()]
    fat += [FREE] * (fat_sectors * 128 - len(fat))

    directory = entry("Root Entry", 5, child=1, start=END, size=0)
    for index, (name, body) in enumerate(bodies.items(), 1):
        right = index + 1 if index < len(bodies) else FREE
        start = starts[index - 1]
        directory += entry(name, 2, right=right, start=start, size=len(body))
    directory += (entry("", 0) * 4)[: directory_sectors * SECTOR - len(directory)]

    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    header += struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + b"\0" * 6
    header += struct.pack("<9I", 0, fat_sectors, directory_start, 0, 4096, END, 0, END, 0)
    difat = [*range(fat_sectors), *[FREE] * (109 - fat_sectors)]
    header += struct.pack("<109I", *difat)
    return header + struct.pack(f"<{len(fat)}I", *fat) + directory + b"".join(bodies.values())


def entry(
    name: str, kind: int, *, right: int = FREE, child: int = FREE, start: int = 0, size: int = 0
) -> bytes:
    encoded = name.encode("utf-16-le")
    length = len(encoded) + 2 if name else 0
    return (
        encoded.ljust(64, b"\0")
        + struct.pack("<HBB3I", length, kind, 1, FREE, right, child)
        + b"\0" * 36
        + struct.pack("<IQ", start, size)
    )
