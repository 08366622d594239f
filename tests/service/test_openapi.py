"""openapi.yaml is what the API does, and the API does what openapi.yaml says."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from engine.errors import Ambiguous, Unreadable
from ogham.grown import openapi_yaml
from service.api.problems import PROBLEMS
from service.app import create_app
from tests.raw import get
from tests.stage import Stage, stage_settings

ROOT = Path(__file__).parents[2]
COMMITTED = (ROOT / "openapi.yaml").read_text()
SPEC = yaml.safe_load(COMMITTED)
OPERATIONS = [f"{method} {path}" for path, item in SPEC["paths"].items() for method in item if method != "parameters"]

load_all_checks()


@schemathesis.serializer("message/rfc822")
def as_it_is(_: object, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


# -- the text


def test_what_is_committed_is_what_the_code_says() -> None:
    """If not: make openapi."""
    assert openapi_yaml() == COMMITTED


def test_it_is_valid_openapi_3_1() -> None:
    assert SPEC["openapi"].startswith("3.1")
    schemathesis.openapi.from_dict(SPEC).validate()


def test_what_is_not_valid_would_be_found() -> None:
    broken = json.loads(json.dumps(SPEC))
    broken["paths"]["/v1/games"]["get"]["responses"] = []
    with pytest.raises(jsonschema_rs.ValidationError):
        schemathesis.openapi.from_dict(broken).validate()


def test_every_route_is_in_it_and_no_other() -> None:
    rules = create_app(stage_settings("sqlite://")).url_map.iter_rules()
    routes = {
        method.lower() + " " + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for rule in rules
        if rule.rule.startswith("/v1/") and rule.endpoint.partition(".")[0] != "api-docs"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert set(OPERATIONS) == routes


def test_every_operation_is_described_and_says_that_it_may_refuse() -> None:
    for method, path in map(str.split, OPERATIONS):
        operation = SPEC["paths"][path][method]
        assert operation["summary"], path
        assert operation["responses"]["default"]["$ref"] == "#/components/responses/DEFAULT_ERROR"


def test_what_is_referred_to_is_there_and_all_of_it_is_referred_to() -> None:
    kinds = {kind: parts for kind, parts in SPEC["components"].items() if kind != "securitySchemes"}
    parts = {f"#/components/{kind}/{name}" for kind in kinds for name in kinds[kind]}
    assert set(re.findall(r"\$ref: '?([^'\s]+)", COMMITTED)) == parts


def test_the_service_serves_it(shared_stage: Stage) -> None:
    assert get(shared_stage.app, "/v1/openapi.json").get_json() == SPEC


# -- the codes


def test_every_problem_code_is_documented_and_no_other() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d{3}) \| .+ \| .+ \|$", (ROOT / "docs/problems.md").read_text(), re.MULTILINE)
    assert [(code, int(status)) for code, status in rows] == [(code, status) for code, (status, _) in PROBLEMS.items()]


def test_every_problem_code_is_raised_somewhere() -> None:
    source = "".join(file.read_text() for file in sorted((ROOT / "service").rglob("*.py")))
    from_the_engine = {f"move_{error.code}" for error in (Unreadable, Ambiguous)}
    for code in set(PROBLEMS) - from_the_engine:
        assert source.count(f'"{code}"') > 1, code


# -- the running API


@pytest.fixture(scope="module")
def stage(shared_stage: Stage) -> Stage:
    return shared_stage


@pytest.fixture(scope="module")
def known(stage: Stage) -> dict[str, str]:
    """Ids that exist, so that not every request is for nothing; and a token."""
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, "hands")
    sent = people[0].client.submit(match_id, ["let"], wait=0)
    stage.work()
    assert people[0].client.identity
    return {
        "match_id": match_id,
        "game_id": "hands",
        "submission_id": sent["id"],
        "kid": people[0].client.identity.kid,
        "registration_id": "any",
        "secret": people[0].client.calendar().rpartition("/")[2].removesuffix(".ics"),
        "token": people[0].client._bearer()["Authorization"],
    }


MODES = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
CHECKS = [
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]


@pytest.mark.parametrize("who", ["nobody", "a player"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_whatever_is_asked_the_answer_is_as_described(
    stage: Stage, known: dict[str, str], operation: str, who: str
) -> None:
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", stage.app)
    method, path = operation.split()
    asked = schema[path][method.upper()]
    headers = {"Authorization": known["token"]} if who == "a player" else {}

    @settings(suppress_health_check=list(HealthCheck), max_examples=min(settings().max_examples // 2, 400))
    @given(case=st.one_of(*(asked.as_strategy(generation_mode=mode) for mode in MODES)), real=st.booleans())
    def ask(case: Any, real: bool) -> None:
        if real:
            case.path_parameters = {name: known[name] for name in case.path_parameters or {}}
            if isinstance(case.body, dict) and "game" in case.body:
                case.body |= {"game": "hands", "seats": 2}
        answer = case.call(headers=headers)
        assert answer.status_code < 500, answer.text
        case.validate_response(answer, checks=CHECKS)

    ask()
