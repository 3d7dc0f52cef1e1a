// Converts a person's choices in `inkling setup` to edits of config.yaml.
import { resolve } from "../../base/plain_path.ts";
import type { ModelSettings } from "../../runtime/agents/agent.ts";
import type { Config } from "../../runtime/config/config.ts";
import { fileChangers, guardedByDefault } from "../../runtime/vocabulary/builtin_tools.ts";
import type { ChatRight } from "../../runtime/vocabulary/rights.ts";
import {
  addConfigEntry,
  type ConfigEdit,
  type ConfigValue,
  editConfigText,
  NEW_CONFIG,
} from "../../runtime/config/files/config_file_edit.ts";
import { ConfigError, loadConfig, parseConfig } from "../../runtime/config/parse_config.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { CONFIG_SCHEMA_FILE, readTextIfThere } from "./installation_files.ts";

/** The name of a run's limit that `inkling setup` asks for, as in config.yaml. */
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

/** The choices to write. For a missing choice, the current value or the default stays. */
export interface SetupChoices {
  /** The workspace as the person typed it. It may begin with `~` or be relative. */
  workspace?: string;
  model?: ModelChoice;
  /** The limits as the person typed them: numbers, or `none`. */
  limits?: Partial<Record<LimitName, string>>;
  /** The model's key, which is written to the workspace's environment file. */
  apiKey?: string;
  /** The only notification channel after the setup: it replaces all channels in config.yaml. A chat is added. */
  channel?: ChannelChoice;
}

/** A person who was paired with a chat. */
export interface ChosenPerson {
  /** The app's id of the person. */
  id: string;
  name: string;
  may: readonly ChatRight[];
}

/** A notification channel or a chat as a person chose it. */
export interface ChannelChoice {
  name: string;
  isChat?: boolean;
  /** The settings as in config.yaml, with names of variables in place of secrets. */
  settings: { readonly [key: string]: ConfigValue };
  /** The mail account that the channel uses. */
  account?: { name: string; settings: { readonly [key: string]: ConfigValue } };
  /** The variables with the secrets, for the configuration folder's environment file. */
  secrets?: readonly { name: string; value: string }[];
}

/**
 * Converts the choices to edits of config.yaml with the current content `now`. A relative workspace is resolved against
 * `cwd`, the person's folder; in the file it would be relative to the home directory.
 */
export function toConfigEdits(
  { workspace, model, limits, channel }: SetupChoices,
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
    // An address is removed if the provider changes, because the new provider's key would go to the wrong host.
    if (model.baseUrl !== undefined || options.now.defaults.baseUrl !== undefined) {
      edits.push({ path: ["defaults", "base_url"], value: model.baseUrl ?? null });
    }
  }
  for (const [name, value] of Object.entries(limits ?? {})) {
    edits.push({ path: ["defaults", name], value: toScalar(value) });
  }
  if (channel !== undefined) {
    const { isChat, name, settings: value, account } = channel;
    if (account !== undefined) {
      edits.push({ path: ["mail", account.name], value: account.settings });
    }
    edits.push(
      isChat === true
        ? { path: ["chat", name], value }
        : { path: ["notify", "channels"], value: { [name]: value } },
    );
  }
  return edits;
}

function toWorkspace(typed: string, cwd: string): string {
  const text = typed.trim();
  return text === "" || text.startsWith("~") ? text : resolve(cwd, text);
}

/** Returns the model settings of an agent that uses the chosen default model. */
export function toModelSettings({ provider, model, baseUrl }: ModelChoice): ModelSettings {
  return { provider, name: model, ...(baseUrl !== undefined && { baseUrl }), streamUsage: true };
}

/** Parses a typed text. Returns a number for a decimal number, and any other text without the white space around it. */
function toScalar(typed: string): string | number {
  const text = typed.trim();
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Error: the choices are not valid in config.yaml. */
export class ChoicesRefused extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

/** The line by which an editor finds the schema. A relative path works offline, and on every machine. */
const SCHEMA_LINE = `# yaml-language-server: $schema=./${CONFIG_SCHEMA_FILE}`;

/** The whole text of the new config.yaml, and its parsed configuration. */
export interface ChosenConfig {
  text: string;
  config: Config;
}

/**
 * Returns config.yaml with the choices merged in. `path` is the file; a relative workspace begins at the person's current
 * folder. Throws ChoicesRefused for invalid choices, and ConfigError for a file that is already broken.
 */
export async function chooseConfig(
  choices: SetupChoices,
  { path, home, cwd }: { path: string; home: string; cwd: string },
): Promise<ChosenConfig> {
  // The file is loaded before the change, so that an existing error is not attributed to the choices.
  const now = await loadConfig(path, { home });
  const before = await readTextIfThere(path);
  const edits = toConfigEdits(choices, { now, cwd });
  // Guards are only added to a new file. An existing file keeps the guards that it has.
  if (before === undefined) {
    edits.push(
      {
        path: ["defaults", "confirm_tools"],
        value: [...new Set([...guardedByDefault(), ...fileChangers()])],
      },
      { path: ["defaults", "mcp_confirm"], value: "writes" },
    );
  }
  const text = editConfigText(before ?? `${SCHEMA_LINE}\n${NEW_CONFIG}`, edits, { path });
  return checkChosen(text, { path, home });
}

/** Returns config.yaml with one more person in a chat. Throws ChoicesRefused and ConfigError as chooseConfig() does. */
export async function chooseConfigWithPerson(
  { chat, person }: { chat: string; person: ChosenPerson },
  { path, home }: { path: string; home: string },
): Promise<ChosenConfig> {
  await loadConfig(path, { home });
  const { id, name, may } = person;
  // Discord's ids are too large for numbers.
  const value = { id: String(Number(id)) === id ? Number(id) : id, name, may };
  const text = await readTextIfThere(path) ?? "";
  return checkChosen(addConfigEntry(text, { at: ["chat", chat, "people"], value }, { path }), {
    path,
    home,
  });
}

function checkChosen(text: string, options: { path: string; home: string }): ChosenConfig {
  const parsed = parseConfig(text, options);
  if ("config" in parsed) return { text, config: parsed.config };
  const error = parsed.diagnostics.find(({ severity }) => severity === "error");
  throw new ChoicesRefused(error?.message ?? new ConfigError(parsed.diagnostics).message);
}
