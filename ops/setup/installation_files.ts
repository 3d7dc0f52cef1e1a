// Writes the files and folders of an installation, each file atomically by renaming.
import { dirname, join } from "../../base/plain_path.ts";
import { listAgentFiles } from "../../runtime/agents/agent_names.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { setVariable } from "../../runtime/config/files/environment_file_edit.ts";
import { decodeText } from "../../runtime/config/files/text_file.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { isFileFailure, unreadableReason } from "../../base/files/unreadable.ts";
import { readWholeFile } from "../../base/files/whole_file.ts";
import { formatAgentFile } from "../../runtime/agents/agent_file_text.ts";

const loadFileSchema = lazyModule(() => import("../authoring/file_schema.ts"));

/** Error: a file or folder of the installation cannot be read or written, or a file is no text. */
export class InstallationUnusable extends RuntimeError {
  readonly code: RuntimeErrorCode = "storage";
}

/** The path of a file, and the effect of the write on it. */
export interface WrittenFile {
  path: string;
  change: "created" | "updated" | "unchanged";
}

/** The mode of the environment file, which contains keys, so that only its owner may read it. */
const SECRET_MODE = 0o600;
/** The name of the file with the JSON Schema of config.yaml, in the same folder. */
export const CONFIG_SCHEMA_FILE = "config.schema.json";
const LARGEST_FILE_BYTES = 1_024 * 1_024;
const NEW_ENVIRONMENT_FILE =
  "# Keys of model providers, a line NAME=value for each. Only its owner can read this file.\n";

/**
 * Returns the text of a file without its byte order mark, or undefined if the file does not exist. Throws
 * InstallationUnusable for a file that cannot be read or is not UTF-8 text.
 */
export async function readTextIfThere(path: string): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readWholeFile(path, { maxBytes: LARGEST_FILE_BYTES });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw unusable(`read ${path}`, error);
  }
  const decoded = decodeText(bytes, path);
  if ("text" in decoded) return decoded.text;
  throw new InstallationUnusable(`Cannot use ${formatDiagnostic(decoded.diagnostic)}`);
}

/**
 * Creates the folders, then writes the environment file (mode 600, other lines are kept), a first agent if the workspace
 * has no agent, the JSON Schema of config.yaml, and config.yaml. Each file is written completely or not at all. Throws InstallationUnusable and
 * EnvironmentFileNotEditable.
 */
export async function writeInstallation(options: {
  directories: Directories;
  configText: string;
  key?: { name: string; value: string };
}): Promise<{ files: WrittenFile[]; sampleAgentId: string | undefined }> {
  const { directories, configText, key } = options;
  const { configFile, configDir, workspaceEnvFile, agentsDir, toolsDir, skillsDir } = directories;
  const keysBefore = await readTextIfThere(workspaceEnvFile) ?? NEW_ENVIRONMENT_FILE;
  const keys = key === undefined
    ? keysBefore
    : setVariable(keysBefore, key, { path: workspaceEnvFile });
  for (const folder of [configDir, toolsDir, skillsDir, dirname(workspaceEnvFile)]) {
    await attempt("make the folder", folder, () => Deno.mkdir(folder, { recursive: true }));
  }
  const files = [await replace(workspaceEnvFile, keys, { mode: SECRET_MODE })];
  const names = await attempt("read", agentsDir, () => listAgentFiles(agentsDir));
  const isFirst = names.length === 0;
  if (isFirst) {
    const path = join(agentsDir, `${SAMPLE_AGENT_ID}.md`);
    files.push(await replace(path, SAMPLE_AGENT));
  }
  const { createFileSchema } = await loadFileSchema();
  const schema = `${JSON.stringify(createFileSchema("config"))}\n`;
  files.push(await replace(join(configDir, CONFIG_SCHEMA_FILE), schema));
  files.push(await replace(configFile, configText));
  return { files, sampleAgentId: isFirst ? SAMPLE_AGENT_ID : undefined };
}

/**
 * Writes the secrets of a channel into the environment file (mode 600, other lines kept), and the channel into config.yaml.
 * Throws InstallationUnusable and EnvironmentFileNotEditable. Each file is written completely or not at all.
 */
export async function writeChannel(options: {
  configFile: string;
  configText: string;
  environmentFile: string;
  secrets: readonly { name: string; value: string }[];
}): Promise<WrittenFile[]> {
  const { configFile, configText, environmentFile: path, secrets } = options;
  const files: WrittenFile[] = [];
  if (secrets.length > 0) {
    const before = await readTextIfThere(path) ?? "";
    const text = secrets.reduce((edited, one) => setVariable(edited, one, { path }), before);
    files.push(await replace(path, text, { mode: SECRET_MODE }));
  }
  return [...files, await replace(configFile, configText)];
}

async function replace(
  path: string,
  text: string,
  options: { mode?: number } = {},
): Promise<WrittenFile> {
  const before = await readTextIfThere(path);
  if (before === text && await hasMode(path, options.mode)) return { path, change: "unchanged" };
  await attempt("write", path, () => writeFileAtomically(path, text, options));
  return { path, change: before === undefined ? "created" : "updated" };
}

async function hasMode(path: string, mode: number | undefined): Promise<boolean> {
  if (mode === undefined) return true;
  const { mode: actual } = await Deno.stat(path);
  return actual === null || (actual & 0o777) === mode;
}

async function attempt<T>(action: string, path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw isFileFailure(error) ? unusable(`${action} ${path}`, error) : error;
  }
}

function unusable(action: string, cause: unknown): InstallationUnusable {
  return new InstallationUnusable(`Cannot ${action}: ${unreadableReason(cause)}`, { cause });
}

/** The id of the agent that setup creates. */
const SAMPLE_AGENT_ID = "hello";

const PROMPT = `You are the first agent of this workspace.

1. Look at what is in it: \`file_glob\` with the pattern \`**/*\`.
2. Say hello in one sentence.
3. Tell in two or three sentences what you found, and name one thing that an agent could do with it
   every day.

Write no files.`;

/** The text of the file of the agent SAMPLE_AGENT_ID. The file names no model, so the agent uses the default model. */
const SAMPLE_AGENT = formatAgentFile({
  description: "A first agent: says hello and looks around",
  prompt: PROMPT,
});
