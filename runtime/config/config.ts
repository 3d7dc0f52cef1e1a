// config.yaml once it is read: every key with its default. parse_config.ts parses it.
import type { Diagnostic } from "../../base/diagnostics.ts";

/** What an agent gets for whatever its file leaves out. Its keys are those of `defaults` in config.yaml. */
export interface AgentDefaults {
  provider: string | undefined;
  model: string | undefined;
  /** Where `provider` is, if not at its own address. */
  baseUrl: string | undefined;
  confirmTools: string[];
  onPending: "skip" | "parallel";
  /** Null waits for ever. */
  confirmTimeoutMs: number | null;
  onRestart: "orphan" | "resume";
  temperature: number;
  maxTokens: number;
  /** Seconds. */
  timeout: number;
  maxToolCalls: number | null;
  maxExecutionTokens: number | null;
  maxCostUsd: number | null;
  loopDetection: boolean;
  history: "low" | "medium" | "high" | "off";
}

/** Everything config.yaml settles. */
export interface Config {
  /** The file, whether it exists or not. */
  path: string;
  /** Absolute. */
  workspace: string;
  /** Relative to the workspace. */
  agentsDir: string;
  defaults: AgentDefaults;
  /** Null keeps for ever. */
  checkpointRetentionDays: number | null;
  logRetentionDays: number | null;
  maxAgentDepth: number;
  maxConcurrentRuns: number;
  /** Refuse to send a named provider's key to a foreign host. */
  pinKeys: boolean;
  http: {
    /** Hosts that http_request may reach although they are private. */
    allow: string[];
    /** `private` closes loopback and private ranges; anything else is a host name to close. */
    deny: string[];
    /** Further Host names that the TCP listener answers to. */
    hosts: string[];
    /** Origins that the TCP listener admits. */
    origins: string[];
  };
  warnings: Diagnostic[];
}
