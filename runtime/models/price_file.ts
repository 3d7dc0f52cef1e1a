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

/** The result of parsing a pricing file: the valid prices, and the problems of the file. */
export interface ParsedPriceFile {
  /** The valid prices by the keys of the file. */
  prices: Map<string, Price>;
  /** The first error of each invalid entry, by the keys of the file. */
  broken: Map<string, Diagnostic>;
  /** All problems of the file. Unknown keys are warnings. */
  diagnostics: Diagnostic[];
}

/**
 * Parses the text of a pricing file. Invalid entries do not affect valid ones. If the text is not a YAML map, returns only
 * diagnostics.
 */
export function parsePriceFile(
  text: string,
  path: string,
): ParsedPriceFile | { diagnostics: Diagnostic[] } {
  const parsed = parseYaml(text, { path });
  if ("diagnostics" in parsed) return parsed;
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
  return { prices, broken, diagnostics };
}

/** The content of a pricing file. */
export interface PriceList {
  /** The prices by the keys of the file. If the file or an entry has become invalid, its last valid prices stay in use. */
  prices: ReadonlyMap<string, Price>;
  /** The first error of each entry that is invalid at present, by the keys of the file. */
  broken: ReadonlyMap<string, Diagnostic>;
  /** The reason why no entry can be read; undefined if the file can be read or does not exist. */
  failure: Diagnostic | undefined;
  /** All problems of the file at present. */
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
    if (changed !== undefined) this.#update(changed);
    return this.#list;
  }

  #update(changed: ChangedFile): void {
    switch (changed.state) {
      case "text":
        return this.#parse(changed.text);
      case "bytes":
        return this.#keepPrices([changed.diagnostic]);
      case "missing":
        this.#list = EMPTY;
        return;
      case "unfit":
        return this.#fail(
          changed.reason === "is over 1 MB"
            ? "The file is over 1 MB, too large for a price list"
            : `The file cannot be read: it ${changed.reason}`,
        );
      case "unreadable":
        return this.#fail(`The file cannot be read: ${changed.reason}`);
    }
  }

  #parse(text: string): void {
    const parsed = parsePriceFile(text, this.path);
    if (!("prices" in parsed)) {
      this.#keepPrices(parsed.diagnostics);
      return;
    }
    const { prices, broken, diagnostics } = parsed;
    for (const key of broken.keys()) {
      const before = this.#list.prices.get(key);
      if (before !== undefined) prices.set(key, before);
    }
    this.#list = { prices, broken, failure: undefined, problems: diagnostics };
  }

  #fail(message: string): void {
    this.#keepPrices([errorAtStart(this.path, message)]);
  }

  #keepPrices(problems: readonly Diagnostic[]): void {
    const { prices } = this.#list;
    this.#list = { prices, broken: new Map(), failure: problems[0], problems };
  }
}
