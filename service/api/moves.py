"""Moves: signed submissions and their verdicts."""

import re
import threading
import time
from typing import Any

import marshmallow as ma
from flask import Flask, Response, current_app, jsonify, request, url_for
from marshmallow import validate

from service.api.problems import ProblemSchema, problem, respond
from service.api.resource import BEARER, Resource, signed_in
from service.errors import NotAllowed
from service.moves import accept_signed, find_submission
from service.parts import timestamp
from service.store.db import db
from service.store.logbook import receipt_of
from service.store.tables import Submission

blueprint = Resource("moves", __name__, url_prefix="/v1", description="Signed moves and their verdicts")

LONGEST_WAIT = 10.0


class NewSubmissionSchema(ma.Schema):
    submission = ma.fields.String(
        required=True,
        metadata={"description": "compact JWS, typ ogham-move+jws: match, seat, seq, head, moves, jti, iat"},
    )


class PlayedSchema(ma.Schema):
    line = ma.fields.String(required=True, metadata={"description": "as it was sent"})
    move = ma.fields.String(required=True, metadata={"description": "in canonical notation"})
    seq = ma.fields.Integer(required=True, metadata={"description": "its entry in the log"})


class VerdictSchema(ma.Schema):
    played = ma.fields.List(ma.fields.Nested(PlayedSchema), required=True)
    problem = ma.fields.Nested(
        ProblemSchema, required=True, allow_none=True, metadata={"description": "why the next line couldn't be played"}
    )
    kept = ma.fields.List(
        ma.fields.String(),
        required=True,
        metadata={
            "description": "lines that wait until others have answered; status is `kept` as long as there are any"
        },
    )
    dropped = ma.fields.List(ma.fields.String(), required=True, metadata={"description": "the lines after that one"})
    seq = ma.fields.Integer(required=True, metadata={"description": "the length of the log after it"})
    head = ma.fields.String(required=True)
    receipt = ma.fields.String(
        required=True, allow_none=True, metadata={"description": "that head, signed by the service (ogham-head+jws)"}
    )


class SubmissionSchema(ma.Schema):
    id = ma.fields.String(required=True)
    match = ma.fields.String(required=True)
    seat = ma.fields.Integer(required=True)
    status = ma.fields.String(required=True, validate=validate.OneOf(["waiting", "kept", "done"]))
    received_at = ma.fields.String(required=True)
    receipt = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "signed by the service (ogham-received+jws): hash of the submission, time received"},
    )
    verdict = ma.fields.Nested(VerdictSchema, required=True, allow_none=True)


def _told(submission: Submission) -> dict[str, Any]:
    verdict = submission.verdict
    if verdict is not None:
        answer = {"problem": _problem(verdict)} if verdict["problem"] is not None else {}
        verdict = verdict | answer | {"receipt": receipt_of(submission.match_id, verdict["seq"])}
    return {
        "id": submission.id,
        "match": submission.match_id,
        "seat": submission.seat,
        "status": submission.status,
        "received_at": timestamp(submission.received_at),
        "receipt": submission.receipt,
        "verdict": verdict,
    }


def _problem(verdict: dict[str, Any]) -> dict[str, Any]:
    return problem(**verdict["problem"], seq=verdict["seq"], head=verdict["head"])


@blueprint.post("/matches/<string:match_id>/moves")
@blueprint.arguments(NewSubmissionSchema)
@blueprint.response(202, SubmissionSchema)
@blueprint.alt_response(
    200, schema=SubmissionSchema, description="With `Prefer: wait=N`: settled, at least one line played"
)
@blueprint.doc(
    parameters=[
        {
            "in": "header",
            "name": "Prefer",
            "schema": {"type": "string"},
            "description": "`wait=N`, up to 10 seconds: the verdict itself is the response, if it comes in time",
        }
    ]
)
def submit(body: dict[str, Any], match_id: str) -> Response:
    """Send a signed move, or several. The same submission again gets the same answer."""
    submission = accept_signed(match_id, body["submission"])
    wait = _preferred_wait()
    if wait:
        submission = _wait_for(submission, wait)
    verdict = submission.verdict
    if wait and verdict is not None:
        if verdict["problem"] is not None and not verdict["played"]:
            return respond(_problem(verdict))
        answer = jsonify(SubmissionSchema().dump(_told(submission)))
        answer.headers["Preference-Applied"] = "wait"
        return answer
    answer = jsonify(SubmissionSchema().dump(_told(submission)))
    answer.status_code = 202
    answer.headers["Location"] = url_for("moves.get_submission", submission_id=submission.id)
    return answer


@blueprint.get("/submissions/<string:submission_id>")
@blueprint.response(200, SubmissionSchema)
@blueprint.doc(security=BEARER)
def get_submission(submission_id: str) -> dict[str, Any]:
    """A submission of yours and, once it is settled, its verdict."""
    player = signed_in()
    submission = find_submission(submission_id)
    if submission.player_id != player.id:
        raise NotAllowed("not_yours", "This submission is another player's.")
    return _told(submission)


def _preferred_wait() -> float:
    found = re.search(r"(?:^|[,;\s])wait=(\d{1,3})\b", request.headers.get("Prefer", ""))
    return min(float(found[1]), LONGEST_WAIT) if found else 0.0


def _wait_for(submission: Submission, seconds: float) -> Submission:
    """The submission once it is settled, or as it is when the time is up. At most half of the threads wait at once."""
    places: threading.Semaphore = current_app.extensions["ogham-waiting"]
    if not places.acquire(blocking=False):
        return submission
    try:
        until, pause = time.monotonic() + seconds, 0.005
        while submission.status == "waiting" and time.monotonic() < until:
            db.session.commit()
            time.sleep(pause)
            pause = min(pause * 1.5, 0.1)
            submission = find_submission(submission.id)
        return submission
    finally:
        places.release()


@blueprint.record
def _prepare(setup: Any) -> None:
    app: Flask = setup.app
    threads = app.extensions["ogham"].settings.threads
    app.extensions["ogham-waiting"] = threading.Semaphore(max(1, threads // 2))
