"""What a dishonest service could do: write a transcript anew, with its own key, and everything in it that follows."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from engine.log import BEFORE_FIRST, Opening, canonical, chained, decode, marks, seal
from engine.transcript import Stored, write_transcript
from service.receipts import sign_head, sign_receipt
from tests.stage import Stage

Change = Callable[[list[dict[str, Any]], dict[int, Any]], None]


def forge(stage: Stage, lines: Sequence[bytes], change: Change) -> list[bytes]:
    """The transcript as it would be had the service written this in the first place.

    `change` is given the entries and the hidden values by number, and changes them; seals, hashes and receipts are made
    anew. What players signed, nobody else can.
    """
    first, *body, end = (json.loads(line) for line in lines)
    said = json.loads(decode(end["receipt"].split(".")[1]))
    forms = [line["entry"] for line in body]
    salts = {opening["number"]: decode(opening["salt"]) for line in body for opening in line["openings"]}
    values = {opening["number"]: opening["value"] for line in body for opening in line["openings"]}
    numbers = {form["seq"]: [it["number"] for it in line["openings"]] for form, line in zip(forms, body, strict=True)}
    change(forms, values)
    head, entries = BEFORE_FIRST, []
    with stage.app.app_context():
        for seq, form in enumerate(forms):
            opened = [Opening(number, values[number], salts[number]) for number in numbers.get(form["seq"], ())]
            form["seq"] = seq
            for name, mark in marks(form):
                if mark["number"] in values and name == "$seal":
                    mark["seal"] = seal(form["match"], mark["number"], values[mark["number"]], salts[mark["number"]])
                elif "value" in mark:
                    mark["value"] = values[mark["number"]]
            head = chained(head, canonical(form))
            entries.append((Stored(form, head, sign_head(form["match"], seq + 1, head, form["at"])), opened))
        return list(
            write_transcript(
                first["match"], first["seat"], first["keys"], entries, said["turn_since"],
                lambda said: sign_receipt("ogham-transcript+jws", said),
            )
        )  # fmt: skip
