// Finds the secrets in mcp-servers.json, which are redacted in all output. The file is checked at each use, and read again
// after a change.
import { isJsonObject } from "../../../../base/json.ts";
import { toPlainJson } from "../../../../base/text/json_comments.ts";
import { ChangingFile } from "../../../config/files/changing_file.ts";
import { joinSecrets, type Secret } from "../../../secrets/secret.ts";
import { declaredSecrets } from "./declared_secrets.ts";
import { Expansion } from "./expansion.ts";
import { findEntries, MAX_SERVERS, toOwnEntry } from "./server_entries.ts";

/**
 * Returns a function that returns `secrets` and the secrets of the file at `path`, longest first. `lookup` returns the
 * value of a variable. If the file becomes invalid or unreadable, the function continues to return the file's previous
 * secrets.
 */
export function withServerSecrets(
  secrets: () => readonly Secret[],
  { path, lookup }: { path: string; lookup: (name: string) => string | undefined },
): () => readonly Secret[] {
  const file = new ChangingFile(path);
  let entries: unknown[] = [];
  /** The secrets of the file as read last, and the variables that were filled into them. */
  let known: { variables: ReadonlyMap<string, string | undefined>; own: Secret[] } | undefined;

  /** True until the next microtask. No text can be read or sent before that. */
  let isFresh = false;

  const refresh = () => {
    if (isFresh) return;
    isFresh = true;
    queueMicrotask(() => isFresh = false);
    const changed = file.readIfChanged();
    // An unusable file is not reported here, because it is reported when its servers are used.
    if (changed?.state !== "text") return;
    try {
      entries = Object.values(findEntries(JSON.parse(toPlainJson(changed.text))).entries ?? {});
      known = undefined;
    } catch (error) {
      // The file is half written.
      if (!(error instanceof SyntaxError)) throw error;
    }
  };
  const findOwn = () => {
    refresh();
    const hasChanged = known?.variables.entries().some(([name, value]) => lookup(name) !== value);
    if (known === undefined || hasChanged) known = findSecrets(entries, lookup);
    return known.own;
  };
  return joinSecrets(secrets, findOwn);
}

function findSecrets(entries: readonly unknown[], lookup: (name: string) => string | undefined) {
  const variables = new Map<string, string | undefined>();
  const remembered = (name: string) => {
    const value = lookup(name);
    variables.set(name, value);
    return value;
  };
  const own = entries.slice(0, MAX_SERVERS).flatMap((entry) => {
    const expansion = new Expansion(remembered);
    const own = isJsonObject(entry) ? toOwnEntry(entry) : entry;
    return declaredSecrets(own, (text, place) => expansion.fill(text, place));
  });
  return { variables, own };
}
