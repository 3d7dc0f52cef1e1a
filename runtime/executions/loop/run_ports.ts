// The interfaces of other folders that a run needs.
import type { JsonSchema, JsonValue } from "../../../base/json.ts";
import type { Agent } from "../../agents/agent.ts";
import type { Context } from "../../config/context.ts";
import type { Model, ModelReply } from "../../models/model.ts";
import type { RunCause } from "../../vocabulary/run_cause.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { AgentTools } from "../../tools/agent_tools.ts";
import type { PathSandbox } from "../../tools/files/path_sandbox.ts";
import type { OpenToolsOptions } from "../../tools/definition/open_tools_options.ts";
import type { ConversationStore } from "../record/conversation_store.ts";
import type { FamilyStore, LineageMember } from "../record/family_store.ts";
import type { ShownMedia, ToolContext } from "../../tools/definition/tool.ts";
import type { Telemetry } from "./telemetry.ts";
import type { ServerInstructions } from "../../vocabulary/prompt_material.ts";

/** The facts about the environment that a prompt contains, besides the time. */
export interface PromptFacts {
  memorySections: readonly string[];
  /** The instructions of MCP servers. */
  servers: readonly ServerInstructions[];
  /** True if the watched file existed when the prompt was created. */
  fileExists: boolean;
}

/** The output schema of an agent. */
export interface AnswerFormat {
  schema: JsonSchema;
  /** Returns the faults of an answer: a JSON pointer and a reason each. Rethrows the signal's reason. */
  findFaults(answer: JsonValue, options: { signal: AbortSignal }): Promise<string[]>;
}

/** The objects that a run needs. */
export interface RunPorts extends Context {
  /** Returns the current definition of an agent, or undefined. */
  findAgent(id: string): Agent | undefined;
  /** Redacts the keys of model providers in texts for a conversation. */
  keyRedactor: Redactor;
  /** Returns true if an environment variable holds a model provider's key, which no prompt may contain. */
  isProviderKey(name: string): boolean;
  /** The facts of the recorded opening, for a replay. If absent, the current facts are used. */
  facts?: () => PromptFacts;
  conversations: Pick<ConversationStore, "readConversation" | "readSeed">;
  families: Pick<FamilyStore, "readLineage">;
  telemetry: Telemetry;
  /** Opens the model of an agent. Throws ModelError if its configuration is incomplete. */
  openModel(agent: Agent): Promise<Model>;
  /** Opens the agent's output schema. Returns undefined if it has none. Throws OutputSchemaUnusable. */
  openFormat(agent: Agent): Promise<AnswerFormat | undefined>;
  /** Returns the cost of a reply in dollars, or null if no price is known. `model` is the id of the model that answered. */
  costOf(agent: Agent, reply: ModelReply, model: string): Promise<number | null>;
  /** Opens the tools of an agent and their prompt texts. Throws ToolsUnavailable, and the signal's reason. */
  openTools(agent: Agent, options: OpenToolsOptions): Promise<AgentTools>;
  /** Opens the file sandbox of an agent. `lineage` has the execution and its ancestors, beginning with the execution. */
  openSandbox(
    agent: Agent,
    subject: { lineage: readonly LineageMember[]; cause?: RunCause },
  ): Promise<PathSandbox>;
  /** Reads the text of a PDF file in a separate process. Rethrows the signal's reason. Absent if the run calls no tools. */
  readPdf?(
    pdf: Uint8Array,
    context: Pick<ToolContext, "signal" | "clock" | "redactor">,
  ): Promise<ShownMedia>;
}
