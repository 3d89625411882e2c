// Drives the playground in Chromium: `node test.mjs --folder FOLDER --repository FOLDER [--screenshots FOLDER] [--only WORD]`, from a
// folder with `node_modules`. `cargo xtask playground --test` calls it. CHROMIUM names the browser if it is not `chromium`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { parseArgs } from "node:util";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";

const string = { type: "string" };
const { values } = parseArgs({ options: { folder: string, repository: string, screenshots: string, only: string } });

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json",
  ".wasm": "application/wasm", ".fut": "text/plain",
};

/** A server for a folder of static files, and nothing else. */
function serve(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch {
      // The next one.
    }
  }
  throw new Error("there is no Chromium (on Debian: chromium); the variable CHROMIUM names another one");
}

const server = await serve(values.folder);
const address = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({
  executablePath: browserPath(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
});

/** Waiting is for slow machines; nothing here depends on how fast things are. */
const PATIENCE = 120_000;

const link = (text) => `#code=${deflateRawSync(Buffer.from(text)).toString("base64url")}`;

/** A page with a program, after it was run. */
class Page {
  static async open(text, { search = "", ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const problems = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    const shown = async (message) => {
      const parts = message.args().map((part) => part.evaluate((value) => value?.message ?? String(value)).catch(() => message.text()));
      problems.push((await Promise.all(parts)).join(" "));
    };
    page.on("console", (message) => message.type() === "error" && shown(message));
    await page.goto(address + search + (text === null ? "" : link(text)));
    return Object.assign(new Page(), { page, context, problems });
  }

  /** Waits until the status begins with one of these words. */
  async until(...words) {
    const check = (words) => words.some((word) => document.getElementById("status").textContent.startsWith(word));
    await this.page.waitForFunction(check, words);
    return this.page.textContent("#status");
  }

  ended() {
    return this.until("done", "failed", "stopped");
  }

  output() {
    return this.page.textContent("#shown");
  }

  /** Replaces the program, as a user would. */
  async type(text) {
    await this.page.click(".cm-content >> visible=true");
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.insertText(text);
  }

  async run() {
    await this.page.waitForSelector("#run:not([disabled])");
    await this.page.click("#run");
    await this.ended();
  }

  async close() {
    assert.deepEqual(this.problems, [], "the console has errors");
    await this.context.close();
  }
}

const TESTS = {
  async "a program runs, and its value is shown"() {
    const page = await Page.open("entry main = map (* 2) [1i32, 2, 3]");
    await page.until("done");
    assert.match(await page.output(), /\[2i32, 4i32, 6i32\]/);
    await page.page.fill("#expression", "i32.sum main");
    await page.page.press("#expression", "Enter");
    await page.page.waitForSelector("#shown > pre.result");
    assert.match(await page.page.textContent("#shown > pre.result"), /^12/);
    await page.close();
  },

  async "a mistake is underlined where it is, and told; when it is repaired, it goes"() {
    const page = await Page.open("entry main = 1i32");
    await page.until("done");
    const began = Date.now();
    await page.type("entry main = 1i32 + true\n");
    await page.page.waitForSelector(".cm-lintRange-error");
    console.log(`  the first message came after ${Date.now() - began} ms`);
    assert.equal(await page.page.textContent(".cm-lintRange-error"), "true");
    await page.run();
    assert.match(await page.output(), /error\[/);
    await page.type("entry main = 1i32 + 1\n");
    await page.page.waitForSelector(".cm-lintRange-error", { state: "detached" });
    await page.run();
    assert.match(await page.output(), /2i32/);
    await page.close();
  },

  async "a fix is one click"() {
    const page = await Page.open("def number = 1i32\nentry main = nmber\n");
    await page.page.waitForSelector(".cm-lintRange-error");
    await page.page.hover(".cm-lintRange-error");
    await page.page.click(".cm-diagnosticAction");
    await page.page.waitForSelector(".cm-lintRange-error", { state: "detached" });
    await page.run();
    assert.match(await page.output(), /1i32/);
    await page.close();
  },

  async "programs have colours, and the editor knows types and names"() {
    const page = await Page.open("-- a comment\ndef twice (x: i32) = 2 * x\nentry main = twice 4\n");
    await page.page.waitForSelector(".cm-line .kw");
    assert.equal(await page.page.textContent(".cm-line .co"), "-- a comment");
    await page.page.hover(".cm-line:nth-child(3) >> text=twice");
    await page.page.waitForSelector(".cm-tooltip-hover");
    assert.match(await page.page.textContent(".cm-tooltip-hover"), /i32/);
    await page.page.keyboard.press("Escape");
    await page.page.click(".cm-content");
    await page.page.keyboard.press("Control+End");
    await page.page.keyboard.type("def other = twi");
    await page.page.waitForSelector(".cm-tooltip-autocomplete");
    assert.match(await page.page.textContent(".cm-tooltip-autocomplete"), /twice/);
    await page.close();
  },

  async "programs are formatted"() {
    const page = await Page.open("def   f  x=x+1i32");
    await page.page.waitForSelector(".cm-line .kw");
    await page.page.click("#format");
    const formatted = () => document.querySelector(".cm-line").textContent === "def f x = x + 1i32";
    await page.page.waitForFunction(formatted);
    await page.close();
  },

  async "an endless loop is stopped, and the next program runs"() {
    const page = await Page.open("entry main = loop x = 0i32 while true do x + 1", { search: "?limit=2" });
    await page.page.waitForSelector("#stop:not([hidden])");
    // The editor is alive meanwhile.
    await page.type("entry main = loop x = 0i32 while true do y");
    await page.page.waitForSelector(".cm-lintRange-error");
    await page.until("stopped");
    assert.match(await page.output(), /stopped after 2 seconds/);
    await page.type("entry main = 7i32");
    await page.run();
    assert.match(await page.output(), /7i32/);
    await page.close();
  },

  async "the button stops a program"() {
    const page = await Page.open("entry main = loop x = 0i32 while true do x + 1");
    await page.page.click("#stop:not([hidden])");
    await page.until("stopped");
    assert.equal(await page.page.isVisible("#run"), true);
    await page.close();
  },

  async "too much memory is an error, and the next program runs"() {
    const page = await Page.open("entry main = i64.sum (scan (+) 0 (iota 1000000000))");
    await page.until("done", "failed");
    assert.match(await page.output(), /memory|bytes/i);
    // Many arrays that are small enough, each for itself.
    await page.type("def f (n: i64) = loop xs = replicate 1000 (replicate n 0u8) for i < 1000 do xs with [i] = replicate n (u8.i64 i)\nentry main = f 20000000");
    await page.run();
    assert.match(await page.output(), /memory|bytes/i);
    await page.type("entry main = 7i32");
    await page.run();
    assert.match(await page.output(), /7i32/);
    await page.close();
  },

  async "deep nesting is an error, not the end"() {
    const page = await Page.open(`entry main = ${"(".repeat(70)}1i32${")".repeat(70)}`);
    await page.ended();
    assert.match(await page.output(), /1i32/);
    await page.type(`entry main = ${"(".repeat(5000)}1i32${")".repeat(5000)}`);
    await page.run();
    assert.match(await page.output(), /nested too deeply/);
    await page.type("entry main = 7i32");
    await page.run();
    assert.match(await page.output(), /7i32/);
    await page.close();
  },

  async "pictures, plots, films and sound are shown"() {
    const page = await Page.open("def red = replicate 8 (replicate 8 0xff0000u32)\n\n-- > :img red\n\ndef xs = [1.0, 4.0, 2.0]\n\n-- > :plot xs\n\n-- > :audio xs\n");
    await page.until("done");
    const pixel = await page.page.evaluate(async () => {
      const image = document.querySelector("#shown img");
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 8, height: 8 });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(4, 4, 1, 1).data];
    });
    assert.deepEqual(pixel, [255, 0, 0, 255]);
    assert.equal(await page.page.locator("#shown figure svg").count(), 1);
    assert.equal(await page.page.locator("#shown audio").count(), 1);
    await page.close();
  },

  async "the report has a picture that follows the program"() {
    const page = await Page.open("entry main [n] (xs: [n]f64) =\n  let ys = map (* 2) xs\n  in f64.sum ys\n");
    await page.until("done");
    await page.page.click("#tab-report");
    await page.page.waitForSelector("#report svg.flow");
    const boxes = () => document.querySelectorAll("#report svg.flow g.operator").length;
    const after = await page.page.evaluate(boxes);
    await page.page.click("#report button >> text=before");
    assert.ok((await page.page.evaluate(boxes)) > after, "fusion leaves fewer operators");
    // A click leads to the line, and the line marks its box.
    await page.page.click('#report svg a[href="#line-2"] >> nth=0');
    await page.page.waitForSelector('#report svg a.here[href="#line-2"]');
    await page.type("entry other (x: i32) = x + 1\n");
    await page.page.waitForSelector("#report option >> text=other", { state: "attached" });
    await page.page.click("#tab-code");
    await page.page.waitForFunction(() => document.getElementById("made").textContent.includes("other"));
    await page.close();
  },

  async "links carry the program"() {
    const text = "-- Ünïcödé \u{1f600}\nentry main = 1i32\n".repeat(30).replace(/(entry main = 1i32\n)(?=[^]*\1)/g, "");
    const page = await Page.open(text);
    await page.until("done", "failed");
    await page.page.click("#share");
    await page.until("the link");
    const hash = new URL(page.page.url()).hash;
    assert.equal(inflateRawSync(Buffer.from(hash.slice("#code=".length), "base64url")).toString(), text);
    const again = await Page.open(null, { search: hash });
    await again.until("done", "failed");
    assert.equal(await again.output(), await page.output());
    await again.close();
    await page.close();
  },

  async "a program of several files runs, is checked, and is carried by links"() {
    const page = await Page.open("entry main = 1i32");
    await page.until("done");
    page.page.once("dialog", (dialog) => dialog.accept("lib"));
    await page.page.click("#add");
    await page.page.waitForSelector("#files >> text=lib.fut");
    await page.type("def twice (x: i32) = 2 * x\n");
    await page.page.click("#files >> text=program.fut");
    await page.type('import "lib"\nentry main = twice 21\n');
    await page.run();
    assert.match(await page.output(), /42i32/);
    await page.page.waitForSelector(".cm-line .kw >> visible=true");
    assert.equal(await page.page.locator(".cm-lintRange-error").count(), 0);
    await picture(page, "files");
    // What is wrong in one file is told in the other.
    await page.page.click("#files >> text=lib.fut");
    await page.type("def thrice (x: i32) = 3 * x\n");
    await page.page.click("#files >> text=program.fut");
    await page.page.waitForSelector(".cm-lintRange-error >> visible=true");
    assert.equal(await page.page.textContent(".cm-lintRange-error >> visible=true"), "twice");
    await page.type('import "lib"\nentry main = thrice 21\n');
    await page.page.click("#share");
    await page.until("the link");
    const again = await Page.open(null, { search: new URL(page.page.url()).hash });
    await again.until("done", "failed");
    assert.match(await again.output(), /63i32/);
    assert.deepEqual(await again.page.locator("#files [role=tab]").allTextContents(), ["program.fut", "lib.fut"]);
    await again.page.click("#files >> text=lib.fut");
    again.page.once("dialog", (dialog) => dialog.accept());
    await again.page.click("#remove");
    await again.run();
    assert.match(await again.output(), /error\[/);
    await again.close();
    await page.close();
  },

  async "the C of a program can be read"() {
    const page = await Page.open("entry twice (x: i32) = 2 * x\n");
    await page.until("done");
    await page.page.click("#tab-code");
    await page.page.selectOption("#view", "c");
    await page.page.waitForFunction(() => /fe_fun_entry_twice\(/.test(document.getElementById("made").textContent));
    await page.close();
  },

  async "damaged links are told"() {
    const page = await Page.open(null, { search: "#code=%%%" });
    await page.until("done");
    await page.close();
  },

  async "every example runs without a failure"() {
    const page = await Page.open(null);
    await page.until("done");
    const files = await page.page.$$eval("#examples option", (options) => options.map(({ value }) => value).filter(Boolean));
    assert.ok(files.length >= 8);
    for (const file of files) {
      await page.page.evaluate(() => (document.getElementById("status").textContent = ""));
      await page.page.selectOption("#examples", file);
      const status = await page.ended();
      assert.match(status, /^done/, `${file}: ${await page.output()}`);
      assert.equal(await page.page.locator("#shown .failed").count(), 0, `${file}: ${await page.output()}`);
      console.log(`  ${file}: ${status}`);
    }
    await page.close();
  },

  async "programs of the tests mean here what they mean elsewhere"() {
    const folder = join(values.repository, "tests/programs");
    const read = (name) => ({ name, text: readFileSync(join(folder, name), "utf8") });
    const files = readdirSync(folder).filter((name) => name.endsWith(".fut")).map(read);
    // What needs other files or properties cannot run here, and what is for compiled programs only would take too long.
    const elsewhere = /^(open |local )?(def |module |)?.*\bimport "|@ |compiled|-- error:|property/m;
    // Here all are called "program.fut".
    const fits = ({ name, text }) => /^-- ==$/m.test(text) && !elsewhere.test(text) && !text.includes(name);
    const programs = files.filter(fits);
    assert.ok(programs.length >= 10, `${programs.length} of ${files.length} programs`);
    const page = await Page.open("entry main = 1i32", { search: "?limit=100" });
    await page.until("done");
    for (const { name, text } of programs) {
      await page.type(text);
      await page.run();
      const count = (selector) => page.page.locator(selector).count();
      assert.equal(await count("#shown .failed"), 0, `${name}: ${await page.output()}`);
      assert.ok((await count("#shown .verdict.passed")) > 0, `${name}: ${await page.output()}`);
    }
    console.log(`  ${programs.length} of ${files.length} programs`);
    await page.close();
  },

  async "the page in another page runs at once"() {
    const page = await Page.open("entry main = 5i32", { search: "?embed&run", viewport: { width: 640, height: 400 } });
    await page.until("done");
    assert.match(await page.output(), /5i32/);
    assert.equal(await page.page.isVisible("#examples"), false);
    assert.equal(await page.page.isVisible("#open"), true);
    await page.close();
  },

  async "nothing is wider than a phone"() {
    for (const colorScheme of ["light", "dark"]) {
      const page = await Page.open(null, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme });
      await page.until("done");
      const width = await page.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${width} pixels`);
      await picture(page, `phone-${colorScheme}`);
      await page.page.click("#tab-report");
      await page.page.waitForSelector("#report svg.flow");
      await picture(page, `phone-report-${colorScheme}`);
      await page.close();
    }
  },

  async "pictures of the page"() {
    for (const colorScheme of ["light", "dark"]) {
      const page = await Page.open(null, { viewport: { width: 1360, height: 850 }, colorScheme });
      await page.until("done");
      await page.page.waitForSelector(".cm-line .kw");
      await picture(page, `desktop-${colorScheme}`);
      await page.page.selectOption("#examples", { label: "Mandelbrot set" });
      await page.page.waitForSelector("#shown img");
      await page.until("done");
      await picture(page, `mandelbrot-${colorScheme}`);
      await page.page.selectOption("#examples", { label: "Welcome" });
      await page.page.click("#tab-report");
      await page.page.waitForSelector("#report svg.flow");
      await picture(page, `report-${colorScheme}`);
      await page.type("entry main = 1i32 + tru\n");
      await page.page.click("#tab-output");
      await page.run();
      await page.page.hover(".cm-lintRange-error");
      await page.page.waitForSelector(".cm-tooltip-hover, .cm-tooltip-lint");
      await picture(page, `mistake-${colorScheme}`);
      await page.close();
    }
  },
};

async function picture({ page }, name) {
  if (!values.screenshots) return;
  mkdirSync(values.screenshots, { recursive: true });
  await page.screenshot({ path: join(values.screenshots, `${name}.png`) });
}

let failed = 0;
for (const [name, test] of Object.entries(TESTS)) {
  if (values.only && !name.includes(values.only)) continue;
  const began = Date.now();
  try {
    await test();
    console.log(`passed (${((Date.now() - began) / 1000).toFixed(1)} s): ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
await browser.close();
server.close();
console.log(failed === 0 ? "all tests passed" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
