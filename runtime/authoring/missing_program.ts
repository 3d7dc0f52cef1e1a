// Whether the program of an MCP server is there, looked for as it is when it is started.
import { resolve } from "node:path";
import { expandHome } from "../config/places.ts";
import { redactText } from "../secrets/secret_marks.ts";
import {
  describeMissingCommand,
  type ServerDefinition,
} from "../tools/mcp/servers_file/server_definition.ts";

type Program = Extract<ServerDefinition, { kind: "program" }>;

/**
 * Says that a run would not find the program; a sentence's end, without secrets. Undefined where it is there, and where
 * nobody can tell: without a PATH, or in folders that this process may not look into.
 */
export async function describeMissingProgram(program: Program): Promise<string | undefined> {
  const { command, env, cwd, secrets } = program;
  const isPath = command.includes("/");
  // A tilde in PATH is expanded by who starts the program.
  const home = env["HOME"];
  const folders = env["PATH"]?.split(":")
    .map((folder) => home === undefined ? folder : expandHome(folder, home));
  if (!isPath && folders === undefined) return undefined;
  const candidates = isPath ? [command] : (folders ?? []).map((folder) => `${folder}/${command}`);
  for (const candidate of candidates) {
    if (await mayStart(resolve(cwd, candidate), { isPath })) return undefined;
  }
  return redactText(describeMissingCommand(program), secrets);
}

/** What is found in PATH must be a program; what is named by its path is started as it is, and refused then. */
async function mayStart(path: string, { isPath }: { isPath: boolean }): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(path);
    return isPath || (isFile && (mode === null || (mode & 0o111) !== 0));
  } catch (error) {
    // Any other failure leaves open what is there.
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}
