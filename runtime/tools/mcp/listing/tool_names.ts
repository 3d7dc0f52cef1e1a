// Gives MCP tools names that are unique among an agent's tools. The names do not depend on the order of the tools.
import { fnv1a } from "../../../../base/text/fnv1a.ts";
import type { ServerOrigin } from "../../../agents/guarded_tools.ts";

/** The maximum length of a tool's name that all model providers accept. */
const MAX_LENGTH = 64;

/** The name of an MCP server and the name of one of its tools, as the server writes it. */
type ServerTool = Pick<ServerOrigin, "server" | "tool">;

/**
 * Returns the names that a person may use for a tool in a guard: with and without the server's name, as the server writes
 * them and as valid function names. The tool gets one of the function names if it is free.
 */
export function usualNames({ server, tool }: ServerTool): string[] {
  const written = [tool, `${server}_${tool}`];
  return [...new Set([...written, ...written.map(toFunctionName)])];
}

/**
 * Returns a name for each tool, in the order of `tools`. A tool gets its own name as a valid function name if no other tool
 * wants that name and `taken` does not contain it, else `server_tool`. If `server_tool` is not free, a hash or a number is
 * appended.
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

/**
 * Returns a name with a number. Needed for two tools with the same hash, which somebody must have constructed, and which
 * must not stop a run.
 */
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
 * Converts a name to one that every provider accepts: at most 64 letters, digits, `_` and `-`. It begins with a letter or
 * `_`, because one provider requires that.
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
