// Paths in an agent's file that lead nowhere, or to where nothing is watched.
import { basename } from "node:path";
import type { Directories } from "../config/directories.ts";
import { exists } from "../config/exists.ts";
import { diagnose, type DiagnosedFile } from "../config/diagnosed_file.ts";
import type { Diagnostic } from "../diagnostics.ts";
import { holdsMoreThan } from "../files/folder_size.ts";
import { isBelow } from "../files/path_below.ts";
import type { Agent } from "./agent.ts";
import { itemPath } from "./validate_resources.ts";
import {
  describeTooLarge,
  isIgnoredFolder,
  MOST_WATCHED_ENTRIES,
  namesIgnoredFolder,
  readWatchPaths,
} from "./watch_path.ts";

/** Where the agent's paths begin, and what is closed to a watch. */
export interface PlaceSurroundings {
  home: string;
  directories: Pick<Directories, "workspace" | "agentsDir" | "configDir" | "stateDir">;
  /** How many files and folders there may be at a watched path; MOST_WATCHED_ENTRIES by default. */
  mostEntries?: number;
}

/** Warnings for the paths of the agent's tools and of its trigger. */
export async function diagnosePlaces(
  agent: Agent,
  file: DiagnosedFile,
  around: PlaceSurroundings,
): Promise<Diagnostic[]> {
  return [...await checkPaths(agent, file), ...await checkWatchPaths(agent, file, around)];
}

async function checkPaths(agent: Agent, file: DiagnosedFile): Promise<Diagnostic[]> {
  const missing: Diagnostic[] = [];
  const isList = Array.isArray(file.document.value["paths"]);
  for (const [i, { alias, path }] of agent.paths.entries()) {
    if (await exists(path)) continue;
    const message = `The path of {${alias}} does not exist: ${path}`;
    const at = ["paths", isList ? i : alias];
    missing.push(diagnose(file, at, { severity: "warning", message }));
  }
  return missing;
}

async function checkWatchPaths(
  { trigger }: Agent,
  file: DiagnosedFile,
  around: PlaceSurroundings,
): Promise<Diagnostic[]> {
  if (trigger.type !== "watch") return [];
  const found: Diagnostic[] = [];
  const { agentsDir, configDir, stateDir } = around.directories;
  const most = around.mostEntries ?? MOST_WATCHED_ENTRIES;
  const never = [
    { name: "agents", folder: agentsDir },
    { name: "configuration", folder: configDir },
    { name: "state", folder: stateDir },
  ];
  for (const written of trigger.paths) {
    const at = itemPath(file, ["trigger", "paths"], written);
    const warn = (message: string) =>
      found.push(diagnose(file, at, { severity: "warning", message }));
    // A pattern is waited for; only the folder before its first wildcard can be looked at.
    const places = new Map(readWatchPaths(written, around).map((place) => [place.base, place]));
    for (const [base, { glob, recursive }] of places) {
      const closed = never.find(({ folder }) => isBelow(base, folder));
      if (closed !== undefined) warn(`The ${closed.name} folder is never watched: ${base}`);
      else if (!await exists(base)) warn(`The watched path does not exist yet: ${base}`);
      else {
        const everything = namesIgnoredFolder([...trigger.filters.include, glob ?? ""]);
        const isSkipped = (path: string) =>
          never.some(({ folder }) => isBelow(path, folder)) ||
          !everything && isIgnoredFolder(basename(path));
        if (await holdsMoreThan(base, { most, recursive, isSkipped })) {
          warn(describeTooLarge(base, most));
        }
      }
    }
  }
  return found;
}
