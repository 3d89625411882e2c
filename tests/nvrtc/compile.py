"""Compiles CUDA files to PTX with NVRTC, as our programs do, and writes the PTX beside them.

With `--accept` it only says whether NVRTC accepts them: they are read, and code for the linker's optimiser is made, which takes
a tenth of the time.

With `--fast-math`, they are compiled as with that option of ours.

Usage: compile.py [--accept | --fast-math] FILE...
"""

import ctypes
import pathlib
import sys

import nvidia

# The architecture of the H100 and H200, and what the runtime passes (runtime/gpu/cuda_kernels.h).
OPTIONS = [
    b"--gpu-architecture=compute_90",
    b"--device-as-default-execution-space",
    b"--std=c++17",
    b"--disable-warnings",
]
# As in crates/backend/runtime/gpu/cuda_kernels.c.
FAST_MATH = [b"--prec-div=false", b"--prec-sqrt=false", b"--ftz=true", b"-DFE_FAST_MATH"]


def library():
    """The library, which some versions of the package have in other folders than others."""
    folders = [pathlib.Path(folder) for folder in nvidia.__path__]
    found = sorted(path for folder in folders for path in folder.rglob("libnvrtc.so.*"))
    return ctypes.CDLL(str(found[0]))


def text(nvrtc, program, what):
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
    return buffer.value.decode()


def main():
    nvrtc = library()
    failed = 0
    names = sys.argv[1:]
    more = {"--accept": [b"--dlink-time-opt"], "--fast-math": FAST_MATH}.get(names[0])
    accept = names[0] == "--accept"
    all_options = OPTIONS + (more or [])
    for name in names[more is not None :]:
        path = pathlib.Path(name)
        program = ctypes.c_void_p()
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), path.read_bytes(), path.name.encode(), 0, None, None)
        options = (ctypes.c_char_p * len(all_options))(*all_options)
        good = nvrtc.nvrtcCompileProgram(program, len(all_options), options) == 0
        if good and accept:
            print(f"{name}: accepted")
        elif good:
            path.with_suffix(".ptx").write_text(text(nvrtc, program, "PTX"))
        else:
            print(f"{name}:\n{text(nvrtc, program, 'ProgramLog')}")
            failed = 1
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    sys.exit(failed)


main()
