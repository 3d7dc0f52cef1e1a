// Whether the files that an agent names exist: custom tools, skills, MCP servers. What is in them is their folders' business.
import { join } from "node:path";
import type { Directories } from "../config/directories.ts";
import { exists } from "../config/exists.ts";
import { diagnose, type DiagnosedFile } from "../config/schema_diagnostics.ts";
import type { YamlPath } from "../config/yaml_document.ts";
import type { Diagnostic } from "../diagnostics.ts";
import { isJsonObject } from "../json.ts";
import { suggest } from "../suggestion.ts";
import type { Agent } from "./agent.ts";

/** Where an agent's tools, skills and servers are defined. */
export type ResourceFolders = Pick<Directories, "toolsDir" | "skillsDir" | "mcpServersFile">;

/** An error for each custom tool, skill and MCP server that is not there. */
export async function checkResources(
  agent: Agent,
  file: DiagnosedFile,
  folders: ResourceFolders,
): Promise<Diagnostic[]> {
  return [
    ...await checkCustomTools(agent, file, folders.toolsDir),
    ...await checkSkills(agent, file, folders.skillsDir),
    ...await checkServers(agent, file, folders.mcpServersFile),
  ];
}

/** Where an item of a list stands: duplicates are gone from the agent's lists, so their indexes are not the file's. */
export function itemPath(file: DiagnosedFile, list: readonly string[], item: string): YamlPath {
  let value: unknown = file.document.value;
  for (const key of list) value = isJsonObject(value) ? value[key] : undefined;
  return [...list, Array.isArray(value) ? Math.max(0, value.indexOf(item)) : 0];
}

async function checkCustomTools(
  agent: Agent,
  file: DiagnosedFile,
  toolsDir: string,
): Promise<Diagnostic[]> {
  const field = file.document.value["custom_tools"] == null ? "tools" : "custom_tools";
  const missing: Diagnostic[] = [];
  for (const name of agent.customTools) {
    const paths = ["ts", "js"].map((extension) => join(toolsDir, `${name}.${extension}`));
    if ((await Promise.all(paths.map(exists))).includes(true)) continue;
    const message = `The custom tool ${name} does not exist: neither ${paths.join(" nor ")}`;
    missing.push(diagnose(file, itemPath(file, [field], name), { message }));
  }
  return missing;
}

async function checkSkills(
  agent: Agent,
  file: DiagnosedFile,
  skillsDir: string,
): Promise<Diagnostic[]> {
  const missing: Diagnostic[] = [];
  for (const name of agent.skills) {
    const path = join(skillsDir, name, "SKILL.md");
    if (await exists(path)) continue;
    const message = `The skill ${name} does not exist: there is no ${path}`;
    missing.push(diagnose(file, itemPath(file, ["skills"], name), { message }));
  }
  return missing;
}

async function checkServers(
  agent: Agent,
  file: DiagnosedFile,
  path: string,
): Promise<Diagnostic[]> {
  if (agent.mcp.length === 0) return [];
  const defined = await readServerNames(path);
  if (typeof defined === "string") return [diagnose(file, ["mcp"], { message: defined })];
  return agent.mcp.flatMap((name) => {
    if (defined.includes(name)) return [];
    const nearest = suggest(name, defined);
    return [diagnose(file, itemPath(file, ["mcp"], name), {
      message: `The MCP server ${name} is not defined in ${path}`,
      ...(nearest === undefined ? {} : { hint: `did you mean "${nearest}"?` }),
    })];
  });
}

/** The servers that a file defines, or why it defines none. */
async function readServerNames(path: string): Promise<string[] | string> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return `MCP servers are named and ${path} is missing`;
    }
    if (error instanceof Deno.errors.PermissionDenied) return `${path} cannot be read`;
    throw error;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    const wrapped = isJsonObject(parsed) ? parsed["mcpServers"] : undefined;
    const servers = wrapped === undefined ? parsed : wrapped;
    return isJsonObject(servers)
      ? Object.keys(servers)
      : `${path} must hold a map of servers by name`;
  } catch (error) {
    // The parser's own words quote the text, which may hold keys.
    if (error instanceof SyntaxError) return `${path} is no JSON`;
    throw error;
  }
}
