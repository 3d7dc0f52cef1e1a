// A person's choices in `setup`, and their edits of config.yaml.
import { resolve } from "node:path";
import type { ModelSettings } from "../../runtime/agents/agent.ts";
import type { Config } from "../../runtime/config/config.ts";
import { type ConfigEdit, editConfigText } from "../../runtime/config/files/config_file_edit.ts";
import { ConfigError, loadConfig, parseConfig } from "../../runtime/config/parse_config.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { readTextIfThere } from "./installation_files.ts";

/** A limit of a run that `setup` asks for, named as in config.yaml. */
export type LimitName =
  | "timeout"
  | "max_tool_calls"
  | "max_execution_tokens"
  | "max_cost_usd"
  | "max_tokens"
  | "temperature";

/** A model as a person chose it. */
export interface ModelChoice {
  provider: string;
  model: string;
  baseUrl?: string;
}

/** The values to write. A missing one stays as it is, or has its default. */
export interface SetupChoices {
  /** As typed, with `~` or relative. */
  workspace?: string;
  model?: ModelChoice;
  /** As typed: numbers, or `none`. */
  limits?: Partial<Record<LimitName, string>>;
  /** The model's key, for the workspace's environment file. */
  apiKey?: string;
}

/**
 * Returns the choices as edits of config.yaml, whose present content is `now`. A relative workspace is resolved
 * against `cwd`, the person's folder; in the file it would be relative to the home directory.
 */
export function toConfigEdits(
  { workspace, model, limits }: SetupChoices,
  options: { now: Config; cwd: string },
): ConfigEdit[] {
  const edits: ConfigEdit[] = [];
  if (workspace !== undefined) {
    edits.push({ path: ["workspace"], value: toWorkspace(workspace, options.cwd) });
  }
  if (model !== undefined) {
    edits.push(
      { path: ["defaults", "provider"], value: model.provider },
      { path: ["defaults", "model"], value: model.model },
    );
    // An address belongs to its provider: with another provider, a key would go to the wrong host.
    if (model.baseUrl !== undefined || options.now.defaults.baseUrl !== undefined) {
      edits.push({ path: ["defaults", "base_url"], value: model.baseUrl ?? null });
    }
  }
  for (const [name, value] of Object.entries(limits ?? {})) {
    edits.push({ path: ["defaults", name], value: toScalar(value) });
  }
  return edits;
}

function toWorkspace(typed: string, cwd: string): string {
  const text = typed.trim();
  return text === "" || text.startsWith("~") ? text : resolve(cwd, text);
}

/** Returns the settings of an agent without a model of its own. */
export function toModelSettings({ provider, model, baseUrl }: ModelChoice): ModelSettings {
  return { provider, name: model, ...(baseUrl !== undefined && { baseUrl }), streamUsage: true };
}

/** Returns the typed text as YAML would read it. */
function toScalar(typed: string): string | number {
  const text = typed.trim();
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** config.yaml does not allow the choices. */
export class ChoicesRefused extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

/** The guarded tools of a new installation: those that change files. */
const GUARDED_TOOLS = ["file_delete", "file_write", "file_edit", "file_move"];

/** The file's whole text, and the parsed configuration. */
export interface ChosenConfig {
  text: string;
  config: Config;
}

/**
 * Returns the file at `path` with the choices merged in, relative to the person's current folder. Throws
 * ChoicesRefused for invalid choices, and ConfigError for a file that is already broken.
 */
export async function chooseConfig(
  choices: SetupChoices,
  { path, home, cwd }: { path: string; home: string; cwd: string },
): Promise<ChosenConfig> {
  // The file is loaded before the change, so that an existing error is not attributed to the choices.
  const now = await loadConfig(path, { home });
  const before = await readTextIfThere(path);
  const edits = toConfigEdits(choices, { now, cwd });
  // An existing file keeps its guards.
  if (before === undefined) {
    edits.push(
      { path: ["defaults", "confirm_tools"], value: GUARDED_TOOLS },
      { path: ["defaults", "mcp_confirm"], value: "writes" },
    );
  }
  const text = editConfigText(before ?? "", edits, { path });
  const parsed = parseConfig(text, { path, home });
  if ("config" in parsed) return { text, config: parsed.config };
  const error = parsed.diagnostics.find(({ severity }) => severity === "error");
  throw new ChoicesRefused(error?.message ?? new ConfigError(parsed.diagnostics).message);
}
