"""What a test run is held to, and what the script that makes .venv says when it can't."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_pytest(folder: Path, test: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "tests").mkdir()
    for name in ("pyproject.toml", "tests/conftest.py", "tests/servers.py"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "tests" / "test_planted.py").write_text(test)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        check=False,
    )


SKIPS = {
    "in a test": "import pytest\ndef test_it(): pytest.skip('no time')",
    "by a mark": "import pytest\n@pytest.mark.skip(reason='no time')\ndef test_it(): pass",
    "of a whole file": "import pytest\npytest.skip('no time', allow_module_level=True)",
}


@pytest.mark.parametrize(("how", "workers"), [*((how, "0") for how in SKIPS), ("in a test", "1")])
def test_a_skip_that_nobody_allowed_fails_the_run(tmp_path: Path, how: str, workers: str):
    done = run_pytest(tmp_path, SKIPS[how], "-n", workers)
    assert done.returncode == 1, done.stdout
    assert "FAILED by a skip that tests/conftest.py doesn't allow: tests/test_planted.py" in done.stdout
    assert "no time" in done.stdout


def test_a_run_without_skips_passes(tmp_path: Path):
    test = "import pytest\ndef test_it(): pass\n@pytest.mark.xfail\ndef test_known(): assert False"
    done = run_pytest(tmp_path, test)
    assert done.returncode == 0, done.stdout


SAMPLED = """
import hypothesis, hypothesis.strategies
def test_sampled(sample, figure): print("tried", sample(3, 4000)), figure("7 m high")
@hypothesis.given(hypothesis.strategies.booleans())
def test_drawn(value): pass
"""


def test_the_size_decides_how_much_is_tried_and_prove_says_so(tmp_path: Path):
    (tmp_path / "small").mkdir()
    done = run_pytest(tmp_path / "small", SAMPLED, "-s")
    assert "tried 3\n" in done.stdout
    assert "what was proved" not in done.stdout
    (tmp_path / "prove").mkdir()
    done = run_pytest(tmp_path / "prove", SAMPLED, "--size=prove", "-n", "1")
    table = done.stdout.partition("what was proved")[2]
    assert "4,000" in table
    assert re.search(r"test_planted.py::test_sampled\n +7 m high\n", table)
    assert "test_planted.py::test_drawn" in table


# ---- deploy/bootstrap.py


def run_bootstrap(folder: Path, python: Path | str, before: str = "", wanted: str = "run") -> tuple[int, str]:
    """Run a copy of the script, after a line that makes the interpreter look like another."""
    for name in ("deploy", "locks"):
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", folder)
    script = folder / "deploy" / "bootstrap.py"
    lines = ("import runpy, sys", f"sys.argv = ['bootstrap.py', {wanted!r}]", before)
    code = "\n".join((*lines, f"runpy.run_path({str(script)!r}, run_name='__main__')"))
    done = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_bootstrap_knows_its_sets(tmp_path: Path):
    code, said = run_bootstrap(tmp_path, sys.executable, wanted="everything")
    assert (code, said) == (1, "bootstrap: usage: python3 deploy/bootstrap.py run|develop\n")


def test_bootstrap_says_which_python_it_needs(tmp_path: Path):
    code, said = run_bootstrap(tmp_path, sys.executable, "sys.version_info = (3, 9, 2)")
    assert code == 1
    assert "needs Python 3.11 or newer, and this is 3.9" in said
    assert said.count("\n") == 1


def test_bootstrap_says_how_to_get_pip(tmp_path: Path):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    code, said = run_bootstrap(tmp_path, bare / "bin" / "python", "sys._base_executable = sys.executable")
    assert code == 1
    assert "has no pip: apt install python3-pip" in said
    assert said.count("\n") == 1
    assert not (tmp_path / ".venv").exists()


def test_bootstrap_doubts_a_stamp_from_another_place_or_lock(tmp_path: Path):
    script = ROOT / "deploy" / "bootstrap.py"
    for name in ("deploy", "locks"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    ask = f"""
import os, runpy
b = runpy.run_path({str(tmp_path / "deploy" / script.name)!r})
b["write_stamp"](b["stamp_of"]("develop"))
print(b["is_installed"]("run"), b["is_installed"]("develop"))
b["write_stamp"](b["stamp_of"]("run"))
print(b["is_installed"]("run"), b["is_installed"]("develop"))
b["write_stamp"]({{**b["stamp_of"]("run"), "place": "elsewhere"}})
print(b["is_installed"]("run"))
b["write_stamp"](b["stamp_of"]("run"))
open(os.path.join(b["ROOT"], "locks", "run.txt"), "a").write("\\n")
print(b["is_installed"]("run"))
b["write_stamp"](b["stamp_of"]("run"))
os.remove(b["PYTHON"])
print(b["is_installed"]("run"))
"""
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["True True", "True False", "False", "False", "False", ""]
