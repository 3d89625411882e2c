// Programs in links: `#code=` and the text, compressed (deflate without header) and in base64 for addresses; `#files=` and a list of names and
// texts in JSON, likewise, if there are several files.

async function through(stream, bytes) {
  const out = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(out).arrayBuffer());
}

/** A text for an address. */
async function pack(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  let characters = "";
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text again. */
async function unpack(packed) {
  const characters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

/** The part of an address that carries a program: its text, or a list of its files. */
export async function link({ text, files }) {
  const others = Object.entries(files);
  if (others.length === 0) return `#code=${await pack(text)}`;
  return `#files=${await pack(JSON.stringify([["program.fut", text], ...others]))}`;
}

/** The program that the address of the page carries, if it carries one. */
export async function carried() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (parts.has("code")) return { text: await unpack(parts.get("code")), files: {} };
  if (!parts.has("files")) return null;
  const [[, text], ...others] = JSON.parse(await unpack(parts.get("files")));
  return { text, files: Object.fromEntries(others) };
}
