"""How wheels are built: maturin builds the extension module; before that the compiler is built, which the wheel contains as well.

FEHU_EXECUTABLE names a compiler that is already there, for tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import *  # noqa: F403  what is not defined here is maturin's

FOLDER = Path(__file__).resolve().parent.parent

# Where maturin looks for files of the wheel's `scripts`. It has to be there as soon as maturin is asked for anything, as for metadata.
SCRIPTS = FOLDER / "data" / "scripts"
SCRIPTS.mkdir(parents=True, exist_ok=True)


def compiler() -> None:
    """Puts the compiler into the wheel's `scripts`."""
    built = os.environ.get("FEHU_EXECUTABLE")
    if built is None:
        root = FOLDER.parent
        subprocess.run(["cargo", "build", "--release", "-p", "fehu-cli"], cwd=root, check=True)
        target = os.environ.get("CARGO_TARGET_DIR", str(root / "target"))
        built = str(root / target / "release" / "fehu")
    shutil.copy(built, SCRIPTS / "fehu")
    if shutil.which("strip"):
        subprocess.run(["strip", str(SCRIPTS / "fehu")], check=True)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # type: ignore[no-untyped-def]
    compiler()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):  # type: ignore[no-untyped-def]
    compiler()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
