// Programs in links: `#code=` and the text, compressed (deflate without header) and in base64 for addresses.

async function through(stream, bytes) {
  const out = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(out).arrayBuffer());
}

/** A text for an address. */
export async function pack(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  let characters = "";
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text again. */
export async function unpack(packed) {
  const characters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

/** The program that the address of the page carries, if it carries one. */
export async function carried() {
  const packed = new URLSearchParams(location.hash.slice(1)).get("code");
  return packed === null ? null : unpack(packed);
}
