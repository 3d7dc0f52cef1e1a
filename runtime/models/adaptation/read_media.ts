// Recognizes pictures and PDF files by their bytes, and describes them. This module is loaded with the first binary file.
import { Buffer } from "node:buffer";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";

const MB = 1_024 * 1_024;
const MOST_PAGES = 20;
/** The approximate number of tokens that providers count for a picture or a PDF page. */
const TOKENS = 1_600;

type Size = (view: DataView) => [width: number, height: number];

const FORMATS: readonly [name: string, begins: RegExp, mediaType: string, size?: Size][] = [
  ["PNG", /^\x89PNG\r\n/, "image/png", (view) => [view.getUint32(16), view.getUint32(20)]],
  ["GIF", /^GIF8[79]a/, "image/gif", (view) => [view.getUint16(6, true), view.getUint16(8, true)]],
  ["JPEG", /^\xff\xd8\xff/, "image/jpeg", jpegSize],
  ["WebP", /^RIFF[^]{4}WEBP/, "image/webp", webpSize],
  ["PDF", /^%PDF-/, "application/pdf"],
];

/**
 * Returns the bytes as a picture or PDF file with a description, or undefined if they are neither. A file that is too large
 * to send has only the description.
 */
export function readMedia(
  bytes: Uint8Array,
): Pick<Media, "kind"> & { text: string; media?: Media } | undefined {
  const beginning = String.fromCharCode(...bytes.subarray(0, 16));
  const format = FORMATS.find(([, begins]) => begins.test(beginning));
  if (format === undefined) return undefined;
  const [name, , mediaType, size] = format;
  const pages = size === undefined ? countPages(bytes) : 0;
  const known = pages > 0 ? `, ${pages} pages` : "";
  const shown = (size === undefined ? `PDF${known}` : `picture ${sizeText(size, bytes)}${name}`) +
    `, ${Math.ceil(bytes.length / 1_024)} KB`;
  const kind = size === undefined ? "pdf" : "image";
  if (bytes.length > (kind === "pdf" ? 10 : 5) * MB || pages > MOST_PAGES) {
    const limit = kind === "pdf" ? `10 MB and ${MOST_PAGES} pages` : "5 MB";
    return { kind, text: `[${shown}: not shown, the limit is ${limit}]` };
  }
  const data = Buffer.from(bytes).toString("base64");
  const media = { kind, mediaType, data, tokens: TOKENS * Math.max(1, pages) } as const;
  return { kind, text: `[${shown}]`, media };
}

/** Returns the size of a picture as `640x480 `; an empty string for a broken picture. */
function sizeText(size: Size, bytes: Uint8Array): string {
  try {
    return `${size(new DataView(bytes.buffer, bytes.byteOffset, bytes.length)).join("x")} `;
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/**
 * Returns the size of a WebP picture from its first chunk (VP8X, VP8L or VP8), as in
 * https://developers.google.com/speed/webp/docs/riff_container
 */
function webpSize(view: DataView): [number, number] {
  const at = (place: number) => view.getUint32(place, true);
  const kind = view.getUint8(15);
  if (kind === 0x58) return [1 + (at(24) & 0xffffff), 1 + (at(26) >>> 8)];
  if (kind === 0x4c) return [1 + (at(21) & 0x3fff), 1 + (at(21) >>> 14 & 0x3fff)];
  return [at(26) & 0x3fff, at(26) >>> 16 & 0x3fff];
}

/** Returns the size of a JPEG picture from its frame header. Throws a RangeError without a header. */
function jpegSize(view: DataView): [number, number] {
  for (let at = 2;; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
  }
}

/** Returns the number of pages that the uncompressed parts of a PDF file show; 0 if all parts are compressed. */
function countPages(bytes: Uint8Array): number {
  const text = new TextDecoder("latin1").decode(bytes);
  const counts = [...text.matchAll(/\/Count (\d{1,6})\b/g)].map(([, count]) => Number(count));
  return Math.max(text.match(/\/Type\s*\/Page(?!\w)/g)?.length ?? 0, ...counts);
}
