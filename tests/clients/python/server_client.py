"""Drives a compiled server with the package futhark-server; values go through files in the format of futhark-data.

Usage: server_client.py SERVER
"""

import sys

import futhark_server
import numpy as np


def fails(what, wanted, action):
    try:
        action()
    except futhark_server.Failure as failure:
        assert wanted in str(failure), f"{what}: {failure}"
        return
    raise AssertionError(f"{what} should fail")


def call(server, entry, *args):
    """Calls an entry point with numpy values or names of variables; its result is the variable "out"."""
    names = []
    for i, arg in enumerate(args):
        if isinstance(arg, str):
            names.append(arg)
        else:
            server.put_value(f"in{i}", arg)
            names.append(f"in{i}")
    server.cmd_call(entry, "out", *names)
    if made := [name for name in names if name.startswith("in")]:
        server.cmd_free(*made)


def value(server, entry, *args):
    call(server, entry, *args)
    result = server.get_value("out")
    server.cmd_free("out")
    return result


def scalars_and_arrays(server):
    assert value(server, "dot", np.int32([1, 2, 3]), np.int32([4, 5, 6])) == 32
    assert value(server, "dot", np.zeros(0, np.int32), np.zeros(0, np.int32)) == 0
    matrix = np.arange(6.0).reshape(2, 3)
    assert (value(server, "transposed", matrix) == matrix.T).all()
    empty = value(server, "transposed", np.zeros((0, 7)))
    assert empty.shape == (7, 0) and empty.dtype == np.float64
    assert (value(server, "bytes", np.int64(300)) == np.arange(300, dtype=np.uint8)).all()
    flags = value(server, "flags", np.int64([3, 0, -3]))
    assert flags.dtype == bool and flags.tolist() == [True, False, False]
    halves = value(server, "halves", np.float16([1, 3]))
    assert halves.dtype == np.float16 and halves.tolist() == [0.5, 1.5]
    scaled = value(server, "scaled", np.float32(2), np.float32([1, np.inf, np.nan]))
    assert scaled[:2].tolist() == [2, np.inf] and np.isnan(scaled[2])


def consumption(server):
    server.put_value("k", np.float32(3))
    server.put_value("xs", np.float32([1, 2]))
    server.cmd_call("scaled", "ys", "k", "xs")
    assert server.get_value("ys").tolist() == [3, 6]
    server.cmd_free("k", "xs", "ys")


def tuples_and_records(server):
    call(server, "extremes", np.int32([3, 1, 2]))
    assert [line.split(" ", 1) for line in server.cmd_fields("extremes")] == [
        ["0", "i32"],
        ["1", "i32"],
        ["2", "[]i32"],
    ]
    for field, wanted in ("0", 1), ("1", 3), ("2", [2, 1, 3]):
        server.cmd_project("part", "out", field)
        assert np.array_equal(server.get_value("part"), wanted)
        server.cmd_free("part")
    server.cmd_free("out")

    call(server, "divmod", np.int32(-7), np.int32(2))
    assert server.cmd("type", "out") == ["(i32, i32)"]
    assert server.cmd_fields('"(i32, i32)"') == ["0 i32", "1 i32"]
    server.cmd_free("out")

    assert server.cmd_fields("point") == ["x f32", "y f32"]
    for name, x, y in ("a", 1, 2), ("b", 3, 6):
        server.put_value("x", np.float32(x))
        server.put_value("y", np.float32(y))
        server.cmd("new", name, "point", "x", "y")
        server.cmd_free("x", "y")
    call(server, "midpoint", "a", "b")
    server.cmd_project("y", "out", "y")
    assert server.get_value("y") == 4
    server.cmd_free("y", "out", "a", "b")

    call(server, "polygon", np.int64(4))
    server.cmd_rename("out", "square")
    assert abs(value(server, "perimeter", "square") - 4 * 2**0.5) < 1e-5
    # Opaque values come back from bytes, too.
    stored = server.get_value_bytes("square")
    server.cmd_free("square")
    server.put_value_bytes(stored, ("square", "path"))
    assert abs(value(server, "perimeter", "square") - 4 * 2**0.5) < 1e-5
    call(server, "points", "square")
    server.cmd("index", "corner", "out", "0")
    server.cmd_project("x", "corner", "x")
    assert server.get_value("x") == 1
    server.cmd_free("out", "corner", "x", "square")


def sums(server):
    assert server.cmd("kind", "shape") == ["sum"]
    server.put_value("r", np.float32(2))
    server.cmd("construct", "s", "shape", "circle", "r")
    call(server, "grown", "s")
    assert server.cmd("variant", "out") == ["circle"]
    server.cmd("destruct", "out", "r2")
    assert server.get_value("r2") == 4
    fails("another variant", "", lambda: server.cmd("destruct", "out", "p", "q"))
    server.cmd_free("r", "s", "out", "r2")


def errors(server):
    xs = np.int32([1, 2])
    fails("an index", "out of bounds", lambda: value(server, "pick", xs, np.int64(2)))
    server.cmd_free("in0", "in1")
    fails("a size", "invalid size", lambda: value(server, "dot", xs, np.int32([1])))
    server.cmd_free("in0", "in1")
    fails("an entry point", "absent", lambda: server.cmd_call("absent", "out"))
    fails("a type", "i64", lambda: value(server, "bytes", np.int32(1)))
    server.cmd_free("in0")
    fails("a variable", "x", lambda: server.cmd_free("x"))
    fails("a file", "/no/such/file", lambda: server.cmd_restore("/no/such/file", ("x", "i32")))
    assert value(server, "pick", xs, np.int64(1)) == 2


def measurements(server):
    server.cmd("new", "u", "()")
    times = server.cmd_call("unit", "v", "u")
    assert len(times) == 1 and times[0].startswith("runtime: "), times
    server.cmd_free("u", "v")
    server.cmd_pause_profiling()
    server.cmd_unpause_profiling()
    assert '"events"' in "".join(server.cmd_report())
    assert server.cmd_tuning_params("dot") == []
    server.cmd_clear()


def main():
    with futhark_server.Server(sys.argv[1]) as server:
        assert "point" in server.cmd_types() and "[][]f64" in server.cmd_types()
        assert "dot" in server.cmd_entry_points()
        assert server.cmd_inputs("scaled") == ["f32", "*[]f32"]
        assert server.cmd_output("scaled") == ["*[]f32"]
        for test in scalars_and_arrays, consumption, tuples_and_records, sums, errors, measurements:
            test(server)
    assert server.proc.returncode == 0
    print("all is well")


main()
