#!/usr/bin/env python3
"""Makes data for benchmark programs whose data is kept elsewhere: random, of the same shapes and kinds.

    bench/standins.py DIR

DIR is a checkout of the benchmark programs of the reference compiler. Their data sets are links into a folder `external-data`; those that
lead nowhere get a file there. Both compilers are then measured on the same data (`peer.py`); times cannot be compared with times of the
original data. Expected results that are missing are no longer asked for: the programs in DIR are changed.
"""
import gzip, os, re, sys
import numpy as np
from gpu import TYPES, binary
from sides import programs

rng = np.random.default_rng(1)
NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}


def f32(*shape, low=0.0, high=1.0):
    return (low + (high - low) * rng.random(shape)).astype(np.float32)


def f64(*shape, low=0.0, high=1.0):
    return low + (high - low) * rng.random(shape)


def i32(*shape, high):
    return rng.integers(0, high, size=shape, dtype=np.int32)


def number(value, kind):
    return np.array(value, kind)


def mri(k, x):
    return [f32(k, low=-0.5, high=0.5) for _ in range(3)] + [f32(x, low=-0.5, high=0.5) for _ in range(3)] + [f32(k), f32(k)]


def product(n, m, p):
    return [f32(n, m), f32(m, p), f32(n, p), number(1.5, np.float32), number(0.5, np.float32)]


def galaxies(points, sets):
    sky = lambda *shape: (f64(*shape, high=360.0), f64(*shape, low=-90.0, high=90.0))
    return [*sky(points), *sky(sets, points)]


def graph(nodes, edges):
    """Where the edges of each node begin, how many there are, and where they lead to."""
    counts = rng.multinomial(edges, np.full(nodes, 1 / nodes)).astype(np.int32)
    return [(np.cumsum(counts) - counts).astype(np.int32), counts, i32(edges, high=nodes)]


def links(pages, count):
    """Links, sorted by where they lead to, how many each page has, and the number of iterations."""
    froms, tos = i32(count, high=pages), np.sort(i32(count, high=pages))
    return [froms, tos, np.bincount(froms, minlength=pages).astype(np.int32), number(10, np.int32)]


def images(pixels, dates, known):
    """Observations of pixels."""
    return [number(3, np.int32), number(known, np.int32), number(23.0, np.float32), number(0.25, np.float32), number(1.736126, np.float32),
            f32(pixels, dates)]


def cloudy(pixels, dates, known):
    """The same with a trend and the numbers of dates, where some observations are not numbers."""
    *options, values = images(pixels, dates, known)
    values[rng.random(values.shape) < 0.3] = np.nan
    return [number(1, np.int32), *options, np.arange(1, dates + 1, dtype=np.int32), values]


def volume(elements):
    """Areas, four neighbours of each element, some of them borders, and normals."""
    neighbours = rng.integers(-2, elements, size=(4, elements), dtype=np.int32)
    return [f32(elements, low=0.5, high=1.5), neighbours, f32(3, 4, elements, low=-0.1, high=0.1)]


def quotes(count):
    maturities = (20160101 + 100 * rng.integers(1, 12, size=count)).astype(np.int32)
    return [number(5, np.int32), number(10, np.int32), number(60, np.int32), number(20151105, np.int32), maturities,
            f64(count, low=500.0, high=3000.0), f64(count, low=1.0, high=1000.0)]


DATA = {
    "parboil/histo/data/default.in.gz": lambda: [number(256, np.int32), number(4096, np.int32), i32(996, 1040, high=256 * 4096)],
    "parboil/histo/data/large.in.gz": lambda: [number(256, np.int32), number(8192, np.int32), i32(4096, 4096, high=256 * 8192)],
    "parboil/lbm/data/120_120_150_ldc.in.gz": lambda: [f32(44352000, low=0.02, high=0.06)],
    "parboil/mri-q/data/small.in": lambda: mri(3072, 32 ** 3),
    "parboil/mri-q/data/large.in": lambda: mri(2048, 64 ** 3),
    "parboil/sgemm/data/tiny.in": lambda: product(16, 16, 16),
    "parboil/sgemm/data/small.in": lambda: product(128, 96, 160),
    "parboil/sgemm/data/medium.in.gz": lambda: product(1024, 992, 1056),
    "parboil/stencil/data/small.in": lambda: [number(100, np.int32), number(32, np.int32), f32(128, 128)],
    "parboil/stencil/data/default.in": lambda: [number(100, np.int32), number(64, np.int32), f32(512, 512)],
    "parboil/tpacf/data/small.in.gz": lambda: galaxies(487, 100),
    "parboil/tpacf/data/medium.in.gz": lambda: galaxies(4096, 100),
    "parboil/tpacf/data/large.in.gz": lambda: galaxies(10391, 100),
    "jgf/crypt/crypt-data/medium.in": lambda: [i32(52, high=65536).astype(np.uint16) for _ in range(2)] + [i32(20_000_000, high=256).astype(np.uint8)],
    "jgf/series/data/10000.in": lambda: [number(10_000, np.int64)],
    "jgf/series/data/100000.in": lambda: [number(100_000, np.int64)],
    "jgf/series/data/1000000.in": lambda: [number(1_000_000, np.int64)],
    "accelerate/pagerank/data/random_medium.in": lambda: links(100_000, 1_000_000),
    "misc/bfast/data/sahara.in.gz": lambda: images(67968, 414, 228),
    "misc/bfast/data/sahara-cloudy.in.gz": lambda: cloudy(67968, 414, 228),
    "misc/bfast/data/peru.in.gz": lambda: cloudy(111556, 235, 113),
    "misc/heston/data/1062_quotes.in": lambda: quotes(1062),
    "misc/heston/data/10000_quotes.in": lambda: quotes(10000),
    "misc/knn-by-kdtree/valid-data/kdtree-ppl-32-m-2097152.in": lambda: [number(256, np.int32), f32(2097152, 7)],
    "rodinia/bfs/data/graph1MW_6.in.gz": lambda: graph(1_000_000, 6_000_000),
    "rodinia/cfd/data/fvcorr.domn.097K.toa.gz": lambda: volume(97046),
    "rodinia/cfd/data/fvcorr.domn.193K.toa.gz": lambda: volume(193474),
    "rodinia/hotspot/data/1024.in": lambda: [number(360, np.int32), f32(1024, 1024, low=320.0, high=330.0), f32(1024, 1024)],
    "rodinia/particlefilter/data/128_128_10_image_10000_particles.in": lambda: [i32(128, 128, 10, high=256), number(10_000, np.int64)],
    "rodinia/particlefilter/data/128_128_10_image_400000_particles.in": lambda: [i32(128, 128, 10, high=256), number(400_000, np.int64)],
    "rodinia/srad/data/image.in.gz": lambda: [i32(502, 458, high=256).astype(np.uint8)],
}


def forget(folder):
    """Takes the results that programs expect, but that are not there, out of their tests."""
    for name in programs(folder):
        path = os.path.join(folder, name)
        there = lambda line: not (found := re.match(r"-- output @ (\S+)", line)) or os.path.exists(os.path.join(os.path.dirname(path), found[1]))
        with open(path) as text:
            lines = text.readlines()
        if not all(map(there, lines)):
            with open(path, "w") as text:
                text.writelines(filter(there, lines))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, values in DATA.items():
        path = os.path.join(sys.argv[1], "external-data", name)
        if os.path.exists(path):
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with (gzip.open(path, "wb", compresslevel=1) if name.endswith(".gz") else open(path, "wb")) as out:
            for value in values():
                out.write(binary(value, NAMES[value.dtype]))
        print(name, flush=True)
    forget(sys.argv[1])


if __name__ == "__main__":
    main()
