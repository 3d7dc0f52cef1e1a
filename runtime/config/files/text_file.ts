// Decodes the bytes of a file to text, or finds the first byte that is not text.
import type { Diagnostic } from "../../../base/diagnostics.ts";

/**
 * Returns the text of UTF-8 bytes without the byte order mark, or a diagnostic for the first byte that is not text (invalid
 * UTF-8 or NUL).
 */
export function decodeText(
  bytes: Uint8Array,
  path: string,
): { text: string } | { diagnostic: Diagnostic } {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    const hint = "It looks like UTF-16: save it as UTF-8";
    return {
      diagnostic: problem(path, { line: 1, column: 1 }, "The file is not UTF-8 text", hint),
    };
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const before = new TextDecoder().decode(bytes.subarray(0, nul));
    const lines = before.split("\n");
    const place = { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
    return { diagnostic: problem(path, place, "The file is binary: it holds a NUL byte") };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const place = findBadByte(bytes);
    const byte = `0x${place.byte.toString(16).padStart(2, "0")}`;
    return {
      diagnostic: problem(
        path,
        place,
        `The file is not UTF-8 text: the byte ${byte} here is not valid`,
        "Save it as UTF-8",
      ),
    };
  }
}

function problem(
  path: string,
  place: { line: number; column: number },
  message: string,
  hint?: string,
): Diagnostic {
  const { line, column } = place;
  return {
    path,
    line,
    column,
    severity: "error",
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * Returns the position of the first byte that is not text. Searches line by line, because a line feed is never part of a
 * longer character.
 */
function findBadByte(bytes: Uint8Array): { line: number; column: number; byte: number } {
  let line = 1;
  for (let start = 0; start <= bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed < 0 ? bytes.length : feed;
    const bad = findBadByteOfLine(bytes.subarray(start, end));
    if (bad !== undefined) return { line, ...bad };
    start = end + 1;
  }
  throw new TypeError("Only bytes that are not UTF-8 have a bad byte");
}

function findBadByteOfLine(bytes: Uint8Array): { column: number; byte: number } | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let decoded = 0;
  let first = 0;
  for (let i = 0; i <= bytes.length; i++) {
    try {
      const length = i < bytes.length
        ? decoder.decode(bytes.subarray(i, i + 1), { stream: true }).length
        : decoder.decode().length;
      decoded += length;
      if (length > 0) first = i + 1;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return { column: decoded + 1, byte: bytes[first] ?? 0 };
    }
  }
  return undefined;
}
