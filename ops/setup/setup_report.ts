// Creates the report of `inkling info` about a workspace's setup: files, workspace, default model, keys. The report
// contains no key.
import { exists } from "../../runtime/config/files/exists.ts";
import { NAMED_PROVIDERS } from "../../runtime/config/providers.ts";
import { SystemClock } from "../../base/clock.ts";
import { ModelPrices } from "../../runtime/models/pricing.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import type { SandboxMode } from "../../runtime/sandbox/sandbox_rules.ts";
import { findSandbox } from "../../runtime/sandbox/sandbox_support.ts";
import type { Database } from "../../runtime/database/database.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { findProviderKey, type ProviderKey } from "./key_state.ts";

/** Loads the module only when the settings name a PostgreSQL database. */
const loadPostgresErrors = lazyModule(() =>
  import("../../runtime/storage/postgres/postgres_errors.ts")
);

/** The files and folders of the setup, and their state. */
export interface SetupReport {
  configFile: string;
  configFileExists: boolean;
  workspaceEnvFile: string;
  workspaceEnvFileExists: boolean;
  workspace: string;
  agentsDir: string;
  /** The kind of the database, and its address without a password. */
  database: Pick<Database, "kind" | "place">;
  /** The default model as `provider/name`. Null if config.yaml names none. */
  defaultModel: string | null;
  /** True if the default model's price is known. Null without a default model. */
  defaultModelHasPrice: boolean | null;
  providers: ProviderKey[];
  /** Starts a trial program in the sandbox. */
  sandbox(): Promise<SandboxReport>;
}

/** The state of the sandbox for programs that agents start. */
export interface SandboxReport {
  /** The setting `sandbox` in config.yaml. */
  mode: SandboxMode;
  /** The reason why no sandbox is available, and the remedy. Null if a sandbox is available. */
  missing: { problem: string; remedy: string } | null;
}

/** Returns the report about the setup of a workspace. */
export async function describeSetup(settings: WorkspaceSettings): Promise<SetupReport> {
  const { config, directories, shell } = settings;
  const { provider, model, baseUrl } = config.defaults;
  const prices = new ModelPrices({
    files: directories.pricingFiles,
    clock: new SystemClock(),
    log: { write: () => {} },
  });
  const keyPlaces = { files: [directories.workspaceEnvFile, directories.configEnvFile], shell };
  const names = new Set<string>(NAMED_PROVIDERS);
  if (provider !== undefined) names.add(provider);
  const isModelSet = provider !== undefined && model !== undefined;
  return {
    async sandbox() {
      const support = await findSandbox();
      return { mode: config.sandbox, missing: "problem" in support ? support : null };
    },
    configFile: directories.configFile,
    configFileExists: await exists(directories.configFile),
    workspaceEnvFile: directories.workspaceEnvFile,
    workspaceEnvFileExists: await exists(directories.workspaceEnvFile),
    workspace: directories.workspace,
    agentsDir: directories.agentsDir,
    database: await describeDatabase(settings),
    defaultModel: isModelSet ? `${provider}/${model}` : null,
    defaultModelHasPrice: isModelSet ? await prices.hasPrice({ provider, name: model }) : null,
    providers: [...names].map((name) =>
      findProviderKey(name, { ...keyPlaces, ...(name === provider && { baseUrl }) })
    ),
  };
}

async function describeDatabase(
  { database, directories }: WorkspaceSettings,
): Promise<SetupReport["database"]> {
  if (database === undefined) return { kind: "sqlite", place: directories.databaseFile };
  const { describeAddress } = await loadPostgresErrors();
  return { kind: "postgres", place: describeAddress(database.address) };
}
