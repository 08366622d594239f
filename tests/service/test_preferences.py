"""What a player may choose for themselves."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from client.errors import Problem
from service.preferences import PREFERENCES
from tests.stage import Stage

ROOT = Path(__file__).parents[2]


def test_each_preference_is_documented_with_its_default_and_meaning() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \| (.+?) \|$", (ROOT / "docs/preferences.md").read_text(), re.MULTILINE)
    documented = {name: (json.loads(default), meaning) for name, default, meaning in rows}
    assert documented == {name: (one.default, one.meaning) for name, one in PREFERENCES.items()}


@pytest.mark.parametrize("name", PREFERENCES)
def test_a_default_is_allowed_and_nonsense_is_not(name: str) -> None:
    preference = PREFERENCES[name]
    assert preference.allows(preference.default)
    for nonsense in ("no such thing", 3.5, {"a": object()}, [None], 10**9, "\0", "../etc"):
        assert not preference.allows(nonsense), nonsense


def test_preferences_are_changed_all_or_none_and_put_back(stage: Stage) -> None:
    ann = stage.person("Ann").client
    assert ann.preferences() == {name: one.default for name, one in PREFERENCES.items()}
    assert ann.preferences(zone="Europe/Berlin")["zone"] == "Europe/Berlin"
    for wrong in ({"zone": "Mars"}, {"zone": "UTC", "no such": 1}, {"zone": 1}):
        with pytest.raises(Problem, match="preference") as refused:
            ann.preferences(**dict[str, Any](wrong))
        assert refused.value.code == "preference_invalid"
    assert ann.preferences()["zone"] == "Europe/Berlin"
    assert ann.preferences(zone=None)["zone"] == "UTC"


def test_preferences_are_ones_own(stage: Stage) -> None:
    ann, ben = stage.person("Ann").client, stage.person("Ben").client
    ann.preferences(zone="Europe/Berlin")
    assert ben.preferences()["zone"] == "UTC"
    with pytest.raises(Problem, match="bearer"):
        stage.watcher().preferences()
