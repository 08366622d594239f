"""Makes the transcripts that are missing, of the newest format: `python -m tests.transcripts.make`.

Files that exist stay as they are: what was once given away must stay readable. Each number of a format has its folder.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from client.keys import Identity
from engine.transcript import FORMAT
from service.receipts import rotate_key
from service.store.db import db
from tests.stage import Person, Stage

FOLDER = Path(__file__).parent


def over(stage: Stage, ann: Person, ben: Person) -> Iterator[bytes]:
    """Keltis, from the first tile to the last, for a spectator."""
    match_id = stage.table([ann, ben], "keltis")
    stage.play_out_quickly([ann, ben], match_id)
    return stage.watcher().transcript(match_id)


def running(stage: Stage, ann: Person, ben: Person) -> Iterator[bytes]:
    """Celtica, just dealt, for a seat with a hand of its own."""
    return ann.client.transcript(stage.table([ann, ben], "celtica"))


def left(stage: Stage, ann: Person, ben: Person) -> Iterator[bytes]:
    """Celtic, a few moves, and then one leaves."""
    match_id = stage.table([ann, ben], "celtic")
    for _ in range(3):
        seat = ann.client.match(match_id)["to_act"] or 0
        offer = (ann, ben)[seat].client.legal(match_id)["moves"][0]
        line = offer["text"].format(**{gap["name"]: gap["among"][0] for gap in offer["choices"]})
        stage.play((ann, ben)[seat], match_id, line)
    ben.client.resign(match_id)
    return ben.client.transcript(match_id)


def everything(stage: Stage, ann: Person, ben: Person) -> Iterator[bytes]:
    """Hands, with a sealed shuffle, a seat taken by mail, an order, keys added and revoked, and a new key of ours."""
    match_id = ann.client.open("hands", 3, {"first_player": 0}, ["cleo@example.org"], shuffle="sealed")["id"]
    stage.work()
    stage.answer(stage.letters("cleo@example.org")[-1], "join and a few words of mine")
    for person in (ann, ben):
        person.client.join(match_id)
    for person in (ben, ann):
        person.client.open_nonce(match_id)
    stage.work()
    with stage.app.app_context():
        rotate_key()
    new, old = Identity.generate(), ann.client.identity
    assert old is not None
    ann.client.add_key(new)
    ann.client.identity = new
    ann.client.revoke_key(old.kid)
    ben.client.order(match_id, "let")
    for _ in range(5):
        match = ann.client.match(match_id)
        if match["to_act"] == 0:
            letter = stage.letters("cleo@example.org")[-1]
            stage.answer(letter, "let" if match["turn"] else _first_play(str(letter.get_body(("plain",)))))
            continue
        person = (ann, ben)[(match["to_act"] or 1) - 1]
        own = person.client.state(match_id)["view"]["hand"][0]
        line = f"play {own['colour']}{own['number']}" if match["turn"] == match["to_act"] else "let"
        stage.play(person, match_id, line)
    for person in (ann, ben):
        person.client.resign(match_id)
    return stage.watcher().transcript(match_id)


def _first_play(letter: str) -> str:
    return next(line.split("  ")[1] for line in letter.splitlines() if line.startswith("  play "))


def bots(stage: Stage, ann: Person, _: Person) -> Iterator[bytes]:
    """Hands, against two bots, to the end."""
    match_id = ann.client.open("hands", 3, {"first_player": 0, "turns": 1}, ["bot:easy", "bot:solid"])["id"]
    ann.client.join(match_id)
    stage.play_out_quickly([ann], match_id)
    return stage.watcher().transcript(match_id)


MAKERS: tuple[Callable[[Stage, Person, Person], Iterator[bytes]], ...] = (over, running, left, everything, bots)


def main() -> None:
    folder = FOLDER / str(FORMAT)
    folder.mkdir(exist_ok=True)
    for make in MAKERS:
        file = folder / f"{make.__name__}.jsonl"
        if file.exists():
            continue
        with TemporaryDirectory() as data:
            stage = Stage.build(f"sqlite:///{data}/ogham.sqlite")
            stage.moment[0] = datetime.now(UTC)
            file.write_bytes(b"".join(make(stage, stage.person("Ann"), stage.person("Ben"))))
            keys = {"keys": stage.watcher().service_keys()}
            file.with_suffix(".keys.json").write_text(json.dumps(keys, indent=1) + "\n")
            with stage.app.app_context():
                db.engine.dispose()
        print(file.name, file.stat().st_size)


if __name__ == "__main__":
    main()
