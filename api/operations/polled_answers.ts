// Answers operations that clients poll: keeps the text and the ETag of an answer as long as its source is the same object.
import type { z } from "zod";
import { toWire } from "../schemas/wire.ts";
import { isKnownTag, toEntityTag } from "./entity_tag.ts";

interface Body {
  text: string;
  etag: string;
}

/**
 * Returns a function that converts a list. While the list and its rows are the same objects, the results are the same
 * objects.
 */
export function keptRows<Row extends object, Shown extends object>(
  convert: (row: Row) => Shown,
): (rows: readonly Row[]) => readonly Shown[] {
  const lists = new WeakMap<readonly Row[], readonly Shown[]>();
  const shown = new WeakMap<Row, Shown>();
  const show = (row: Row) => {
    const one = shown.get(row) ?? convert(row);
    shown.set(row, one);
    return one;
  };
  return (rows) => {
    const list = lists.get(rows) ?? rows.map(show);
    lists.set(rows, list);
    keptLists.add(list);
    return list;
  };
}

/** The lists that the functions of keptRows() returned. Their rows never change, so the JSON text of each row is kept. */
const keptLists = new WeakSet<readonly object[]>();

/** The answers of one operation. */
export class PolledAnswers {
  readonly #bodies = new WeakMap<object, Body>();
  readonly #rows = new WeakMap<object, string>();

  /** Returns the response with an ETag, or 304 if `known` (If-None-Match) lists that tag. */
  respond(schema: z.ZodType, answer: unknown, known: string | null): Response {
    const { text, etag } = this.#bodyOf(schema, answer);
    const headers = { etag, "cache-control": "no-cache" };
    if (isKnownTag(etag, known)) return new Response(null, { status: 304, headers });
    return new Response(text, { headers: { ...headers, "content-type": "application/json" } });
  }

  #bodyOf(schema: z.ZodType, answer: unknown): Body {
    if (!isKept(answer)) return toBody(JSON.stringify(toWire(schema, answer)));
    let body = this.#bodies.get(answer);
    if (body === undefined) {
      const row = (schema as z.ZodArray).element as z.ZodType;
      body = toBody(`[${answer.map((one) => this.#rowText(row, one)).join(",")}]`);
      this.#bodies.set(answer, body);
    }
    return body;
  }

  #rowText(schema: z.ZodType, row: object): string {
    const text = this.#rows.get(row) ?? JSON.stringify(toWire(schema, row));
    this.#rows.set(row, text);
    return text;
  }
}

function toBody(text: string): Body {
  return { text, etag: toEntityTag(text) };
}

function isKept(answer: unknown): answer is readonly object[] {
  return Array.isArray(answer) && keptLists.has(answer);
}
