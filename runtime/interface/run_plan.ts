// Defines the plan of an agent's next run, as the API returns it. plan_run.ts creates it.
import type { FirstMessage } from "../executions/record/conversation.ts";
import type { Effect } from "../tools/definition/tool.ts";
import type { SchedulerState } from "../triggers/pause.ts";

/** An effective setting and its origin. `line` begins at 1. It is null for a default, and if the file is broken now. */
export interface EffectiveSetting {
  name: string;
  /** The value as it is written in a file. */
  value: string;
  from: "file" | "config" | "default" | "unknown";
  line: number | null;
}

/** A tool that the run can call. */
export interface PlannedTool {
  name: string;
  source: "builtin" | "delegation" | "skills" | "custom" | "mcp";
  /** The tool's MCP server. Null for a tool of another source. */
  server: string | null;
  /** True if calls of the tool wait for approval. */
  guarded: boolean;
  /** The tool's effect. `varies` if it depends on the arguments. */
  effect: Effect | "varies";
}

/** The plan of the next run, without secrets. Times are milliseconds since the epoch. */
export interface RunPlan {
  settings: EffectiveSetting[];
  /**
   * The environment variable of the model's key, and if it is set. Null without a model and for a model that uses no key.
   */
  key: { variable: string; isSet: boolean } | null;
  paths: {
    /** The alias of the path. Null for a watched path. */
    alias: string | null;
    /** The absolute path. Symbolic links are resolved as far as the path exists. */
    path: string;
    access: "read" | "write";
    exists: boolean;
  }[];
  tools: PlannedTool[];
  /** The reasons why a run would fail at its start, one sentence each. */
  problems: string[];
  /** The warnings that a run would log. */
  notices: string[];
  /** The trigger of the planned run. */
  trigger: "manual" | "schedule";
  upcoming: number[];
  /** The settings for the webhook's sender, as lines of text. Absent without a webhook. */
  setup?: string[];
  schedulerState: SchedulerState;
  /** The first messages to the model. Null if they were not requested or cannot be created. */
  messages: FirstMessage[] | null;
}
