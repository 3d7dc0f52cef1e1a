// Defines the type of the parsed config.yaml, in which every absent key has its default. parse_config.ts parses the file.
import type { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { CamelKeys } from "../../base/text/key_case.ts";
import type { AgentBudget, WorkspaceBudget } from "./agent_settings.ts";
import type { DatabaseKeys } from "./database_settings.ts";
import type { SandboxMode } from "../sandbox/sandbox_rules.ts";
import type { ChatSettings } from "./chat_schema.ts";
import type { MailAccount } from "./mail_schema.ts";
import type { NotifySettings } from "./notify_schema.ts";
import type { SearchSettings } from "./search_schema.ts";
import type { SignInSettings } from "./sign_in_schema.ts";
import type { Person } from "../vocabulary/persons.ts";
import type { agentDefaultsSchema, configSchema, serviceSettingsSchema } from "./config_schema.ts";

/** The values for fields that an agent's file omits. */
export type AgentDefaults = Omit<CamelKeys<z.output<typeof agentDefaultsSchema>>, "budget"> & {
  budget: AgentBudget;
};

type ServiceSettings = CamelKeys<z.output<typeof serviceSettingsSchema>>;

/** The parsed config.yaml. */
export interface Config extends ServiceSettings, DatabaseKeys {
  /** The path of the file, which may be missing. */
  path: string;
  /** The absolute path of the workspace. */
  workspace: string;
  /** The path of the agents folder, relative to the workspace. */
  agentsDir: string;
  sandbox: SandboxMode;
  defaults: AgentDefaults;
  /** The budget of the whole workspace. */
  budget: WorkspaceBudget;
  http: z.output<typeof configSchema>["http"];
  /** The values for omitted flags of the service. Without a port, the service listens only on its socket. */
  service: {
    port: number | null;
    host: string;
    keepAlive: boolean;
    edit: boolean;
    owner: string | null;
  };
  /**
   * The address under which browsers reach the service, without a slash at its end; null if only this machine reaches it.
   */
  publicUrl: string | null;
  /** The channels contain the chats, too. */
  notify: NotifySettings;
  /** `respond` is true if programs may approve calls and budgets. */
  expose: z.output<typeof configSchema>["expose"];
  chats: readonly ChatSettings[];
  mail: readonly MailAccount[];
  /** The service for searches. Null if there is none. */
  search: SearchSettings | null;
  /** The sign-in of people with OpenID Connect. Null if there is none. */
  signIn: SignInSettings | null;
  people: readonly Person[];
  warnings: Diagnostic[];
}
