// Recognizes a file of another tool in the agents folder.
import { basename } from "../../base/plain_path.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { definitionSchema } from "../../runtime/agents/definition.ts";
import { readForeignFile } from "../import/shapes/formats.ts";

/** The fields that agents of other tools have, too. */
const SHARED_FIELDS = ["name", "description", "model", "tools"];

/**
 * Returns the one problem of a file that another tool reads: its format, and the command that imports it. Returns undefined
 * for a file with the fields of an agent. `found` are the problems of the file as an agent.
 */
export function diagnoseForeignFile(
  { path, bytes }: { path: string; bytes: Uint8Array },
  found: readonly Diagnostic[],
): Diagnostic | undefined {
  const read = readForeignFile(basename(path), new TextDecoder().decode(bytes));
  if (read === undefined) return undefined;
  const known = Object.keys(definitionSchema.shape);
  const fields = Object.keys(read.fields ?? {});
  // A key that resembles a known one is a typing error in an agent's file.
  const isForeign = fields.some((key) => !known.includes(key) && suggest(key, known) === undefined);
  const isOwn = fields.some((key) => known.includes(key) && !SHARED_FIELDS.includes(key));
  const isBroken = found.some(({ severity }) => severity === "error");
  if (!isForeign && (isOwn || !isBroken)) return undefined;
  return {
    ...errorAtStart(path, `This is ${read.name}, and no agent of Inkling`),
    severity: isBroken ? "error" : "warning",
    hint: `inkling import ${path}`,
  };
}
