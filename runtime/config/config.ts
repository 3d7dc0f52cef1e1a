// config.yaml once it is read: every key with its default. parse_config.ts parses it.
import type { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { CamelKeys } from "../../base/text/key_case.ts";
import type { AgentBudget, WorkspaceBudget } from "./agent_settings.ts";
import type { DatabaseKeys } from "./database_settings.ts";
import type { SandboxMode } from "../sandbox/sandbox_rules.ts";
import type { NotifySettings } from "./notify_schema.ts";
import type { agentDefaultsSchema, configSchema, serviceSettingsSchema } from "./config_schema.ts";

/** What an agent gets for whatever its file leaves out. */
export type AgentDefaults = Omit<CamelKeys<z.output<typeof agentDefaultsSchema>>, "budget"> & {
  budget: AgentBudget;
};

type ServiceSettings = CamelKeys<z.output<typeof serviceSettingsSchema>>;

/** Everything config.yaml settles. */
export interface Config extends ServiceSettings, DatabaseKeys {
  /** The file, whether it exists or not. */
  path: string;
  /** Absolute. */
  workspace: string;
  /** Relative to the workspace. */
  agentsDir: string;
  sandbox: SandboxMode;
  defaults: AgentDefaults;
  /** Of everything in the workspace together. */
  budget: WorkspaceBudget;
  http: z.output<typeof configSchema>["http"];
  /** How the service runs where no flag says otherwise; without a port it listens on its socket alone. */
  service: { port: number | null; host: string; keepAlive: boolean };
  /** Without a slash at its end; null: the service is reached from here only. */
  publicUrl: string | null;
  notify: NotifySettings;
  warnings: Diagnostic[];
}
