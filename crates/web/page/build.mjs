// Puts the page together: `node build.mjs --wasm FOLDER --out FOLDER --repository FOLDER [--small]`, from a folder with `node_modules`.
// `cargo xtask playground` calls it.

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const string = { type: "string" };
const { values } = parseArgs({ options: { wasm: string, out: string, repository: string, small: { type: "boolean" } } });
const { wasm, out, repository, small } = values;

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "examples"), { recursive: true });
for (const file of ["index.html", "style.css", "icon.svg"]) cpSync(file, join(out, file));
const examples = JSON.parse(readFileSync("examples.json", "utf8"));
for (const example of examples) {
  const name = `examples/${basename(example.file)}`;
  cpSync(join(repository, example.file), join(out, name));
  example.file = name;
}
writeFileSync(join(out, "examples.json"), JSON.stringify(examples));

const entryPoints = ["main", "worker", "offline"].map((name) => `src/${name}.js`);
await build({ entryPoints, bundle: true, minify: true, format: "esm", target: "es2022", outdir: out, logLevel: "warning" });

for (const name of ["fehu.wasm", "look.wasm"]) {
  const [from, to] = [join(wasm, name), join(out, name)];
  if (small) {
    const options = ["-Oz", "--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue", "--strip-debug", "--strip-producers"];
    execFileSync("node", ["node_modules/binaryen/bin/wasm-opt", ...options, from, "-o", to], { stdio: "inherit" });
  } else {
    cpSync(from, to);
  }
}

/** What has to be loaded before anything runs. */
const first = ["index.html", "style.css", "icon.svg", "main.js", "worker.js", "examples.json", "fehu.wasm", examples[0].file];
/** What is loaded when somebody looks into a program. */
const later = ["look.wasm"];
const measured = (file) => {
  const bytes = readFileSync(join(out, file));
  // What servers do on the fly is not the best that there is.
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: small ? 11 : 5, [constants.BROTLI_PARAM_LGWIN]: 22 } };
  return [file, statSync(join(out, file)).size, gzipSync(bytes).length, brotliCompressSync(bytes, quality).length];
};
const sizes = first.map(measured);
const total = sizes.reduce((sum, [, ...row]) => sum.map((number, i) => number + row[i]), [0, 0, 0]);
console.log(`${"file".padEnd(24)} ${["bytes", "gzip", "brotli"].map((word) => word.padStart(10)).join(" ")}`);
for (const [file, ...row] of [...sizes, ["first load", ...total], ...later.map(measured)]) {
  console.log(`${file.padEnd(24)} ${row.map((number) => String(number).padStart(10)).join(" ")}`);
}
const MOST = 3_000_000;
if (total[1] > MOST) {
  console.error(`The first load is ${total[1]} bytes with gzip; it must be less than ${MOST}.`);
  process.exit(1);
}
