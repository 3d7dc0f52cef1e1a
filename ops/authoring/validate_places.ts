// Checks the paths in an agent file for missing, forbidden and unwatchable files and folders.
import { exists } from "../../runtime/config/files/exists.ts";
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isEnvFileName } from "../../base/files/env_file_name.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { holdsMoreThan } from "../../base/files/folder_size.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { join, relative } from "../../base/plain_path.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import { EDITOR_FOLDER, isDatabaseFile, openPaths } from "../../runtime/agents/agent_paths.ts";
import { itemPath } from "../../runtime/agents/resource_problem.ts";
import { foldersToSkip, isSkipped } from "../../runtime/folders/ignored_names.ts";
import {
  describeTooLarge,
  MAX_WATCHED_ENTRIES,
  readWatchPaths,
} from "../../runtime/agents/watch_path.ts";
import type { ValidationContext } from "./validation_context.ts";

/** Returns the problems of the paths in the agent's tools and trigger. */
export async function diagnosePlaces(
  agent: Agent,
  file: DiagnosedFile,
  around: ValidationContext,
): Promise<Diagnostic[]> {
  return [...await checkPaths(agent, file, around), ...await checkWatchPaths(agent, file, around)];
}

async function checkPaths(
  agent: Agent,
  file: DiagnosedFile,
  { directories }: ValidationContext,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  const warn = (alias: string, message: string, hint: string) =>
    found.push(diagnose(file, ["paths", alias], { severity: "warning", message, hint }));
  for (const { alias } of agent.editorPaths ?? []) {
    if (agent.trigger.type !== "manual" || agent.after.length > 0) {
      warn(
        alias,
        `{${alias}} is the folder of an editor, which runs that start by themselves do not have`,
        `start the agent from an editor: inkling acp ${agent.id}`,
      );
    }
    if (await exists(join(directories.workspace, EDITOR_FOLDER))) {
      warn(
        alias,
        `{${alias}} is the folder of an editor, and not the folder ${EDITOR_FOLDER} of the workspace`,
        `for the folder of the workspace, write ./${EDITOR_FOLDER}`,
      );
    }
  }
  const isList = Array.isArray(file.document.value["paths"]);
  for (const [i, { alias, path }] of agent.paths.entries()) {
    const at = ["paths", isList ? i : alias];
    if (!await exists(path)) {
      if (await isMadeByTools(path, directories.workspace)) continue;
      const message = `The path of {${alias}} does not exist: ${path}`;
      found.push(diagnose(file, at, { severity: "warning", message }));
      continue;
    }
    const real = knownRealPath(path);
    const forbidden = describeForbiddenTarget(real, directories);
    if (forbidden === undefined) continue;
    const through = real === path ? "" : " through a symbolic link";
    const message = `The path of {${alias}} must not lead ${forbidden}${through}: ${real}`;
    found.push(diagnose(file, at, { severity: "error", message }));
  }
  return found;
}

/** Returns true if the missing path is in the workspace, where file_write creates folders. */
async function isMadeByTools(path: string, workspace: string): Promise<boolean> {
  const isLink = await Deno.lstat(path).then(() => true, () => false);
  return !isLink && isBelow(path, workspace);
}

/**
 * Returns the reason why agents may not use a resolved path. Undefined if they may. The parser has checked the path as
 * written.
 */
function describeForbiddenTarget(
  real: string,
  directories: ValidationContext["directories"],
): string | undefined {
  const lies = (folder: string) => isBelow(real, knownRealPath(folder));
  if (lies(directories.agentsDir)) return "into the agents directory";
  if (lies(directories.configDir)) return "into the configuration directory";
  if (lies(directories.stateDir)) return "into the state directory";
  const parts = relative(knownRealPath(directories.workspace), real).split("/");
  if (parts.some(isEnvFileName)) return "to an .env file";
  if (isDatabaseFile(real)) return "to a .db file";
  return undefined;
}

async function checkWatchPaths(
  agent: Agent,
  file: DiagnosedFile,
  around: ValidationContext,
): Promise<Diagnostic[]> {
  const { trigger, shell } = agent;
  if (trigger.type !== "watch") return [];
  const found: Diagnostic[] = [];
  const { agentsDir, configDir, stateDir } = around.directories;
  const most = around.mostEntries ?? MAX_WATCHED_ENTRIES;
  const never = [
    { name: "agents", folder: agentsDir },
    { name: "configuration", folder: configDir },
    { name: "state", folder: stateDir },
  ];
  const ofCommands = shell === undefined ? [] : openPaths(agent, around.directories.workspace);
  for (const written of trigger.paths) {
    const at = itemPath(file, ["trigger", "paths"], written);
    const warn = (message: string, hint?: string) =>
      found.push(diagnose(file, at, { severity: "warning", message, ...(hint && { hint }) }));
    // Files that match a pattern may be created later, so only the folder before the first wildcard is checked.
    const places = new Map(readWatchPaths(written, around).map((place) => [place.base, place]));
    for (const [base, { glob, recursive }] of places) {
      const closed = never.find(({ folder }) => isBelow(base, folder));
      if (closed !== undefined) {
        warn(`The ${closed.name} folder is never watched: ${base}`);
        continue;
      }
      if (ofCommands.some((one) => isBelow(base, one) || recursive && isBelow(one, base))) {
        warn(
          `Commands of shell may write to ${base}, and each file that they write starts this agent again`,
          "paths with other folders keeps commands out, because a watched path alone is read-only",
        );
      }
      if (!await exists(base)) warn(`The watched path does not exist yet: ${base}`);
      else {
        const ignored = foldersToSkip([...trigger.filters.include, glob ?? ""]);
        const isLeftOut = (path: string) =>
          never.some(({ folder }) => isBelow(path, folder)) || isSkipped(path, ignored);
        if (await holdsMoreThan(base, { most, recursive, isSkipped: isLeftOut })) {
          warn(describeTooLarge(base, most));
        }
      }
    }
  }
  return found;
}
