// The report of a workspace's setup for `inkling info`: files, workspace, default model, keys. Contains no key
// values.
import { exists } from "../../runtime/config/files/exists.ts";
import { NAMED_PROVIDERS } from "../../runtime/config/providers.ts";
import { SystemClock } from "../../base/clock.ts";
import { ModelPrices } from "../../runtime/models/pricing.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import type { SandboxMode } from "../../runtime/sandbox/sandbox_rules.ts";
import { findSandbox } from "../../runtime/sandbox/sandbox_support.ts";
import type { Database } from "../../runtime/database/database.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { findKey } from "./key_state.ts";

/** Loaded when the settings name a database. */
const loadPostgresErrors = lazyModule(() =>
  import("../../runtime/storage/postgres/postgres_errors.ts")
);

/** A model provider, and whether it can be used. */
export interface ProviderReport {
  name: string;
  /** The variable that holds its key; null: it needs none. */
  keyVariable: string | null;
  hasKey: boolean;
}

/** The places of the setup, and their state. */
export interface SetupReport {
  configFile: string;
  configFileExists: boolean;
  workspaceEnvFile: string;
  workspaceEnvFileExists: boolean;
  workspace: string;
  agentsDir: string;
  /** The database's address without a password. */
  database: Pick<Database, "kind" | "place">;
  /** `provider/name`; null when config.yaml names none. */
  defaultModel: string | null;
  /** True when the default model has a known price; null without a default model. */
  defaultModelHasPrice: boolean | null;
  providers: ProviderReport[];
  sandbox: SandboxReport;
}

/** The sandbox for programs that agents start. */
export interface SandboxReport {
  /** The setting. */
  mode: SandboxMode;
  /** Null: a sandbox is available. Otherwise the reason, and the remedy. */
  missing: { problem: string; remedy: string } | null;
}

/** Describes the setup of a workspace. */
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
  const support = await findSandbox();
  return {
    sandbox: { mode: config.sandbox, missing: "problem" in support ? support : null },
    configFile: directories.configFile,
    configFileExists: await exists(directories.configFile),
    workspaceEnvFile: directories.workspaceEnvFile,
    workspaceEnvFileExists: await exists(directories.workspaceEnvFile),
    workspace: directories.workspace,
    agentsDir: directories.agentsDir,
    database: await describeDatabase(settings),
    defaultModel: isModelSet ? `${provider}/${model}` : null,
    defaultModelHasPrice: isModelSet ? await prices.hasPrice({ provider, name: model }) : null,
    providers: [...names].map((name) => {
      const address = name === provider && baseUrl !== undefined ? { baseUrl } : {};
      const key = findKey({ provider: name, model: "any", ...address }, keyPlaces);
      return {
        name,
        keyVariable: key.required ? key.variable : null,
        hasKey: key.source !== undefined,
      };
    }),
  };
}

async function describeDatabase(
  { database, directories }: WorkspaceSettings,
): Promise<SetupReport["database"]> {
  if (database === undefined) return { kind: "sqlite", place: directories.databaseFile };
  const { describeAddress } = await loadPostgresErrors();
  return { kind: "postgres", place: describeAddress(database.address) };
}
