// What the tools of servers are called among an agent's other tools. Pure, and the same for the same tools in any order.
import { fnv1a } from "../../config/fnv1a.ts";

/** The longest function name that all model providers take. */
const MAX_LENGTH = 64;

/** A tool of a server, by the names that they give themselves. */
export interface ServerTool {
  server: string;
  tool: string;
}

/**
 * The names by which a person knows a tool, without and with its server's: as the server writes them, and as valid function
 * names, of which it gets one where it is free.
 */
export function usualNames({ server, tool }: ServerTool): string[] {
  const written = [tool, `${server}_${tool}`];
  return [...new Set([...written, ...written.map(toFunctionName)])];
}

/**
 * A name for each tool, in their order: its own where that is free and a valid function name, else made valid; where two
 * want the same, or one is `taken`, both are called `server_tool`; where even that is not free, a mark or a number makes
 * the difference.
 */
export function nameTools(tools: readonly ServerTool[], taken: Iterable<string>): string[] {
  const used = new Set(taken);
  const names = new Map<ServerTool, string>();
  const forms = [
    ({ tool }: ServerTool) => toFunctionName(tool),
    ({ server, tool }: ServerTool) => toFunctionName(`${server}_${tool}`),
    markedName,
  ];
  for (const form of forms) {
    const wanted = new Map<string, ServerTool[]>();
    for (const one of tools.filter((tool) => !names.has(tool))) {
      wanted.set(form(one), [...wanted.get(form(one)) ?? [], one]);
    }
    for (const [name, [first, ...others]] of wanted) {
      if (first === undefined || others.length > 0 || used.has(name)) continue;
      names.set(first, name);
      used.add(name);
    }
  }
  return tools.map((tool) => names.get(tool) ?? numberedName(tool, used));
}

/** For who makes two names with one mark: it takes intent, and must not stop a run. */
function numberedName(tool: ServerTool, used: Set<string>): string {
  const base = markedName(tool).slice(0, MAX_LENGTH - 5);
  for (let number = 2;; number++) {
    const name = `${base}_${number}`;
    if (used.has(name)) continue;
    used.add(name);
    return name;
  }
}

/**
 * A name that every provider takes: letters, digits, `_` and `-`, at most 64 of them, beginning with a letter or `_` (one
 * of the providers insists).
 */
export function toFunctionName(name: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  const begun = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  return begun.length <= MAX_LENGTH ? begun : `${begun.slice(0, MAX_LENGTH - 9)}_${mark(name)}`;
}

function markedName({ server, tool }: ServerTool): string {
  const name = toFunctionName(`${server}_${tool}`);
  return `${name.slice(0, MAX_LENGTH - 9)}_${mark(JSON.stringify([server, tool]))}`;
}

function mark(text: string): string {
  return fnv1a(text).toString(16).padStart(16, "0").slice(-8);
}
