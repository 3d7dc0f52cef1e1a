// What holds where a person has written nothing: the one place of every default that config.yaml may change. The schemas
// document these values, the parsers use them. Those of agents alone stand in agents/definition.ts.

/** By the names of the fields in config.yaml's `defaults` and in agents' files. Null: no limit, or for ever. */
export const BUILT_IN = {
  agents_dir: "agents",
  confirm_tools: ["file_delete", "file_write"],
  on_pending: "skip",
  confirm_timeout: null,
  on_restart: "orphan",
  temperature: 0.7,
  max_tokens: 4_096,
  /** Seconds. */
  timeout: 300,
  max_tool_calls: 50,
  max_execution_tokens: 500_000,
  max_cost_usd: null,
  loop_detection: true,
  history: "low",
  checkpoint_retention_days: 30,
  log_retention_days: null,
  max_agent_depth: 3,
  max_concurrent_runs: 16,
  pin_keys: false,
} as const;
