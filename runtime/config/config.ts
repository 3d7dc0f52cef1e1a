// The parsed config.yaml, with a default for every absent key. parse_config.ts parses it.
import type { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { CamelKeys } from "../../base/text/key_case.ts";
import type { AgentBudget, WorkspaceBudget } from "./agent_settings.ts";
import type { DatabaseKeys } from "./database_settings.ts";
import type { SandboxMode } from "../sandbox/sandbox_rules.ts";
import type { NotifySettings } from "./notify_schema.ts";
import type { agentDefaultsSchema, configSchema, serviceSettingsSchema } from "./config_schema.ts";

/** The defaults for fields that an agent's file omits. */
export type AgentDefaults = Omit<CamelKeys<z.output<typeof agentDefaultsSchema>>, "budget"> & {
  budget: AgentBudget;
};

type ServiceSettings = CamelKeys<z.output<typeof serviceSettingsSchema>>;

/** The parsed config.yaml. */
export interface Config extends ServiceSettings, DatabaseKeys {
  /** The path of the file, which may be missing. */
  path: string;
  /** Absolute. */
  workspace: string;
  /** Relative to the workspace. */
  agentsDir: string;
  sandbox: SandboxMode;
  defaults: AgentDefaults;
  /** The budget of the whole workspace. */
  budget: WorkspaceBudget;
  http: z.output<typeof configSchema>["http"];
  /** The defaults of the service's flags. Without a port it listens on its socket only. */
  service: { port: number | null; host: string; keepAlive: boolean };
  /** Has no slash at its end. Null: the service is reachable from this machine only. */
  publicUrl: string | null;
  notify: NotifySettings;
  warnings: Diagnostic[];
}
