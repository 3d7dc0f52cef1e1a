// One pricing.yaml: what a person says that models cost. Read again when it changed.
//
//   openai/gpt-4o: { input: 2.5, output: 10, cache_read: 1.25 }    # provider/name
//   my-model: { input: 0.2, output: 0.6 }                          # the name alone, whatever the provider
//
// US dollars per million tokens. `cache_read` and `cache_write` default to `input`.
import { z } from "zod";
import { stampFile } from "../config/file_stamp.ts";
import { isStillMissing, type MissingFile, rememberMissing } from "../config/missing_file.ts";
import { checkSchema } from "../config/schema_diagnostics.ts";
import { decodeText } from "../config/text_file.ts";
import { unreadableReason } from "../files/unreadable.ts";
import { parseYaml } from "../config/yaml_document.ts";
import { type Diagnostic, errorAtStart } from "../diagnostics.ts";

const dollars = z.number().min(0);

const priceSchema = z.object({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});

const priceFileSchema = z.record(z.string(), priceSchema);

/** What a model costs, in US dollars per million tokens. */
export type Price = z.output<typeof priceSchema>;

const LARGEST_FILE_BYTES = 1_024 * 1_024;

/** Reads the text of a pricing file: prices by model, or everything that is wrong with it. Unknown keys are warnings. */
export function parsePriceFile(
  text: string,
  path: string,
): { prices: ReadonlyMap<string, Price> | undefined; diagnostics: Diagnostic[] } {
  const parsed = parseYaml(text, { path });
  if ("diagnostics" in parsed) return { prices: undefined, diagnostics: parsed.diagnostics };
  const { value, diagnostics } = checkSchema(priceFileSchema, { path, document: parsed.document });
  return {
    prices: value === undefined ? undefined : new Map(Object.entries(value)),
    diagnostics: [...parsed.document.warnings, ...diagnostics],
  };
}

/** What a pricing file says. */
export interface PriceList {
  /** By the keys of the file. While it is broken, what it said last holds. */
  prices: ReadonlyMap<string, Price>;
  /** What is wrong with it now. */
  problems: readonly Diagnostic[];
}

/** A pricing file that may change at any time. */
export class PriceFile {
  readonly path: string;
  #prices: ReadonlyMap<string, Price> = new Map();
  #problems: Diagnostic[] = [];
  /** Undefined: read it at the next question. */
  #stamp: string | undefined;
  #missing: MissingFile | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** As it stands now; read only where it changed. */
  look(): PriceList {
    this.#refresh();
    return { prices: this.#prices, problems: this.#problems };
  }

  #refresh(): void {
    if (this.#missing !== undefined && isStillMissing(this.#missing)) return;
    this.#missing = undefined;
    try {
      const info = Deno.statSync(this.path);
      const stamp = stampFile(info);
      if (stamp !== undefined && stamp === this.#stamp) return;
      // Asked before reading: opening a named pipe would wait for ever.
      if (!info.isFile) this.#broken("The file cannot be read: it is not a file");
      else if (info.size > LARGEST_FILE_BYTES) {
        this.#broken("The file is over 1 MB, too large for a price list");
      } else this.#read(Deno.readFileSync(this.path));
      this.#stamp = stamp;
    } catch (error) {
      this.#stamp = undefined;
      if (error instanceof Deno.errors.NotFound) {
        this.#prices = new Map();
        this.#problems = [];
        this.#missing = rememberMissing(this.path);
      } else this.#broken(`The file cannot be read: ${unreadableReason(error)}`);
    }
  }

  #read(bytes: Uint8Array): void {
    const decoded = decodeText(bytes, this.path);
    if ("diagnostic" in decoded) {
      this.#problems = [decoded.diagnostic];
      return;
    }
    const { prices, diagnostics } = parsePriceFile(decoded.text, this.path);
    this.#problems = diagnostics;
    if (prices !== undefined) this.#prices = prices;
  }

  #broken(message: string): void {
    this.#problems = [errorAtStart(this.path, message)];
  }
}
