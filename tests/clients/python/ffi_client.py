"""Calls a compiled library through the package futhark-ffi, whose command build_futhark_ffi has compiled it.

Usage: ffi_client.py, in a folder with the module "_library".
"""

import concurrent.futures
import json

import numpy as np
import _library
from futhark_ffi import Futhark
from futhark_ffi.compat import FutharkCompat


def fails(wanted, action):
    try:
        action()
    except ValueError as error:
        assert wanted in str(error), error
        return
    raise AssertionError(f"nothing is said about {wanted}")


def values(fut):
    assert fut.dot(np.int32([1, 2, 3]), np.int32([4, 5, 6])) == 32
    matrix = np.arange(6.0).reshape(2, 3)
    assert (fut.from_futhark(fut.transposed(matrix)) == matrix.T).all()
    # Elements are converted by the client, also those of views.
    assert (fut.from_futhark(fut.transposed(matrix.T)) == matrix).all()
    assert fut.from_futhark(fut.transposed(np.zeros((0, 3)))).shape == (3, 0)
    assert fut.from_futhark(fut.scaled(2, np.float32([1, 2]))).tolist() == [2, 4]
    assert fut.from_futhark(fut.bytes(3)).tolist() == [0, 1, 2]
    array = fut.huge_array(5)
    assert fut.from_futhark(array).tolist() == [0, 1, 4, 9, 16]
    # A result is an argument.
    assert fut.from_futhark(fut.transposed(fut.transposed(matrix))).tolist() == matrix.tolist()


def opaque(fut):
    square = fut.polygon(4)
    assert abs(fut.perimeter(square) - 4 * 2**0.5) < 1e-5
    stored = fut.store_path(square)
    again = fut.restore_path(stored)
    assert abs(fut.perimeter(again) - 4 * 2**0.5) < 1e-5
    damaged = bytearray(stored)
    damaged[0] ^= 1
    fails("restore", lambda: fut.restore_path(bytes(damaged)))
    out = fut.ffi.new("struct futhark_opaque_shape **")
    assert fut.lib.futhark_new_opaque_shape_circle(fut.ctx, out, 1) == 0
    assert abs(fut.area(out[0]) - np.pi) < 1e-5
    assert fut.lib.futhark_free_opaque_shape(fut.ctx, out[0]) == 0


def errors(fut):
    xs = np.int32([1, 2])
    fails("out of bounds", lambda: fut.pick(xs, 2))
    fails("division by zero", lambda: fut.divided(1, 0))
    fails("invalid size", lambda: fut.dot(xs, np.int32([1])))
    fails("memory", lambda: fut.huge_array(1 << 50))
    assert fut.pick(xs, 1) == 2


def threads():
    def work(k):
        fut = Futhark(_library)
        return [int(fut.dot(np.full(1000, k, np.int32), np.full(1000, i, np.int32))) for i in range(50)]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for k, found in enumerate(pool.map(work, range(4))):
            assert found == [1000 * k * i for i in range(50)]


def main():
    fut = Futhark(_library, profiling=True, cache_file_path="library.cache")
    values(fut)
    opaque(fut)
    errors(fut)
    fut.pause_profiling()
    fut.unpause_profiling()
    report = json.loads(fut.report())
    assert any("dot" in event["name"] for event in report["events"]), report
    compatible = FutharkCompat(_library)
    assert compatible.bytes(2).get().tolist() == [0, 1]
    threads()
    print("all is well")


main()
