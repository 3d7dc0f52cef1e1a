// The input and the result of planning an import.
import type { JsonObject } from "../../base/json.ts";
import type { ImportMark } from "./import_mark.ts";
import type { ImportSource } from "./import_source.ts";
import type { Permission } from "./permissions.ts";
import type { RecognizedFile } from "./shapes/formats.ts";
import type { GrantKind, ImportedAgent } from "./reading/shape.ts";

/** A file with the agents that its reader found. */
export interface ReadFile extends RecognizedFile {
  path: string;
  /** The digest of the file's text. */
  digest: string;
}

/** The facts about the source. */
export interface SourceFacts
  extends Pick<ImportSource, "origin" | "texts" | "servers" | "repository"> {
  /** The skills of the source by name, each with the paths of its scripts. */
  skills: ReadonlyMap<string, readonly string[]>;
}

/** An existing agent file. */
export interface ExistingAgent {
  path: string;
  mark?: ImportMark;
  /** True if a person has changed the imported file. */
  isEdited: boolean;
  /** The fields of its front matter. */
  settings: JsonObject;
}

/** The facts about the workspace. */
export interface WorkspaceFacts {
  agents: ReadonlyMap<string, ExistingAgent>;
  servers: ReadonlySet<string>;
  skills: ReadonlySet<string>;
  hasSearch: boolean;
  /** The default model as `provider/name`. Undefined if there is none. */
  defaultModel: string | undefined;
  /** Returns true if a model of this provider can be called. */
  isUsable(provider: string): boolean;
  /** Returns true for a path in the workspace. */
  isInside(path: string): boolean;
}

/** A person's decisions about an import. */
export interface PlanOptions {
  /** The model of all agents, instead of their own. */
  model?: string;
  /** Other ids, by the keys of the agents. */
  ids?: ReadonlyMap<string, string>;
  /** The keys of agents that are not written. */
  kept?: ReadonlySet<string>;
  /** The id of an additional agent that calls the others. */
  team?: string;
  /** True if schedules that start in the same minute are spread over the hour. */
  spread?: boolean;
  /** The permissions for which agents that were imported before are written again. */
  allow?: readonly GrantKind[];
}

/**
 * The state of an agent's file. `same`: imported before, and the source has not changed. `update`: the source has changed,
 * or an allowed permission is new. `edited`: an update of a file that a person has changed. `own`: the file is in the agents
 * folder itself. `taken`: another file has this id.
 */
export type AgentState = "new" | "same" | "update" | "edited" | "own" | "taken";

/** An agent that can be written. */
export interface PlannedAgent extends ImportedAgent {
  /** The key of the agent, which its id does not change. A later import finds its file by it. */
  key: string;
  path: string;
  shape: string;
  digest: string;
  state: AgentState;
}

/** Everything that an import would write. */
export interface ImportPlan {
  agents: PlannedAgent[];
  permissions: Permission[];
  /** The number of agents that start in the same minute. */
  crowded: number;
}
