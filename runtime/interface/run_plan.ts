// The plan of an agent's next run, as returned by the API. plan_run.ts creates it.
import type { FirstMessage } from "../executions/record/conversation.ts";
import type { Effect } from "../tools/definition/tool.ts";
import type { SchedulerState } from "../triggers/pause.ts";

/** A setting and its origin. `line` is 1-based; null for a default, and when the file is broken now. */
export interface EffectiveSetting {
  name: string;
  /** In the notation of the file. */
  value: string;
  from: "file" | "config" | "default" | "unknown";
  line: number | null;
}

/** A tool of the run. */
export interface PlannedTool {
  name: string;
  source: "builtin" | "delegation" | "skills" | "custom" | "mcp";
  /** The tool's MCP server; null: it comes from none. */
  server: string | null;
  /** True: a call waits for a person's approval. */
  guarded: boolean;
  /** `varies`: the arguments decide. */
  effect: Effect | "varies";
}

/** The plan of the next run, without secrets. Times are milliseconds since the epoch. */
export interface RunPlan {
  settings: EffectiveSetting[];
  /** The variable of the model's key, and whether it is set; null: no key is used, or there is no model. */
  key: { variable: string; isSet: boolean } | null;
  paths: {
    /** Null for a watched path. */
    alias: string | null;
    /** Absolute; symlinks are resolved as far as the path exists. */
    path: string;
    access: "read" | "write";
    exists: boolean;
  }[];
  tools: PlannedTool[];
  /** The reasons why a run would fail at its start, as sentences. */
  problems: string[];
  /** The warnings of a run. */
  notices: string[];
  /** The trigger of the planned run. */
  trigger: "manual" | "schedule";
  upcoming: number[];
  /** The lines to enter at the webhook's sender. */
  setup?: string[];
  schedulerState: SchedulerState;
  /** Null if not requested, or if they cannot be created. */
  messages: FirstMessage[] | null;
}
