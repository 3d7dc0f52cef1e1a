// Parses `paths` of an agent file, with aliases, and refuses forbidden paths.
import type { Directories } from "../config/directories.ts";
import { expandHome } from "../config/places.ts";
import type { YamlPath } from "../config/files/yaml_document.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isDatabaseName } from "../../base/files/database_name.ts";
import { isEnvFileName } from "../../base/files/env_file_name.ts";
import { isBelow } from "../../base/files/path_below.ts";
import type { Agent, AgentPath } from "./agent.ts";
import type { Definition } from "./definition.ts";
import { basename, relative, resolve } from "../../base/plain_path.ts";

/** The reserved alias of the workspace folder. */
export const WORKSPACE_ALIAS = "workspace";

/** The value in `paths` for the folder that the user has opened in the editor. */
export const EDITOR_FOLDER = "editor";

const ALIAS = /^[a-z][a-z0-9_]*$/;

/** The directories that paths are resolved and checked against. */
export interface PathBase {
  directories: Pick<Directories, "workspace" | "agentsDir">;
  home: string;
}

/** A path as written, with its position in the file and its alias, if it has one. */
interface WrittenPath {
  at: YamlPath;
  alias?: string;
  path: string;
  description?: string;
}

/** A problem of one path in `paths`. */
export interface AgentPathProblem {
  at: YamlPath;
  /** True if the alias is wrong, not the path. */
  inKey: boolean;
  severity: Diagnostic["severity"];
  /** The end of a sentence that begins with the path's position in the file, such as `must not lead to an .env file`. */
  message: string;
}

/** Returns the absolute path of a path in an agent file. `~` is expanded, and relative paths begin at the workspace. */
export function resolveAgentPath(path: string, base: PathBase): string {
  return resolve(base.directories.workspace, expandHome(path, base.home));
}

/** Returns the folders and files that the agent's tools may access. The result is empty if all are an editor's. */
export function openPaths(
  { paths, editorPaths }: Pick<Agent, "paths" | "editorPaths">,
  workspace: string,
): string[] {
  if (paths.length === 0 && editorPaths === undefined) return [workspace];
  return paths.map(({ path }) => path);
}

/** Parses `paths`, a list or a map, and returns the valid paths and the problems. */
export function readAgentPaths(
  declared: Definition["paths"],
  base: PathBase,
): Pick<Agent, "paths" | "editorPaths"> & { problems: AgentPathProblem[] } {
  const paths: AgentPath[] = [];
  const editorPaths: Omit<AgentPath, "path">[] = [];
  const problems: AgentPathProblem[] = [];
  const taken = new Set([WORKSPACE_ALIAS]);
  for (const written of writtenPaths(declared)) {
    const path = resolveAgentPath(written.path, base);
    const problem = findProblem(written, path, base);
    if (problem !== undefined) problems.push({ at: written.at, ...problem });
    const alias = written.alias ?? freeAlias(aliasOf(path), taken);
    taken.add(alias);
    const { description } = written;
    const named = { alias, ...(description === undefined ? {} : { description }) };
    if (written.alias !== undefined && written.path === EDITOR_FOLDER) editorPaths.push(named);
    else paths.push({ ...named, path });
  }
  return { paths, ...(editorPaths.length > 0 && { editorPaths }), problems };
}

function writtenPaths(declared: Definition["paths"]): WrittenPath[] {
  if (declared == null) return [];
  if (typeof declared === "string") return [{ at: ["paths"], path: declared }];
  if (Array.isArray(declared)) {
    return declared.map((entry, i) => ({ at: ["paths", i], ...entryOf(entry) }));
  }
  return Object.entries(declared).map(([alias, entry]) => (
    { at: ["paths", alias], alias, ...entryOf(entry) }
  ));
}

function entryOf(
  entry: string | { path: string; description?: string | null | undefined },
): { path: string; description?: string } {
  if (typeof entry === "string") return { path: entry };
  const { path, description } = entry;
  return description == null ? { path } : { path, description };
}

/** Returns the first problem of a path, or undefined. `path` is absolute. */
function findProblem(
  { alias, path: written }: WrittenPath,
  path: string,
  base: PathBase,
): Omit<AgentPathProblem, "at"> | undefined {
  const badAlias = describeBadAlias(alias);
  if (badAlias !== undefined) return { inKey: true, severity: "error", message: badAlias };
  const forbidden = describeForbidden(written, path, base);
  if (forbidden !== undefined) return { inKey: false, severity: "error", message: forbidden };
  if (!isDatabaseName(basename(path))) return undefined;
  const message = "leads to a database (*.db*, *.sqlite*): agents can read it, but not write to it";
  return { inKey: false, severity: "warning", message };
}

function describeBadAlias(alias: string | undefined): string | undefined {
  if (alias === undefined) return undefined;
  if (alias === WORKSPACE_ALIAS) {
    return "is a reserved alias: workspace always stands for the workspace's root";
  }
  if (ALIAS.test(alias)) return undefined;
  return "is not a valid alias: use lower-case letters, digits and underscores, beginning with a letter";
}

function describeForbidden(written: string, path: string, base: PathBase): string | undefined {
  if (written.includes("\0")) return "must not hold a NUL character";
  if (isBelow(path, base.directories.agentsDir)) return "must not lead into the agents directory";
  // Only the part below the workspace is checked, because the agent file does not choose the workspace's own path.
  const parts = relative(base.directories.workspace, path).split("/");
  if (parts.some(isEnvFileName)) return "must not lead to an .env file";
  if (isDatabaseFile(path)) return "must not lead to a .db file";
  return undefined;
}

/** Returns true for the path of a SQLite database or of a file that SQLite puts beside it. */
export function isDatabaseFile(path: string): boolean {
  return /\.db(-(wal|shm|journal))?$/i.test(path);
}

/**
 * Returns the alias for a path that has none in the file: the path's last segment, in lower case, with `_` in place of each
 * character that no alias may contain.
 */
function aliasOf(path: string): string {
  const name = basename(path).toLowerCase().replace(/[^a-z0-9_]/g, "_");
  if (ALIAS.test(name)) return name;
  return name === "" ? "root" : `p${name.startsWith("_") ? "" : "_"}${name}`;
}

function freeAlias(wanted: string, taken: ReadonlySet<string>): string {
  let alias = wanted;
  for (let count = 2; taken.has(alias); count++) alias = `${wanted}_${count}`;
  return alias;
}
