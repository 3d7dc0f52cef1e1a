// Defines the objects that a LocalRuntime is made of. mod.ts creates them.
import type { CredentialStore } from "../../tools/mcp/sign_in/credentials.ts";
import type { Agent } from "../../agents/agent.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import type { SqlAudit } from "../../audit/audit.ts";
import type { Context } from "../../config/context.ts";
import type { EventBus } from "../../events/bus.ts";
import type { FrameStore } from "../../events/frame_store.ts";
import type { ExecutionLog } from "../../events/log.ts";
import type { BudgetService } from "../../executions/budget/budget_service.ts";
import type { ExecutionReads } from "../../executions/record/execution_reads.ts";
import type { SqlNodeReads } from "../../executions/nodes/node_reads.ts";
import type { FamilyStore } from "../../executions/record/family_store.ts";
import type { RequestStore } from "../../executions/record/request_store.ts";
import type { Retention } from "../../executions/runs/retention.ts";
import type { RunPorts } from "../../executions/loop/run_ports.ts";
import type { Runner } from "../../executions/runs/runner.ts";
import type { Runtime, RuntimeMessages } from "../../interface/runtime.ts";
import type { RunPlan } from "../../interface/run_plan.ts";
import type { Authoring } from "../../interface/workspace_files.ts";
import type { AgentFiles } from "../../triggers/agent_files.ts";
import type { Pause } from "../../triggers/pause.ts";
import type { SqlSlotStore } from "../../triggers/schedule/slots.ts";
import type { SqlTriggerStateStore } from "../../triggers/firing/trigger_state_store.ts";
import type { Triggers } from "../../triggers/triggers.ts";

/** The objects that a LocalRuntime is made of. */
export interface RuntimeParts extends Context, Pick<RunPorts, "openTools"> {
  version: string;
  /**
   * Reads config.yaml and the environment files if they have changed, and then the agents, whose defaults are in
   * config.yaml. Returns notices about files that keep changing.
   */
  refreshConfig: () => Promise<string[]>;
  registry: AgentRegistry;
  agentFiles: AgentFiles;
  executions: ExecutionReads;
  requests: Pick<RequestStore, "readOpenRequest" | "readSignIns">;
  families: Pick<FamilyStore, "sumDescendants">;
  storage: Runtime["storage"];
  /** The reads of nodes. Undefined if the database belongs to one service. */
  nodes: SqlNodeReads | undefined;
  frames: FrameStore;
  executionLog: ExecutionLog;
  keys: Runtime["keys"];
  /** Opens the stored sign-ins to remote MCP servers. */
  openCredentials: () => Promise<CredentialStore>;
  /** Returns the agent with these problems and the reported limits of its model's endpoint among its warnings. */
  withLessons: (agent: Agent, problems: readonly string[]) => Agent;
  planRun: (agent: Agent, options: { withMessages: boolean }) => Promise<RunPlan>;
  replays: Runtime["replays"];
  /** Opens the checks and facts of files. Undefined if the program does not give them. */
  authoring: (() => Promise<Authoring>) | undefined;
  retention: Retention;
  /** Undefined in a runtime that runs no agents. */
  runner: Runner | undefined;
  /** Ends a waiting execution. Undefined in a read-only runtime. */
  abortWaiting: Runner["abortWaiting"] | undefined;
  /** The automatic triggers. Undefined in a runtime that runs no agents. */
  triggers: Triggers | undefined;
  triggerStates: Pick<SqlTriggerStateStore, "readStopped">;
  pause: Pause;
  slots: SqlSlotStore;
  budgets: BudgetService;
  audit: SqlAudit;
  messages: RuntimeMessages;
  events: EventBus;
  /** The resources that must be closed, in the order in which they were opened. */
  resources: AsyncDisposableStack;
}
