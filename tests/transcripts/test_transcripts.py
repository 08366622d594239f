"""Transcripts of every format that was ever given away: both verifiers still read them, and find them good."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from engine import log, transcript
from engine.verify import READABLE, verify
from tests.games import TEST_GAMES

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("[0-9]*/*.jsonl"))
GAMES = {game.info.id: game for game in TEST_GAMES}
SECOND: dict[str, Any] = runpy.run_path(str(FOLDER.parents[1] / "docs/examples/verify.py"))


def test_every_format_that_is_readable_has_its_transcripts() -> None:
    assert {int(file.parent.name) for file in FILES} == set(READABLE)
    assert log.FORMAT == transcript.FORMAT == max(READABLE)
    for number in READABLE:
        assert len(list((FOLDER / str(number)).glob("*.jsonl"))) >= 4


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_transcript_once_given_away_still_verifies(file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    keys = json.loads(file.with_suffix(".keys.json").read_text())["keys"]
    assert json.loads(lines[0])["format"] == json.loads(lines[1])["entry"]["format"] == int(file.parent.name)
    report = verify(lines, GAMES, keys)
    assert report.good, [str(fault) for fault in report.faults]
    second = SECOND["Transcript"]({key["kid"]: key for key in keys})
    second.read(lines)
    assert tuple(second.hashes) == report.hashes


def test_together_they_show_all_that_may_stand_in_a_log() -> None:
    text = "".join(file.read_text() for file in FILES)
    kinds = ("opened", "joined", "nonce_opened", "key_added", "key_revoked", "dealt", "moved", "resigned", "closed")
    for kind in kinds:
        assert f'"kind":"{kind}"' in text
    for grade in ("signed", "mailed", "service"):
        assert f'"grade":"{grade}"' in text
    for mark in ('"$seal"', '"$show"', '"until":"turn"', '"personal":true', '"order":', '"shuffle":"sealed"', '"bot":'):
        assert mark in text


def test_another_format_is_said_to_be_unknown() -> None:
    lines = FILES[0].read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0]) | {"format": max(READABLE) + 1}
    lines[0] = log.canonical(first) + b"\n"
    report = verify(lines, GAMES)
    assert "its format is none that is known here" in {fault.sentence for fault in report.faults}
