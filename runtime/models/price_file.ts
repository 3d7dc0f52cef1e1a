// One pricing.yaml, with the prices that a person set for models. Read again after each change.
//
//   openai/gpt-4o: { input: 2.5, output: 10, cache_read: 1.25 }    # provider/name
//   my-model: { input: 0.2, output: 0.6 }                          # the name alone, for every provider
//
// US dollars per million tokens. `cache_read` and `cache_write` default to `input`.
import { z } from "zod";
import { type ChangedFile, ChangingFile } from "../config/files/changing_file.ts";
import { checkSchema } from "../config/schema_diagnostics.ts";
import { parseYaml } from "../config/files/yaml_document.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";

const dollars = z.number().min(0);

const priceSchema = z.object({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});

const priceFileSchema = z.record(z.string(), priceSchema);

/** The price of a model, in US dollars per million tokens. */
export type Price = z.output<typeof priceSchema>;

/**
 * The maximum number of diagnostics for one file. The time to find their positions grows with the square of their number.
 */
const MOST_OF_A_KIND = 100;

/**
 * Parses the text of a pricing file. Invalid entries do not affect valid ones, and get their prices from `before`. If the
 * text is not a YAML map, all prices are from `before`.
 */
export function parsePriceFile(
  text: string,
  path: string,
  before: PriceList["prices"] = new Map(),
): PriceList {
  const parsed = parseYaml(text, { path });
  if ("diagnostics" in parsed) return unreadList(before, parsed.diagnostics);
  const { document } = parsed;
  const prices = new Map<string, Price>();
  const broken = new Map<string, Diagnostic>();
  const diagnostics = [...document.warnings];
  const unlisted = errorAtStart(
    path,
    "There are more broken prices than listed here: fix the listed ones first",
  );
  for (const [key, entry] of Object.entries(document.value)) {
    const price = priceSchema.safeParse(entry);
    if (price.success) prices.set(key, price.data);
    else if (broken.size >= MOST_OF_A_KIND) {
      broken.set(key, unlisted);
      continue;
    }
    if (price.success && diagnostics.length >= MOST_OF_A_KIND) continue;
    const alone = { ...document, value: { [key]: entry } };
    const found = checkSchema(priceFileSchema, { path, document: alone }).diagnostics;
    diagnostics.push(...found);
    if (!price.success) {
      broken.set(key, found.find(({ severity }) => severity === "error") ?? unlisted);
    }
  }
  if ([...broken.values()].includes(unlisted)) diagnostics.push(unlisted);
  for (const key of broken.keys()) {
    const price = before.get(key);
    if (price !== undefined) prices.set(key, price);
  }
  return { prices, broken, failure: undefined, problems: diagnostics };
}

function unreadList(prices: PriceList["prices"], problems: readonly Diagnostic[]): PriceList {
  return { prices, broken: new Map(), failure: problems[0], problems };
}

/** The content of a pricing file. */
export interface PriceList {
  /** The prices by the keys of the file. If the file or an entry has become invalid, its last valid prices stay in use. */
  prices: ReadonlyMap<string, Price>;
  /** The first error of each entry that is invalid at present, by the keys of the file. */
  broken: ReadonlyMap<string, Diagnostic>;
  /** The reason why no entry can be read; undefined if the file can be read or does not exist. */
  failure: Diagnostic | undefined;
  /** All problems of the file at present. Unknown keys are warnings. */
  problems: readonly Diagnostic[];
}

const EMPTY: PriceList = { prices: new Map(), broken: new Map(), failure: undefined, problems: [] };

/** Reads a pricing file again whenever it has changed. */
export class PriceFile {
  readonly path: string;
  readonly #file: ChangingFile;
  #list: PriceList = EMPTY;

  constructor(path: string) {
    this.path = path;
    this.#file = new ChangingFile(path);
  }

  /** Returns the current content. Reads the file only after a change. */
  current(): PriceList {
    const changed = this.#file.readIfChanged();
    if (changed !== undefined) this.#list = this.#read(changed);
    return this.#list;
  }

  #read(changed: ChangedFile): PriceList {
    const { path } = this;
    const { prices } = this.#list;
    switch (changed.state) {
      case "text":
        return parsePriceFile(changed.text, path, prices);
      case "bytes":
        return unreadList(prices, [changed.diagnostic]);
      case "missing":
        return EMPTY;
    }
    const { reason } = changed;
    const message = changed.state === "unreadable"
      ? `The file cannot be read: ${reason}`
      : reason === "is over 1 MB"
      ? "The file is over 1 MB, too large for a price list"
      : `The file cannot be read: it ${reason}`;
    return unreadList(prices, [errorAtStart(path, message)]);
  }
}
