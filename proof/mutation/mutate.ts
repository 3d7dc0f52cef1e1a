// Finds the code of a safeguard and removes it.
import { join } from "node:path";
import { REPOSITORY, sourceFiles } from "../../tests/support/repository.ts";
import { changeSymbol, PlaceUnclear } from "./change.ts";
import type { Mutation } from "./guards.ts";

/** The text of each source file of the product, by path. */
const sources = new Map(
  sourceFiles().map((file) => [file, Deno.readTextFileSync(join(REPOSITORY, file))]),
);

/** The paths of the files that declare a name. */
const declaring = Map.groupBy(
  [...sources].flatMap(([file, source]) =>
    [...new Set(source.matchAll(/\b(?:class|function\*?|const) ([\w$]+)/g).map(([, name]) => name))]
      .map((name) => ({ name, file }))
  ),
  ({ name }) => name,
);

/**
 * Finds the one source file with the mutation's symbol. Returns the file's path, its text, and its text without the code
 * that the mutation removes. Throws PlaceUnclear unless exactly one file contains the symbol and the symbol contains that
 * code exactly once.
 */
export function mutate(
  { guard, symbol, below = "", ...change }: Mutation,
): { file: string; source: string; changed: string } {
  const found = (declaring.get(symbol.split(".")[0]) ?? []).flatMap(({ file }) => {
    const source = sources.get(file);
    if (!file.startsWith(below) || source === undefined) return [];
    const changed = changeSymbol(source, symbol, change);
    return changed === undefined ? [] : [{ file, source, changed }];
  });
  const [place, ...others] = found;
  if (place !== undefined && others.length === 0) return place;
  const places = found.map(({ file }) => file).join(", ") || "no file";
  throw new PlaceUnclear(
    `Cannot take away "${guard}": ${places} has ${symbol} with ${JSON.stringify(change)}`,
  );
}
