"""`python -m fehu.kernel install` makes the kernel known to Jupyter; without `install` this is the kernel, which Jupyter starts."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Installs the kernel, or runs it."""
    if sys.argv[1:2] == ["install"]:
        return install(sys.argv[2:])
    from ipykernel.kernelapp import IPKernelApp

    from .kernel import FehuKernel

    IPKernelApp.launch_instance(kernel_class=FehuKernel)


def install(arguments: list[str]) -> None:
    """Writes the description of the kernel where Jupyter looks for such."""
    parser = argparse.ArgumentParser(prog="python -m fehu.kernel install", description="Makes the kernel known to Jupyter.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for this user")
    where.add_argument("--sys-prefix", action="store_true", help="for this Python environment")
    where.add_argument("--prefix", help="below a folder: PREFIX/share/jupyter/kernels")
    options = parser.parse_args(arguments)
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        sys.exit("Jupyter is not installed for this Python: pip install 'fehu-lang[notebook]'")
    spec = {
        "argv": [sys.executable, "-m", "fehu.kernel", "-f", "{connection_file}"],
        "display_name": "fehu",
        "language": "futhark",
        "interrupt_mode": "signal",
    }
    with tempfile.TemporaryDirectory(prefix="fehu-kernel-") as folder:
        (Path(folder) / "kernel.json").write_text(json.dumps(spec, indent=1))
        shutil.copy(Path(__file__).with_name("logo-svg.svg"), folder)
        prefix = sys.prefix if options.sys_prefix else options.prefix
        user = options.user or not prefix
        made = KernelSpecManager().install_kernel_spec(folder, "fehu", user=user, prefix=prefix)
    print(f"installed the kernel in {made}")


if __name__ == "__main__":
    main()
