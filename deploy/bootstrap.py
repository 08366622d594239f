#!/usr/bin/env python3
"""Make .venv hold exactly what a lock names, and the project itself.

    python3 deploy/bootstrap.py run        what a server needs
    python3 deploy/bootstrap.py develop    that, and what tests and checks need

Uses the standard library only, and any Python that has pip; the virtual environment gets no pip of its own, since
Debian's python3 can't make one that has (no ensurepip). Called again it returns at once: a stamp, written last, says
what is installed, so an install that was interrupted leaves no stamp and is made anew.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "ogham-stamp.json")
OLDEST = (3, 11)

# Smaller sets first: whoever has a later one has the earlier ones too.
SETS = ("run", "develop")

# Settings of the caller's pip that would install elsewhere, or add requirements that have no hashes. All others
# (indexes, proxies, certificates, timeouts) are the caller's business and stay.
UNWANTED = {
    "PIP_BREAK_SYSTEM_PACKAGES", "PIP_BUILD_CONSTRAINT", "PIP_CONSTRAINT", "PIP_DRY_RUN", "PIP_EDITABLE",
    "PIP_NO_BINARY", "PIP_ONLY_BINARY", "PIP_PREFIX", "PIP_PYTHON", "PIP_REPORT", "PIP_REQUIREMENT",
    "PIP_REQUIRE_VIRTUALENV", "PIP_ROOT", "PIP_TARGET", "PIP_USER",
    "PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__",
}  # fmt: skip


def main(arguments):
    if len(arguments) != 1 or arguments[0] not in SETS:
        fail("usage: python3 deploy/bootstrap.py " + "|".join(SETS))
    if sys.version_info < OLDEST:
        fail(
            "Ogham needs Python 3.11 or newer, and this is {}.{}: name another with make PYTHON=python3.12 ...".format(
                *sys.version_info
            )
        )
    wanted = arguments[0]
    if is_installed(wanted):
        return
    # Two makes at once: the second waits here, and then finds the work done. The lock is this file's own, so that it
    # needs no other that would have to be cleaned up.
    with open(os.path.abspath(__file__), "rb") as own:
        fcntl.flock(own, fcntl.LOCK_EX)
        if not is_installed(wanted):
            install(wanted)


def read_stamp():
    try:
        with open(STAMP, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def write_stamp(stamp):
    with open(STAMP + ".new", "w", encoding="utf-8") as file:
        json.dump(stamp, file)
    os.replace(STAMP + ".new", STAMP)


def digest(*path):
    with open(os.path.join(ROOT, *path), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def stamp_of(name):
    # The place counts because scripts in .venv/bin begin with its path: a folder that was moved is installed again.
    locks = digest("locks", name + ".txt") + digest("locks", "source.txt")
    return {"set": name, "place": ROOT, "lock": locks, "project": digest("pyproject.toml")}


def is_installed(wanted):
    stamp = read_stamp()
    return (
        stamp.get("set") in SETS[SETS.index(wanted) :]
        and stamp == stamp_of(stamp["set"])
        # A Python that was upgraded or removed leaves a link to nowhere.
        and os.access(PYTHON, os.X_OK)
    )


def install(wanted):
    started = time.monotonic()
    place = VENV if os.path.isdir(VENV) else ROOT
    if not os.access(place, os.W_OK):
        fail(f"{place} is another user's, and stale or closed to you: run this as its owner, or in a copy")
    pip = python_with_pip()
    stamp = read_stamp()
    # Never shrink what is there: asking for `run` after `develop` refreshes `develop`.
    name = max(wanted, stamp.get("set", wanted), key=SETS.index) if stamp.get("set", wanted) in SETS else wanted
    sound = stamp.get("place") == ROOT and os.access(PYTHON, os.X_OK)
    if os.path.exists(STAMP):
        os.remove(STAMP)
    if not sound:
        say("making .venv with Python {}.{}.{}".format(*sys.version_info))
        call(base_python(), "-m", "venv", "--without-pip", "--clear", VENV)
    goal = stamp_of(name)
    if not sound or stamp.get("lock") != goal["lock"]:
        say(f"installing what locks/{name}.txt names; the first time this takes about a minute")
        # No source packages here: their build would fetch tools that no lock names. Those that come as source only
        # follow, and are built with what is there by then.
        lock, source = (os.path.join(ROOT, "locks", file + ".txt") for file in (name, "source"))
        call_pip(pip, "--require-hashes", "--only-binary=:all:", "--requirement", lock)
        call_pip(pip, "--require-hashes", "--no-deps", "--no-build-isolation", "--requirement", source)
    call_pip(pip, "--no-deps", "--no-build-isolation", "--no-index", "--editable", ROOT)
    write_stamp(goal)
    say(f"ready in {time.monotonic() - started:.0f} s")


def base_python():
    """The interpreter behind any virtual environment that is active; .venv may be the active one."""
    return getattr(sys, "_base_executable", None) or sys.executable


def python_with_pip():
    for python in dict.fromkeys((sys.executable, base_python())):
        found = subprocess.run(
            [python, "-m", "pip", "--version"], capture_output=True, text=True, env=environment(), check=False
        )
        if found.returncode == 0:
            version = found.stdout.split()[1]
            # `--python`, which installs into an environment that has no pip, came with 22.3.
            if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < (22, 3):
                fail(f"pip {version} is too old, 22.3 is needed: {python} -m pip install --upgrade pip")
            return python
    return fail(f"{base_python()} has no pip: apt install python3-pip (Debian, Ubuntu), or python3 -m ensurepip")


def call_pip(python, *arguments):
    call(
        python, "-m", "pip", "--python", PYTHON, "install", "-qq", "--no-user", "--no-input",
        "--disable-pip-version-check", "--no-warn-script-location", "--root-user-action=ignore", *arguments,
    )  # fmt: skip


def call(*command):
    done = subprocess.run(command, env=environment(), cwd=ROOT, check=False)
    if done.returncode != 0:
        fail(f"that failed (see above); what failed was: {' '.join(command)}")


def environment():
    return {name: value for name, value in os.environ.items() if name not in UNWANTED}


def say(text):
    print("bootstrap: " + text, flush=True)


def fail(text):
    print("bootstrap: " + text, file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        fail("interrupted; the next call starts over")
