#!/usr/bin/env python3
"""The same k-means, LSTM and GMM in JAX, on the data sets that are made for GPUs: microseconds of the primal and of the gradient, and the overhead.

    bench/ad/jax_ad.py [--runs N]

Results stay on the device; products of matrices are exact in single precision (no tensor cores).
"""
import argparse, statistics, time
import jax, jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")


def kmeans(centres, points):
    squares = (points ** 2).sum(1)[:, None] + (centres ** 2).sum(1)[None, :]
    return jnp.min(squares - 2 * points @ centres.T, axis=1).sum()


def logsumexp(x, axis=None):
    largest = jnp.max(x, axis=axis, keepdims=True)
    return (largest + jnp.log(jnp.exp(x - largest).sum(axis=axis, keepdims=True))).squeeze(axis)


def gmm(params, xs):
    alphas, means, qs, ls = params
    (n, d), k = xs.shape, alphas.shape[0]
    columns, rows = np.triu_indices(d, 1)
    lower = jnp.zeros((k, d, d), xs.dtype).at[:, rows, columns].set(ls)
    centred = xs[:, None, :] - means[None]
    y = jnp.exp(qs)[None] * centred + jnp.einsum("kij,nkj->nki", lower, centred)
    inner = alphas + qs.sum(1) - 0.5 * (y ** 2).sum(2)
    prior = 0.5 * ((jnp.exp(qs) ** 2).sum() + (ls ** 2).sum())
    return logsumexp(inner, 1).sum() - n * logsumexp(alphas) + prior - 0.5 * n * d * jnp.log(2 * jnp.pi)


def lstm(params, xs, ys):
    wx, wh, bias, wy, by = params
    def step(state, xy):
        (h, c), (x, y) = state, xy
        i, f, g, o = jnp.einsum("bd,ghd->gbh", x, wx) + jnp.einsum("bk,ghk->gbh", h, wh) + bias[:, None, :]
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), ((h @ wy.T + by - y) ** 2).sum()
    zeros = jnp.zeros((xs.shape[1], wh.shape[1]), xs.dtype)
    return jax.lax.scan(step, (zeros, zeros), (xs, ys))[1].sum() / xs.size


def median(f, args, runs):
    f = jax.jit(f)
    jax.block_until_ready(f(*args))
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        jax.block_until_ready(f(*args))
        times.append(1e6 * (time.perf_counter() - start))
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    rng = np.random.default_rng(1)
    random = lambda kind, *shape: jnp.asarray(rng.random(shape).astype(kind))
    f32, f64 = np.float32, np.float64
    cases = []
    for n, d, k in [(494019, 35, 5), (10000, 256, 1024), (2000000, 10, 1024)]:
        cases.append((f"kmeans n={n} d={d} k={k}", kmeans, random(f32, k, d), [random(f32, n, d)]))
    for n, d, k in [(1000, 64, 200), (10000, 64, 25)]:
        params = (random(f64, k), random(f64, k, d), random(f64, k, d), random(f64, k, d * (d - 1) // 2))
        cases.append((f"gmm n={n} d={d} k={k}", gmm, params, [random(f64, n, d)]))
    t, b, d, h = 20, 1024, 300, 192
    params = tuple(random(f32, *shape) for shape in [(4, h, d), (4, h, h), (4, h), (d, h), (d,)])
    cases.append((f"lstm t={t} b={b} d={d} h={h}", lstm, params, [random(f32, t, b, d), random(f32, t, b, d)]))
    for name, f, params, others in cases:
        try:
            primal = median(f, [params, *others], runs)
            gradient = median(jax.grad(f), [params, *others], runs)
            print(f"jax {name:32}{primal:12.0f}{gradient:12.0f}{gradient / primal:10.2f}", flush=True)
        except Exception as error:
            print(f"jax {name}: {str(error)[:200]}", flush=True)


main()
