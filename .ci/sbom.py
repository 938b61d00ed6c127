"""A bill of materials (CycloneDX 1.6) of what a lock file pins, with its hashes.

python .ci/sbom.py requirements.lock > sbom.cdx.json
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from hashlib import sha256
from pathlib import Path
from typing import Any

_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def bill(lock: str) -> dict[str, Any]:
    """Every pinned package; several hashes, one a file that the index has of it."""
    pins = list(_PIN.finditer(lock))
    ends = [pin.start() for pin in pins[1:]] + [len(lock)]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.UUID(sha256(lock.encode()).hexdigest()[:32])}",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "crag-cli"}},
        "components": [
            {
                "type": "library",
                "name": pin[1],
                "version": pin[2],
                "purl": f"pkg:pypi/{pin[1].lower().replace('_', '-')}@{pin[2]}",
                "externalReferences": [
                    {
                        "type": "distribution",
                        "url": f"https://pypi.org/project/{pin[1]}/{pin[2]}/",
                        "hashes": [
                            {"alg": "SHA-256", "content": found}
                            for found in _HASH.findall(lock[pin.end() : end])
                        ],
                    }
                ],
            }
            for pin, end in zip(pins, ends, strict=True)
        ],
    }


if __name__ == "__main__":
    json.dump(bill(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.stdout, indent=1)
