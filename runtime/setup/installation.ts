// What `setup` reads and writes: config.yaml, the workspace's folders and environment file, a first agent. Existing files
// are merged into, and nothing is written before everything is known.
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { editConfigText } from "../config/config_file_edit.ts";
import type { Directories } from "../config/directories.ts";
import { EnvironmentFiles } from "../config/environment_files.ts";
import { exists } from "../config/exists.ts";
import { ConfigError, loadConfig, parseConfig } from "../config/parse_config.ts";
import { resolveConfigDir } from "../config/places.ts";
import { parseYaml } from "../config/yaml_document.ts";
import { NAMED_PROVIDERS } from "../config/providers.ts";
import { resolveDirectories } from "../config/resolve_directories.ts";
import { RuntimeError, type RuntimeErrorCode } from "../errors.ts";
import { readTextIfThere, writeInstallation, type WrittenFile } from "./installation_files.ts";
import { modelEndpoint } from "../models/endpoint.ts";
import { SUGGESTED_MODELS } from "../models/suggested_models.ts";
import { tryModel } from "./model_trial.ts";
import type { Surroundings } from "../config/settings.ts";
import {
  type LimitName,
  type ModelChoice,
  type SetupChoices,
  toConfigEdits,
  toModelSettings,
} from "./setup_choices.ts";

/** What is set up now. */
export interface SetupState {
  configFile: string;
  configFileExists: boolean;
  /** As config.yaml has it, else the default. */
  workspace: string;
  provider: string | undefined;
  model: string | undefined;
  baseUrl: string | undefined;
  /** In effect, as one would type them. */
  limits: Record<LimitName, string>;
  providers: {
    name: string;
    suggestedModel: string;
    keyVariable: string | null;
    hasKey: boolean;
  }[];
}

/** Where a model's key is. */
export interface KeyState {
  /** Null: no key is ever used. */
  variable: string | null;
  required: boolean;
  /** The file that holds it, `the environment`, or undefined where it is nowhere. */
  source: string | undefined;
  /** The host that a named provider's key would go to although it is not that provider's. */
  foreignHost: string | null;
}

/** What was written, and where. */
export interface SetupResult {
  workspace: string;
  agentsDir: string;
  files: WrittenFile[];
  /** The agent that was made because there was none. */
  sampleAgentId: string | undefined;
  /** The workspace of before, where it has a history that stays in place and is the new one's now. */
  formerWorkspace: string | undefined;
}

/** The installation of this user on this machine. Every method throws ConfigError while config.yaml is broken. */
export class Installation {
  readonly #surroundings: Surroundings & { cwd: string };
  readonly #clock: Clock;
  readonly #configFile: string;

  constructor(options: Surroundings & { cwd: string; clock: Clock }) {
    this.#surroundings = options;
    this.#clock = options.clock;
    this.#configFile = join(
      resolveConfigDir((name) => options.shell[name], options.home),
      "config.yaml",
    );
  }

  /** What is set up, with keys as `workspace` (default: config.yaml's) has them. */
  async read(workspace?: string): Promise<SetupState> {
    const { text, config } = await this.#withChoices(workspace === undefined ? {} : { workspace });
    const { defaults } = config;
    const exists = await readTextIfThere(this.#configFile) !== undefined;
    const providers = await Promise.all(NAMED_PROVIDERS.map(async (name) => {
      const key = await this.#keyState({ provider: name, model: "any" }, config);
      return {
        name,
        suggestedModel: SUGGESTED_MODELS[name],
        keyVariable: key.required ? key.variable : null,
        hasKey: key.source !== undefined,
      };
    }));
    return {
      configFile: this.#configFile,
      configFileExists: exists,
      workspace: writtenWorkspace(text, this.#configFile) ?? "~/inkling",
      provider: defaults.provider,
      model: defaults.model,
      baseUrl: defaults.baseUrl,
      limits: {
        timeout: String(defaults.timeout),
        max_tool_calls: orNone(defaults.maxToolCalls),
        max_execution_tokens: orNone(defaults.maxExecutionTokens),
        max_cost_usd: orNone(defaults.maxCostUsd),
        max_tokens: String(defaults.maxTokens),
        temperature: String(defaults.temperature),
      },
      providers,
    };
  }

  /** What is wrong with the choices, as a sentence; undefined when they can be written. */
  async describeProblem(choices: SetupChoices): Promise<string | undefined> {
    let config: Config;
    try {
      config = (await this.#withChoices(choices)).config;
    } catch (error) {
      if (error instanceof ChoicesRefused) return error.message;
      throw error;
    }
    if (choices.workspace !== undefined && await isFile(config.workspace)) {
      return `${config.workspace} is a file: a workspace is a folder`;
    }
    if (choices.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(choices.apiKey)) {
      return "That is no key: it holds spaces, line ends or characters outside ASCII";
    }
    return undefined;
  }

  /** Where the key of a model is, seen from a workspace. Throws ModelError for a model that leads nowhere. */
  async key(model: ModelChoice, workspace: string): Promise<KeyState> {
    return this.#keyState(model, (await this.#withChoices({ workspace })).config);
  }

  /** Has the chosen model answer once. Throws as tryModel() does. */
  async tryModel(
    choices: SetupChoices & { model: ModelChoice },
    signal: AbortSignal,
  ): Promise<void> {
    const { config } = await this.#withChoices(choices);
    const directories = await this.#directories(config);
    await tryModel(toModelSettings(choices.model), {
      environment: this.#environment(directories),
      apiKey: choices.apiKey,
      environmentFile: directories.workspaceEnvFile,
      pinKeys: config.pinKeys,
      clock: this.#clock,
      signal,
    });
  }

  /** Writes the choices: folders first, then each file as a whole, config.yaml last. */
  async write(choices: SetupChoices): Promise<SetupResult> {
    const former = await this.#directories((await this.#withChoices({})).config);
    const { text, config } = await this.#withChoices(choices);
    const directories = await this.#directories(config);
    const isMoved = former.workspace !== directories.workspace;
    const formerWorkspace = isMoved && await exists(former.databaseFile)
      ? former.workspace
      : undefined;
    const { apiKey, model } = choices;
    const name = model === undefined ? null : modelEndpoint(toModelSettings(model)).keyVariable;
    const written = await writeInstallation({
      directories,
      configText: text,
      provider: config.defaults.provider,
      ...(apiKey !== undefined && name !== null && { key: { name, value: apiKey } }),
    });
    const { workspace, agentsDir } = directories;
    return { workspace, agentsDir, ...written, formerWorkspace };
  }

  /** config.yaml as it would be with the choices. Throws ChoicesRefused for what it may not hold. */
  async #withChoices(choices: SetupChoices): Promise<{ text: string; config: Config }> {
    const path = this.#configFile;
    const { home } = this.#surroundings;
    // First as it is: what is wrong with the file is no fault of the choices.
    const now = await loadConfig(path, { home });
    const text = editConfigText(
      await readTextIfThere(path) ?? "",
      toConfigEdits(choices, { now, cwd: this.#surroundings.cwd }),
      { path },
    );
    const parsed = parseConfig(text, { path, home });
    if ("config" in parsed) return { text, config: parsed.config };
    const error = parsed.diagnostics.find(({ severity }) => severity === "error");
    throw new ChoicesRefused(error?.message ?? new ConfigError(parsed.diagnostics).message);
  }

  async #keyState(model: ModelChoice, config: Config): Promise<KeyState> {
    const { keyVariable, keyRequired, foreignHost } = modelEndpoint(toModelSettings(model));
    const { workspaceEnvFile, configEnvFile } = await this.#directories(config);
    const { shell } = this.#surroundings;
    const places = [
      ...[workspaceEnvFile, configEnvFile].map((path) => ({
        source: path,
        variables: new EnvironmentFiles({ files: [path], shell: {} }),
      })),
      { source: "the environment", variables: new EnvironmentFiles({ files: [], shell }) },
    ];
    const found = keyVariable === null
      ? undefined
      : places.find(({ variables }) => (variables.get(keyVariable)?.trim() ?? "") !== "");
    return {
      variable: keyVariable,
      required: keyRequired,
      source: found?.source,
      foreignHost,
    };
  }

  #directories(config: Config): Promise<Directories> {
    const { shell, home } = this.#surroundings;
    return resolveDirectories({ env: (name) => shell[name], home, config });
  }

  #environment({ workspaceEnvFile, configEnvFile }: Directories): EnvironmentFiles {
    return new EnvironmentFiles({
      files: [workspaceEnvFile, configEnvFile],
      shell: this.#surroundings.shell,
    });
  }
}

/** config.yaml may not hold what was chosen. */
class ChoicesRefused extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

function orNone(limit: number | null): string {
  return limit === null ? "none" : String(limit);
}

/** The workspace as config.yaml's text has it. */
function writtenWorkspace(text: string, path: string): string | undefined {
  const parsed = parseYaml(text, { path });
  const workspace = "document" in parsed ? parsed.document.value["workspace"] : undefined;
  return typeof workspace === "string" ? workspace : undefined;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return !(await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.NotADirectory) return true;
    throw error;
  }
}
