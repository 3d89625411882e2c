"""Values as notebooks show them: what they are, and their first and last elements; arrays as pictures, if they are asked to be."""

from __future__ import annotations

import struct
import zlib
from html import escape
from typing import Any

import numpy as np

from . import _html
from ._errors import Error

_NAMES = {"int": "i", "uint": "u", "float": "f"}
_EDGE = 3
_ROWS = 10


def show(value: Any) -> Shown:
    """A value as notebooks show it: its type and sizes, and its first and last elements; records and arrays of them as tables.

    >>> print(fehu.show(np.arange(1000, dtype=np.float32)))
    [1000]f32
    [  0.   1.   2. ... 997. 998. 999.]
    """
    return Shown(value)


class Shown:
    """What `show` gives: `str()` is the text, and notebooks draw it.

    >>> fehu.show(np.zeros((2, 3)))
    [2][3]f64
    [[0. 0. 0.]
     [0. 0. 0.]]
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return text(self.value)

    def _repr_html_(self) -> str:
        return html(self.value)


def type_name(value: Any) -> str | None:
    """The type of an array or a scalar as the language writes it, with its sizes; None for what it does not have."""
    dtype = getattr(value, "dtype", None)
    shape = getattr(value, "shape", None)
    if dtype is None or shape is None:
        return None
    name = str(np.dtype(dtype).name) if not hasattr(dtype, "itemsize") or isinstance(dtype, np.dtype) else str(dtype).rsplit(".", 1)[-1]
    kind = name.rstrip("0123456789")
    elem = "bool" if name == "bool" else _NAMES[kind] + name[len(kind) :] if kind in _NAMES else name
    return "".join(f"[{size}]" for size in shape) + elem


def _is_value(value: Any) -> bool:
    return hasattr(value, "type_name") and hasattr(value, "_fields")


def _elements(value: Any) -> str:
    array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    return np.array2string(array, threshold=200, edgeitems=_EDGE, max_line_width=100)


def text(value: Any) -> str:
    """As text."""
    if _is_value(value):
        return repr(value)
    name = type_name(value)
    return repr(value) if name is None or not value.shape else f"{name}\n{_elements(value)}"


def html(value: Any) -> str:
    """As HTML."""
    if _is_value(value):
        return _value(value)
    name = type_name(value)
    if name is None or not value.shape:
        return _html.code(str(value))
    return f"<div>{_html.soft(_html.code(name))}{_html.pre(escape(_elements(value)))}</div>"


def _value(value: Any) -> str:
    """A record, a sum, or an array of such."""
    name = _html.soft(_html.code(value.type_name))
    if shape := _shape(value):
        return f"<div>{name}{_array(value, shape)}</div>"
    if value._fields:
        rows = [[_html.code(field), *_part(getattr(value, field))] for field in value._fields]
        return f"<div>{name}{_html.table((), rows)}</div>"
    return f"<div>{_html.code(repr(value))}</div>"


def _shape(value: Any) -> tuple[int, ...] | None:
    try:
        shape: tuple[int, ...] = value.shape
    except AttributeError:
        return None
    return shape


def _array(value: Any, shape: tuple[int, ...]) -> str:
    """The first and the last rows of an array of records; the sizes of other arrays."""
    sizes = _html.soft(f"{' × '.join(map(str, shape))} elements")
    if len(shape) != 1 or not value._fields:
        return f"<div>{sizes}</div>"
    count = shape[0]
    shown = list(range(count)) if count <= _ROWS else [*range(_EDGE), -1, *range(count - _EDGE, count)]
    rows = []
    for index in shown:
        if index < 0:
            rows.append([_html.soft("...")] * (len(value._fields) + 1))
            continue
        item = value[index]
        rows.append([_html.soft(str(index)), *(_short(getattr(item, field)) for field in value._fields)])
    return _html.table(["", *map(escape, value._fields)], rows) + f"<div>{sizes}</div>"


def _short(part: Any) -> str:
    name = type_name(part)
    return _html.code(str(part)) if name is None or not part.shape else _html.soft(_html.code(name))


def _part(part: Any) -> tuple[str, str]:
    """A field: its type, and its value."""
    if _is_value(part):
        return _html.soft(_html.code(part.type_name)), _html.code(repr(part))
    name = type_name(part)
    if name is None:
        return "", _html.code(repr(part))
    return _html.soft(_html.code(name)), _html.pre(escape(_elements(part) if part.shape else str(part)))


def image(array: Any, *, low: float | None = None, high: float | None = None, width: int | None = None) -> Picture:
    """An array as a picture: `[h][w]` is grey, `[h][w][3]` and `[h][w][4]` are colours; bytes as they are, u32 as 0xAARRGGBB, and floats
    and booleans from `low`, which is black, to `high`. For floats these are the smallest and the largest element, unless said otherwise.
    `width` is how wide it is shown, in points.

    >>> picture = fehu.image(np.arange(12.0).reshape(3, 4))
    >>> picture
    <fehu picture, 4 × 3>
    """
    found = array.numpy() if hasattr(array, "numpy") and not isinstance(array, np.ndarray) else np.asarray(array)
    if found.dtype == np.uint32 and found.ndim == 2:
        # Four bytes each, the lowest first: blue, green, red, and how opaque it is, which most programs leave 0.
        channels = np.ascontiguousarray(found).view(np.uint8).reshape(*found.shape, 4)
        return Picture(np.ascontiguousarray(channels[:, :, 2::-1]), width)
    if found.ndim not in (2, 3) or (found.ndim == 3 and found.shape[2] not in (3, 4)) or 0 in found.shape:
        raise Error(f"a picture is an array [h][w], [h][w][3] or [h][w][4] that is not empty, got shape {found.shape}")
    if found.dtype == np.uint8 and low is None and high is None:
        return Picture(np.ascontiguousarray(found), width)
    if found.dtype.kind not in "fiub":
        raise Error(f"a picture is made of numbers, got {found.dtype}")
    values = found.astype(np.float64)
    finite = values[np.isfinite(values)]
    if low is None:
        low = float(finite.min()) if finite.size and found.dtype != bool else 0.0
    if high is None:
        high = float(finite.max()) if finite.size and found.dtype != bool else 1.0
    scaled = (values - low) / (high - low) if high > low else np.zeros_like(values)
    return Picture((np.nan_to_num(np.clip(scaled, 0, 1)) * 255 + 0.5).astype(np.uint8), width)


class Picture:
    """What `image` gives: notebooks draw it; `png` is the file.

    >>> fehu.image(np.eye(2)).png[:4]
    b'\\x89PNG'
    """

    def __init__(self, pixels: np.ndarray, width: int | None) -> None:
        self.pixels = pixels
        self.width = width

    @property
    def png(self) -> bytes:
        """The bytes of a PNG file."""
        return _png(self.pixels)

    def __repr__(self) -> str:
        return f"<fehu picture, {self.pixels.shape[1]} × {self.pixels.shape[0]}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        width = self.width if self.width is not None else _width(self.pixels.shape[1])
        return {"image/png": self.png, "text/plain": repr(self)}, {"image/png": {"width": width}}


def _width(pixels: int) -> int:
    """Small pictures are enlarged by a whole number, so that their pixels are seen."""
    return pixels * max(1, 240 // pixels)


def _png(pixels: np.ndarray) -> bytes:
    kind = {2: 0, 3: 2, 4: 6}[2 if pixels.ndim == 2 else pixels.shape[2]]

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
