// Reads HTML and XML as a sequence of tags and texts, in slices. The time is proportional to the length of the source.
import { Tokenizer } from "htmlparser2";
import { nextSlice } from "../../../base/slices.ts";

/** The number of characters between two chances for other work. */
const SLICE_CHARACTERS = 8 * 1024;

/** The maximum time that counts for a slice. A slice takes longer only if the system pauses the process. */
const MAX_COUNTED_MS = 50;

/** The attributes of a tag, by their names in lower case. */
export type Attributes = ReadonlyMap<string, string>;

/** Receives the tags and texts of a source in order. Names are as written in XML, and in lower case in HTML. */
export interface MarkupHandler {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
}

const NO_ATTRIBUTES: Attributes = new Map();

/** The milliseconds that the conversion of one page may still compute. */
export interface Allowance {
  ms: number;
}

/**
 * Passes the tags and texts of a source to the handler. Stops when the allowance is used up, and returns the number of
 * characters that were read. Reads real time, like nextSlice(). Rethrows the handler's errors.
 */
export async function readMarkup(
  source: string,
  { isXml, allowance }: { isXml: boolean; allowance: Allowance },
  handler: MarkupHandler,
): Promise<number> {
  let name = "";
  let attributes = NO_ATTRIBUTES;
  let own = new Map<string, string>();
  let attribute = "";
  let value = "";
  const part = (start: number, end: number) => source.slice(start, end);
  // The tokenizer reports a text in many parts.
  let [textStart, textEnd] = [0, 0];
  const flush = () => {
    if (textEnd > textStart) handler.text(part(textStart, textEnd));
    textStart = textEnd;
  };
  const named = (start: number, end: number) =>
    isXml ? part(start, end) : part(start, end).toLowerCase();
  const tokenizer = new Tokenizer({ xmlMode: isXml, decodeEntities: true }, {
    onopentagname(start, end) {
      flush();
      name = named(start, end);
      attributes = NO_ATTRIBUTES;
    },
    onattribname(start, end) {
      attribute = part(start, end).toLowerCase();
      value = "";
    },
    onattribdata: (start, end) => void (value += part(start, end)),
    onattribentity: (point) => void (value += String.fromCodePoint(point)),
    onattribend() {
      if (attributes === NO_ATTRIBUTES) attributes = own = new Map();
      if (!own.has(attribute)) own.set(attribute, value);
    },
    onopentagend: () => handler.open(name, attributes),
    onselfclosingtag() {
      handler.open(name, attributes);
      if (isXml) handler.close(name);
    },
    onclosetag(start, end) {
      flush();
      handler.close(named(start, end));
    },
    ontext(start, end) {
      if (start !== textEnd) {
        flush();
        textStart = start;
      }
      textEnd = end;
    },
    ontextentity(point) {
      flush();
      handler.text(String.fromCodePoint(point));
    },
    oncdata(start, end, offset) {
      flush();
      handler.text(part(start, end - offset));
    },
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  });
  for (let at = 0; at < source.length; at += SLICE_CHARACTERS) {
    await nextSlice();
    if (allowance.ms <= 0) return at;
    const begun = performance.now();
    tokenizer.write(source.slice(at, at + SLICE_CHARACTERS));
    // A long text is handled in parts, too.
    flush();
    allowance.ms -= Math.min(MAX_COUNTED_MS, performance.now() - begun);
  }
  tokenizer.end();
  flush();
  return source.length;
}
