// What the next run of an agent would be, as it is told. plan_run.ts finds it out.
import type { FirstMessage } from "../../executions/record/conversation.ts";
import type { Effect } from "../../tools/definition/tool.ts";
import type { SchedulerState } from "../../triggers/pause.ts";

/** A setting with its place. `line` is that of the file, 1-based; null for a default, and where a file is broken now. */
export interface EffectiveSetting {
  name: string;
  /** As a person would write it. */
  value: string;
  from: "file" | "config" | "default" | "unknown";
  line: number | null;
}

/** A tool as the run would have it. */
export interface PlannedTool {
  name: string;
  source: "builtin" | "delegation" | "skills" | "custom" | "mcp";
  /** The MCP server that it is from. */
  server: string | null;
  /** Whether a call waits for a person. */
  guarded: boolean;
  /** `varies`: the arguments decide. */
  effect: Effect | "varies";
}

/** What the next run would be; without secrets. Times are milliseconds since the epoch. */
export interface RunPlan {
  settings: EffectiveSetting[];
  /** The variable that holds the model's key, and whether it is set; null: no key is used, or there is no model. */
  key: { variable: string; isSet: boolean } | null;
  paths: {
    /** Null for a watched path. */
    alias: string | null;
    /** Absolute, symlinks resolved as far as the path exists. */
    path: string;
    access: "read" | "write";
    exists: boolean;
  }[];
  tools: PlannedTool[];
  /** Why a run would fail before it sends anything: what is not available, as sentences. */
  problems: string[];
  /** What a run would be warned of. */
  notices: string[];
  /** What would begin it. */
  trigger: "manual" | "schedule";
  upcoming: number[];
  /** The lines to enter at the sender of its webhook. */
  setup?: string[];
  schedulerState: SchedulerState;
  /** Null where they were not asked for, or cannot be made. */
  messages: FirstMessage[] | null;
}
