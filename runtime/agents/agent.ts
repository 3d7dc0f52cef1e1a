// What an agent is once its file is read and the defaults of config.yaml are applied. Immutable.
import type { Diagnostic } from "../../base/diagnostics.ts";

/** The levels of `history`, as an agent file names them. */
export const HISTORY_LEVELS = ["low", "medium", "high", "off"] as const;
/** How much of earlier conversations a run is sent; executions/history.ts has the numbers. */
export type HistoryLevel = typeof HISTORY_LEVELS[number];

/** The values of `on_pending`, as an agent file names them. */
export const ON_PENDING = ["skip", "parallel"] as const;
/** What becomes of a new run while another one of its conversation waits for a person: refused, or run beside it. */
export type OnPending = typeof ON_PENDING[number];

/** The values of `on_restart`, as an agent file names them. */
export const ON_RESTART = ["orphan", "resume"] as const;
/** What becomes of a run that a stop of the service interrupts: ended as orphaned, or resumed after the next start. */
export type OnRestart = typeof ON_RESTART[number];

/** Which model, and how to reach it. */
export interface ModelSettings {
  provider: string;
  name: string;
  baseUrl?: string;
  /** The variable that holds the key, when it is not `<PROVIDER>_API_KEY`. */
  apiKeyEnv?: string;
  streamUsage: boolean;
}

/** Nothing but a person, a program or another agent starts it. `input` replaces the user turn, here and below. */
export interface ManualTrigger {
  type: "manual";
  input?: string;
}

/** It starts at times. */
export interface ScheduleTrigger {
  type: "schedule";
  /** Exactly one of `every` and `cron` is set. The text as written; it parses. */
  every?: string;
  cron?: string;
  /** IANA zone of `cron`; absent: the machine's. */
  timezone?: string;
  catchUp: "once" | "none";
  input?: string;
}

/** It starts when files change. */
export interface WatchTrigger {
  type: "watch";
  paths: string[];
  filters: { include: string[]; exclude: string[] };
  debounceMs: number;
  /** So many runs begin within ten minutes, at most; with one more the trigger is stopped. */
  maxRuns: number;
  catchUp: "once" | "none";
  input?: string;
}

/** What starts an agent. */
export type Trigger = ManualTrigger | ScheduleTrigger | WatchTrigger;

/** Numbers that bound a run. `null` switches the limit off. */
export interface RunSettings {
  temperature: number;
  /** Tokens of one reply. */
  maxTokens: number;
  /** Seconds to wait for one model reply. */
  timeout: number;
  maxToolCalls: number | null;
  maxExecutionTokens: number | null;
  maxCostUsd: number | null;
  loopDetection: boolean;
}

/** A path the agent may reach, under the name its prompt and tools use. */
export interface AgentPath {
  alias: string;
  /** Absolute, `~` expanded, not yet resolved through symlinks. */
  path: string;
  description?: string;
}

/** One agent, complete. */
export interface Agent {
  /** The stem of its file name. */
  id: string;
  displayName: string;
  description: string;
  icon: string;
  /** Undefined when neither the file nor config.yaml names a model. */
  model: ModelSettings | undefined;
  trigger: Trigger;
  settings: RunSettings;
  customTools: string[];
  mcp: string[];
  skills: string[];
  agents: string[];
  /** Declared paths; empty: the workspace root. */
  paths: AgentPath[];
  history: HistoryLevel;
  /** The effective set of guarded tools: defaults and `confirm`, less `auto_approve`. */
  confirmTools: string[];
  /** What `auto_approve` took out of that: a tool that has it only as another name stays guarded. */
  freedGuards: string[];
  /** As declared; `"*"` frees every tool. */
  autoApprove: string[] | "*";
  onPending: OnPending;
  /** Null waits for ever. */
  confirmTimeoutMs: number | null;
  onRestart: OnRestart;
  enabled: boolean;
  /** The task, without substitutions. */
  body: string;
  sourcePath: string;
  /** What is odd about the file without making it unusable. */
  warnings: Diagnostic[];
}
