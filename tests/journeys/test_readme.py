"""The README's first move works as it is written, in order: its commands in a shell, its answers in the mailbox."""

import os
import re
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.journeys.houses import BIN, ROOT, Embedded, embedded_house, until


def first_move() -> list[str]:
    """What a reader does: `$ command` for a line of a console block, `answer WORD` for a mail to be answered."""
    section = (ROOT / "README.md").read_text().partition("### Your first move")[2].partition("\n## ")[0]
    steps: list[str] = []
    for block in re.split(r"```console\n(.*?)```", section, flags=re.DOTALL)[0:]:
        if block.startswith((". ", "ogham ")):
            steps += [f"$ {line}" for line in block.strip().splitlines()]
        else:
            steps += [f"answer {word}" for word in re.findall(r"answer (?:it|the mail)\s+with\s+`([^`]+)`", block)]
    return steps


def answer_newest(house: Embedded, typed: str) -> None:
    """As a browser would: open the mailbox, open the newest mail, fill in the form."""
    with httpx.Client(base_url=house.url, headers={"Origin": house.url}, follow_redirects=True) as browser:
        newest = re.findall(r'href="/mailbox/(\w{20})', browser.get("/mailbox").text)[0]
        page = browser.get(f"/mailbox/{newest}")
        assert page.status_code == 200
        browser.post(f"/mailbox/{newest}/reply", data={"text": typed}).raise_for_status()


@pytest.mark.timeout(90)
def test_the_first_move_works_as_the_readme_says(tmp_path: Path) -> None:
    steps = first_move()
    assert [step.partition(" ")[0] for step in steps] == ["$", "$", "$", "answer", "$", "answer", "$", "$", "answer"]
    with embedded_house(tmp_path) as house:
        environment = os.environ | {"OGHAM_URL": house.url, "OGHAM_HOME": str(tmp_path / "home")}
        environment["PATH"] = f"{BIN}:{environment['PATH']}"  # what activating does, wherever the tests' Python is
        match_id = ""
        for step in steps:
            kind, _, what = step.partition(" ")
            before = count_letters(house)
            if kind == "answer":
                answer_newest(house, what)
            else:
                said = "" if what.startswith(". ") else run(what.replace("MATCH", match_id), environment)
                match_id = said.split()[0] if what.startswith("ogham open") else match_id
            if kind == "answer" or what.startswith(("ogham register", "ogham open", "ogham play")):
                until(lambda before=before: count_letters(house) > before, f"the mail after: {step}")
        log = subprocess.run(
            [BIN / "ogham", "log", match_id, "--check"], env=environment, capture_output=True, text=True, check=True
        )
        assert [line.split()[:3] for line in log.stdout.splitlines()][4:] == [["4", "moved", "0"], ["5", "moved", "1"]]


def run(command: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, shell=True, check=False, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def count_letters(house: Embedded) -> int:
    return sum(len(house.letters(f"{name}@example.org")) for name in ("ann", "ben"))
