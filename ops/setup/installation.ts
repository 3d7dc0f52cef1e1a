// The operations behind `inkling setup`: reads and writes config.yaml, the workspace's folders and environment file, and a
// first agent. Merges into existing files, and writes nothing until every input is known.
import { join } from "../../base/plain_path.ts";
import type { Finding } from "../doctor/finding.ts";
import { mailChecks } from "../doctor/mail_checks.ts";
import { describeUnknownModel } from "../authoring/validate_model.ts";
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../runtime/config/config.ts";
import { DATABASE_VARIABLE, readDatabaseSettings } from "../../runtime/config/database_settings.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { EnvironmentFiles } from "../../runtime/config/files/environment_files.ts";
import { exists } from "../../runtime/config/files/exists.ts";
import { resolveConfigDir, stateFilesOf } from "../../runtime/config/places.ts";
import { resolveDirectories } from "../../runtime/config/resolve_directories.ts";
import type { Surroundings } from "../../runtime/config/settings.ts";
import { isLocked } from "../../base/files/lock_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { modelsOf } from "../../runtime/models/demo/demo_names.ts";
import { modelEndpoint } from "../../runtime/models/endpoint.ts";
import { type ListedModel, ModelPrices } from "../../runtime/models/pricing.ts";
import {
  readTextIfThere,
  writeChannel,
  writeInstallation,
  type WrittenFile,
} from "./installation_files.ts";
import { findKey, type KeyPlaces, type KeyState } from "./key_state.ts";
import { tryModel } from "./model_trial.ts";
import {
  type ChannelChoice,
  ChoicesRefused,
  chooseConfig,
  chooseConfigWithPerson,
  type ChosenConfig,
  type ChosenPerson,
  type ModelChoice,
  type SetupChoices,
  toModelSettings,
} from "./setup_choices.ts";
import { openWorkspaceBilling } from "../../runtime/wiring/workspace_billing.ts";
import { type SetupState, toSetupState } from "./setup_state.ts";

/** A model that setup offers. Prices are in US dollars per million tokens. */
export type OfferedModel = Pick<ListedModel, "name"> & Partial<ListedModel>;

/** The written files, the created agent and the warnings of a setup. */
export interface SetupResult {
  workspace: string;
  agentsDir: string;
  files: WrittenFile[];
  /** The id of the agent that was created because there was none. Undefined if there was an agent. */
  sampleAgentId: string | undefined;
  /** The previous workspace if it has a history, because that history is not moved. Undefined otherwise. */
  formerWorkspace: string | undefined;
}

/** Reads and writes the installation of the current user. Every method throws ConfigError while config.yaml is broken. */
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

  /**
   * Returns the current setup. Searches the keys in the files of `workspace`, or of the workspace in config.yaml if
   * `workspace` is absent.
   */
  async read(workspace?: string): Promise<SetupState> {
    const { text, config } = await this.#withChoices(workspace === undefined ? {} : { workspace });
    const path = this.#configFile;
    const isThere = await readTextIfThere(path) !== undefined;
    return toSetupState({ path, isThere, text }, { config, keys: await this.#keyPlaces(config) });
  }

  /** Returns the problem of the choices as a sentence. Undefined if they can be written. */
  async describeProblem(choices: SetupChoices): Promise<string | undefined> {
    let config: Config;
    try {
      config = (await this.#withChoices(choices)).config;
    } catch (error) {
      if (error instanceof ChoicesRefused) return error.message;
      throw error;
    }
    if (choices.workspace !== undefined) {
      const info = await Deno.stat(config.workspace).catch((error) => {
        if (error instanceof Deno.errors.NotADirectory) return { isDirectory: false };
        return ignoreMissing(error);
      });
      if (info?.isDirectory === false) {
        return `${config.workspace} is a file: a workspace is a folder`;
      }
      const problem = await this.#describeRunning(config);
      if (problem !== undefined) return problem;
    }
    if (choices.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(choices.apiKey)) {
      return "This is not a valid key: it holds spaces, line ends or characters outside ASCII";
    }
    const { model } = choices;
    return model && describeUnknownModel({ ...model, name: model.model });
  }

  /**
   * Returns the models that setup offers for a provider: the scripted ones, or those of the price table. Empty if none is
   * known.
   */
  async models(provider: string): Promise<OfferedModel[]> {
    const scripted = modelsOf(provider);
    if (scripted !== undefined) return scripted.map((name) => ({ name }));
    const prices = new ModelPrices({ files: [], clock: this.#clock, log: { write: () => {} } });
    return await prices.listModels(provider);
  }

  /** Returns the place of a model's key for a workspace. Throws ModelError for a model without an endpoint. */
  async key(model: ModelChoice, workspace: string): Promise<KeyState> {
    const { config } = await this.#withChoices({ workspace });
    return findKey(model, await this.#keyPlaces(config));
  }

  /** Calls the chosen model once. Throws as tryModel() does. */
  async tryModel(
    choices: SetupChoices & { model: ModelChoice },
    signal: AbortSignal,
  ): Promise<void> {
    const { config } = await this.#withChoices(choices);
    const directories = await this.#directories(config);
    const clock = this.#clock;
    const { shell } = this.#surroundings;
    const variable = shell[DATABASE_VARIABLE] || undefined;
    await using opened = await openWorkspaceBilling({
      settings: {
        config,
        directories,
        shell,
        database: readDatabaseSettings(config, { variable }),
      },
      clock,
      log: { write: () => {} },
    });
    await tryModel(toModelSettings(choices.model), {
      settings: {
        config,
        directories,
        environment: new EnvironmentFiles(await this.#keyPlaces(config)),
      },
      apiKey: choices.apiKey,
      billing: opened.billing,
      clock,
      signal,
    });
  }

  /** Writes the choices: creates the folders, then writes each file as a whole, config.yaml last. */
  async write(choices: SetupChoices): Promise<SetupResult> {
    const former = await this.#directories((await this.#withChoices({})).config);
    const { text, config } = await this.#withChoices(choices);
    const directories = await this.#directories(config);
    const isMoved = former.realWorkspace !== directories.realWorkspace;
    const formerWorkspace = isMoved && await exists(former.databaseFile)
      ? former.workspace
      : undefined;
    const { apiKey, model } = choices;
    const name = model === undefined ? null : modelEndpoint(toModelSettings(model)).keyVariable;
    const written = await writeInstallation({
      directories,
      configText: text,
      ...(apiKey !== undefined && name !== null && { key: { name, value: apiKey } }),
    });
    const { workspace, agentsDir } = directories;
    return { workspace, agentsDir, ...written, formerWorkspace };
  }

  /**
   * Writes the channel to config.yaml as the only notification channel, or the chat as another one, and the secrets to the
   * environment file beside config.yaml.
   */
  async addChannel(channel: ChannelChoice): Promise<WrittenFile[]> {
    const { text, config } = await this.#withChoices({ channel });
    const { configFile, configEnvFile } = await this.#directories(config);
    return await writeChannel({
      configFile,
      configText: text,
      environmentFile: configEnvFile,
      secrets: channel.secrets ?? [],
    });
  }

  /** Signs in to the servers of the mail accounts in config.yaml, and returns the problems. Sends nothing. */
  async tryMail(): Promise<Finding[]> {
    const { config } = await this.#withChoices({});
    const directories = await this.#directories(config);
    const environment = new EnvironmentFiles(await this.#keyPlaces(config));
    // A shared database may not be there yet, and a new account has a password.
    const settings = { config, environment, directories, database: undefined };
    const found = await Promise.all(mailChecks(settings, this.#clock).map((check) => check()));
    return found.flat();
  }

  /** Adds a person to a chat of config.yaml, whose comments stay. Returns the path of the file. */
  async addPerson(chat: string, person: ChosenPerson): Promise<string> {
    const { home } = this.#surroundings;
    const path = this.#configFile;
    const { text } = await chooseConfigWithPerson({ chat, person }, { path, home });
    await writeChannel({ configFile: path, configText: text, environmentFile: "", secrets: [] });
    return path;
  }

  /**
   * Returns a problem if `config` has another workspace than config.yaml and a service runs for the new workspace, because
   * no command would find that service afterward. Undefined otherwise.
   */
  async #describeRunning(config: Config): Promise<string | undefined> {
    const former = await this.#directories((await this.#withChoices({})).config);
    const { realWorkspace, workspace, ownStateDir } = await this.#directories(config);
    if (former.realWorkspace === realWorkspace) return undefined;
    if (!isLocked(stateFilesOf(ownStateDir).lockFile)) return undefined;
    return `A service runs for ${workspace}: stop it first ("inkling stop -w" with this folder)`;
  }

  async #withChoices(choices: SetupChoices): Promise<ChosenConfig> {
    const { home, cwd } = this.#surroundings;
    return await chooseConfig(choices, { path: this.#configFile, home, cwd });
  }

  async #keyPlaces(config: Config): Promise<KeyPlaces> {
    const { workspaceEnvFile, configEnvFile } = await this.#directories(config);
    return { files: [workspaceEnvFile, configEnvFile], shell: this.#surroundings.shell };
  }

  #directories(config: Config): Promise<Directories> {
    const { shell, home } = this.#surroundings;
    return resolveDirectories({ env: (name) => shell[name], home, config });
  }
}
