"""The documentation's site is built without a warning; a release's papers are what they say."""

import json
import re
import runpy

import pytest
import yaml
from readme_blocks import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
GITHUB = ROOT / ".github"


def test_the_bill_of_materials_lists_what_the_lock_pins():
    bill = runpy.run_path(str(ROOT / ".ci" / "sbom.py"))["bill"](LOCK)
    assert bill == json.loads(json.dumps(bill))
    pins = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE))
    assert {each["name"]: each["version"] for each in bill["components"]} == pins
    hashes = [h for each in bill["components"] for h in each["externalReferences"][0]["hashes"]]
    assert len(hashes) == LOCK.count("--hash=sha256:")
    assert all(each["externalReferences"][0]["hashes"] for each in bill["components"])


def test_a_release_is_attested_and_keeps_no_key():
    text = (GITHUB / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["build"]["permissions"]["attestations"] == "write"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in text
    assert "password" not in text


@pytest.mark.parametrize("workflow", sorted((GITHUB / "workflows").glob("*.yml")))
def test_what_a_workflow_uses_is_pinned_to_a_commit(workflow):
    used = re.findall(r"^.*\buses: *(.*)$", workflow.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    for each in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)
