"""Documentation under test: what the pages say of notation, settings and files is so."""

import re
from pathlib import Path

import pytest

from engine.games import GAMES
from service.settings import VARIABLES

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "deploy/README.md", *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.id)
def test_every_spelling_in_the_notation_page_is_read_as_it_says(game: object) -> None:
    title = game.info.title.partition(":")[0]  # type: ignore[attr-defined]
    section = (ROOT / "docs/notation.md").read_text().partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", section, flags=re.MULTILINE)
    assert rows
    for canonical, others in rows:
        forms = [re.findall(r"`([^`]+)`", part) for part in canonical.split(" / ")]
        spellings = [re.findall(r"`([^`]+)`", part) for part in (others.split(" / ") if len(forms) > 1 else [others])]
        for (form,), alike in zip(forms, spellings, strict=True):
            for line in (form, *alike):
                assert game.notate(game.parse(line, None)) == form, line  # type: ignore[attr-defined]


def test_every_setting_is_in_the_operations_page_with_its_default() -> None:
    page = (ROOT / "docs/operations.md").read_text()
    told = re.findall(r"^\| `(\w+)` \| (?:`(.*?)`|–) \|", page, flags=re.MULTILINE)
    assert dict(told) == {name: default for name, (default, _) in VARIABLES.items()}


def test_every_link_between_the_pages_leads_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_test_that_the_readme_names_is_there() -> None:
    section = (ROOT / "README.md").read_text().partition("## What you can rely on")[2].partition("\n## ")[0]
    named = re.findall(r"`((?:journeys|service|mail|contracts|engine)/[\w.]*)`|`(service|mail)/`", section)
    assert named
    for path in {first or second for first, second in named}:
        assert (ROOT / "tests" / path).exists(), path


def test_every_environment_variable_of_the_example_is_a_setting() -> None:
    example = (ROOT / "deploy/env.example").read_text()
    assert set(re.findall(r"^([A-Z_]+)=", example, flags=re.MULTILINE)) <= set(VARIABLES)
