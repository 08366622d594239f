"""The walls between the packages, and the tools that watch them: each is seen to stand, and seen to fall.

A breach is planted in a copy of the tree, and the tool must name what was broken.
"""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
PACKAGES = ("engine", "service", "worker", "client", "ogham")
OUTSIDE = PACKAGES[1:]
CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}

# Contract, file, and the line that breaks it.
BREACHES = [
    ("engine-alone", "engine/game.py", "import flask"),
    ("engine-alone", "engine/game.py", "import random"),
    ("engine-alone", "engine/events.py", "from time import time"),
    ("engine-alone", "engine/chance.py", "import rfc8785"),  # engine/log.py may
    ("engine-alone", "engine/log.py", "import joserfc"),  # engine/verify.py may
    ("engine-alone", "engine/games/planted.py", "import os"),
    ("engine-alone", "engine/errors.py", "import service.settings"),
    ("layers", "engine/errors.py", "import service.settings"),
    ("layers", "service/settings.py", "import worker"),
    ("layers", "worker/tasks.py", "import ogham"),
    ("layers", "service/settings.py", "import client"),
    ("service-without-celery", "service/settings.py", "import celery"),
    ("service-without-celery", "service/store/planted.py", "from kombu import Queue"),
    ("worker-without-routes", "worker/tasks.py", "from service import api"),
    ("worker-without-routes", "worker/planted.py", "from service.api import problems"),
    ("worker-without-routes", "worker/tasks.py", "import service.web"),
    ("client-outside", "client/__init__.py", "import service"),
    ("client-outside", "client/planted.py", "from worker import tasks"),
    ("client-outside", "client/planted.py", "import ogham"),
    ("no-game-by-name", "service/settings.py", "import engine.games.keltis"),
    ("no-game-by-name", "worker/tasks.py", "from engine.games import keltis"),
    ("no-game-by-name", "client/planted.py", "from engine.games.keltis.rules import planted"),
    ("no-game-by-name", "ogham/planted.py", "from engine.games import keltis as hidden"),
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def plant(copy: Path, name: str, line: str) -> None:
    target = copy / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text((target.read_text() if target.exists() else "") + f"\n\n{line}\n")


def run(copy: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / command[0], *command[1:]], cwd=copy, capture_output=True, text=True, check=False, timeout=100
    )


def lint_imports(copy: Path) -> tuple[int, str]:
    done = run(copy, "lint-imports", "--no-cache", "--no-logo")
    return done.returncode, " ".join((done.stdout + done.stderr).split())  # it breaks lines at any width


def test_the_tree_as_it_is_keeps_every_contract(copy: Path):
    code, said = lint_imports(copy)
    assert code == 0, said
    assert all(f"{name} KEPT" in said for name in CONTRACTS.values()), said


@pytest.mark.parametrize(("contract", "name", "line"), BREACHES)
def test_a_forbidden_import_is_found(copy: Path, contract: str, name: str, line: str):
    plant(copy, name, line)
    code, said = lint_imports(copy)
    assert code != 0
    assert f"{CONTRACTS[contract]} BROKEN" in said, said


def test_every_contract_is_broken_here_once():
    assert {contract for contract, _, _ in BREACHES} == set(CONTRACTS)


def test_the_list_of_games_is_for_everyone(copy: Path):
    plant(copy, "service/planted.py", "import engine.games")
    plant(copy, "client/planted.py", "from engine.games import GAMES")
    code, said = lint_imports(copy)
    assert code == 0, said


# ---- the engine: nothing but the standard library


ENGINE_MAY = {("engine/log.py", "rfc8785"), ("engine/verify.py", "joserfc")}


def foreign_imports(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((root / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "engine":
                    yield path.relative_to(root).as_posix(), top


def test_the_engine_imports_the_standard_library_only(copy: Path):
    assert set(foreign_imports(copy)) <= ENGINE_MAY
    plant(copy, "engine/chance.py", "import numpy.random")  # no contract lists it
    assert set(foreign_imports(copy)) - ENGINE_MAY == {("engine/chance.py", "numpy")}


# ---- no game is named outside the engine, not even in a string


def games(root: Path) -> list[str]:
    return sorted(path.parent.name for path in (root / "engine" / "games").glob("*/__init__.py"))


def named_games(root: Path) -> list[str]:
    word = re.compile(rf"(?<![a-z])({'|'.join(games(root))})(?![a-z])", re.IGNORECASE)
    files = (
        path for name in OUTSIDE for path in (root / name).rglob("*") if path.suffix in (".py", ".html", ".js", ".css")
    )
    return [path.relative_to(root).as_posix() for path in sorted(files) if word.search(path.read_text())]


@pytest.mark.parametrize("line", ["TITLE = 'A match of Keltis'", "keltis_board = 1", "# as in KELTIS"])
def test_no_game_is_named_outside_the_engine(copy: Path, line: str):
    assert "keltis" in games(copy)
    assert named_games(copy) == []
    plant(copy, "service/planted.py", line)
    plant(copy, "ogham/templates/planted.html", line)
    assert named_games(copy) == ["ogham/templates/planted.html", "service/planted.py"]


# ---- the other tools


def test_mypy_is_strict_over_all_packages(copy: Path):
    settings = tomllib.loads((copy / "pyproject.toml").read_text())["tool"]["mypy"]
    assert settings["strict"] is True
    assert settings["files"] == list(PACKAGES)
    plant(copy, "engine/planted.py", "def double(number: int) -> int:\n    return number * 2")
    done = run(copy, "mypy", "--cache-dir", copy / "cache", "engine/planted.py")
    assert done.returncode == 0, done.stdout
    plant(copy, "engine/planted.py", "def untyped(number):\n    return number")
    done = run(copy, "mypy", "--cache-dir", copy / "cache", "engine/planted.py")
    assert done.returncode == 1
    assert "no-untyped-def" in done.stdout


def test_ruff_finds_an_import_that_nobody_uses(copy: Path):
    name = "engine/planted.py"
    (copy / name).write_text('"""Planted."""\n')
    assert run(copy, "ruff", "check", "--no-cache", name).returncode == 0
    plant(copy, name, "import json")
    done = run(copy, "ruff", "check", "--no-cache", name)
    assert done.returncode == 1
    assert "F401" in done.stdout


def test_ruff_finds_code_that_is_laid_out_otherwise(copy: Path):
    plant(copy, "engine/planted.py", "ROWS = [ 1,2 ]")
    assert run(copy, "ruff", "format", "--no-cache", "--check", "engine/planted.py").returncode == 1


def test_ci_and_make_call_every_tool():
    assert "make lint test" in (ROOT / ".ci" / "run").read_text()
    recipe = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    for tool in ("ruff check", "ruff format --check", "mypy", "lint-imports"):
        assert tool in recipe


# ---- locks, and what no file may name

REQUIREMENT = re.compile(r"([a-z0-9-]+)==([^ ]+)( ; [^\\]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def faults(lock: str) -> list[str]:
    """Lines that are neither a pinned requirement nor its hash: an index, a path, a pin without a hash."""
    found, expects_hash = [], False
    for line in lock.splitlines():
        hashed = HASH.fullmatch(line)
        good = hashed if expects_hash else REQUIREMENT.fullmatch(line)
        if not good:
            found.append(line)
        expects_hash = line.endswith("\\")
    return found


def pins(name: str) -> dict[str, str]:
    text = (ROOT / "locks" / f"{name}.txt").read_text()
    return {match[1]: match[2] for match in map(REQUIREMENT.fullmatch, text.splitlines()) if match}


@pytest.mark.parametrize("name", ["run", "develop", "source"])
def test_a_lock_is_pins_with_hashes_and_nothing_else(name: str):
    assert faults((ROOT / "locks" / f"{name}.txt").read_text()) == []
    assert pins(name)


@pytest.mark.parametrize(
    "line",
    [
        "flask==3.1.3",
        "flask>=3 \\\n    --hash=sha256:" + "0" * 64,
        "--index-url https://example.com/simple",
        "flask @ file:///somewhere/flask.whl",
        "    # via -r /home/somebody/in.txt",
    ],
)
def test_a_lock_that_is_more_or_less_than_that_is_found(line: str):
    assert faults(f"{line}\n")


def test_one_lock_holds_the_other_and_both_hold_what_is_asked_for():
    run_pins, develop_pins = pins("run"), pins("develop")
    assert run_pins.items() <= develop_pins.items()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = declared["project"]
    asked = {
        "source": declared["dependency-groups"]["source"],
        "run": project["dependencies"] + project["optional-dependencies"]["build"],
    }
    asked["develop"] = asked["run"] + project["optional-dependencies"]["develop"]
    for name, requirements in asked.items():
        wanted = {re.match(r"[A-Za-z0-9_-]+", requirement)[0].lower() for requirement in requirements}
        assert wanted <= set(pins(name)), name


# In pieces, so that this file doesn't name them.
REGISTRIES = tuple(".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org")))
MACHINE = re.compile(r"--(extra-)?index-url\b|--find-links\b|file:///(opt|root|home|work)\b")


def tracked(root: Path) -> Iterable[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [root / name for name in listed.stdout.split("\0") if name]
    return [path for path in root.rglob("*") if not any(part.startswith(".") for part in path.relative_to(root).parts)]


def naming_a_registry(root: Path, paths: Iterable[Path]) -> list[str]:
    found = []
    for path in paths:
        if path.is_file() and path != Path(__file__):
            text = path.read_text(errors="replace")
            if any(host in text for host in REGISTRIES) or MACHINE.search(text) or f"{root}/" in text:
                found.append(path.relative_to(root).as_posix())
    return found


def test_no_file_names_a_registry_or_a_folder_of_this_machine(tmp_path: Path):
    assert naming_a_registry(ROOT, tracked(ROOT)) == []
    for number, text in enumerate((f"https://{REGISTRIES[0]}/simple", "--extra-index-url x", f"{tmp_path}/locks")):
        (tmp_path / f"{number}.txt").write_text(text)
    assert sorted(naming_a_registry(tmp_path, tracked(tmp_path))) == ["0.txt", "1.txt", "2.txt"]
