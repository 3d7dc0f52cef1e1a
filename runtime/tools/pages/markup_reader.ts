// Reads HTML and XML as a sequence of tags and texts, in slices. The time is proportional to the length of the source.
import { Parser } from "htmlparser2";
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
/** The maximum number of open elements. Deeper elements would take the parser a time that grows with the depth. */
const MAX_OPEN = 5_000;

/** The milliseconds that the conversion of one page may still compute. */
export interface Allowance {
  ms: number;
}

/**
 * Passes the tags and texts of a source to the handler. Each opened element is closed, and an element that ends another one
 * closes it first. Stops when the allowance is used up or too many elements are open. Returns the number of characters that
 * were read. Reads real time, like nextSlice(). Rethrows the handler's errors.
 */
export async function readMarkup(
  source: string,
  { isXml, allowance }: { isXml: boolean; allowance: Allowance },
  handler: MarkupHandler,
): Promise<number> {
  let open = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      open++;
      const pairs = Object.entries(attributes);
      handler.open(name, pairs.length === 0 ? NO_ATTRIBUTES : new Map(pairs));
    },
    onclosetag(name) {
      open--;
      handler.close(name);
    },
    ontext: (text) => handler.text(text),
  }, { xmlMode: isXml });
  for (let at = 0; at < source.length; at += SLICE_CHARACTERS) {
    await nextSlice();
    if (allowance.ms <= 0 || open > MAX_OPEN) return at;
    const begun = performance.now();
    parser.write(source.slice(at, at + SLICE_CHARACTERS));
    allowance.ms -= Math.min(MAX_COUNTED_MS, performance.now() - begun);
  }
  parser.end();
  return source.length;
}
