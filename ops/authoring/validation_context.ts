// Defines everything that one agent file is checked against.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { MachineTimeZone } from "../../runtime/agents/machine_time_zone.ts";
import type { InspectedResources } from "../../runtime/agents/resource_problem.ts";
import type { Environment } from "../../runtime/config/files/environment.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import type { ModelPrices } from "../../runtime/models/pricing.ts";

/** The settings, tools and agents of a workspace. */
export interface ValidationContext
  extends Pick<WorkspaceSettings, "config" | "directories" | "home"> {
  environment: Environment;
  /** True if several machines share a database. */
  hasDatabase: boolean;
  hostNames: () => string[];
  /** The machine's time zone, for agents that name no time zone. */
  machineTimeZone: MachineTimeZone;
  prices: Pick<ModelPrices, "hasPrice" | "lists">;
  /** Inspects the custom tools, skills and servers that an agent names. */
  inspectResources: (agent: Agent) => Promise<InspectedResources>;
  /** The ids of all agents. */
  agentIds: readonly string[];
  /** Returns the ids that the `after` of the agent `id` contains: the agents whose end starts it. */
  startersOf: (id: string) => readonly string[];
  /** The maximum number of files and folders below a watched path. MAX_WATCHED_ENTRIES if absent. */
  mostEntries?: number;
}
