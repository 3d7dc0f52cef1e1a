// Helpers for tests of agent files that use no disk: configuration, parse options and parsed agents.
import assert from "node:assert/strict";
import type { Config } from "../../../runtime/config/config.ts";
import { parseConfig } from "../../../runtime/config/parse_config.ts";
import type { Agent } from "../../../runtime/agents/agent.ts";
import {
  parseAgent,
  type ParseAgentOptions,
  type ParsedAgent,
} from "../../../runtime/agents/parse_agent.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";

/** Parses the text of a config.yaml. */
export function configOf(text = ""): Config {
  const result = parseConfig(text, { path: "/config/config.yaml", home: "/home/me" });
  assert.ok("config" in result, JSON.stringify(result));
  return result.config;
}

/** Returns parse options with a workspace at /work and a home directory at /home/me. */
export function parseOptions(config = configOf()): ParseAgentOptions {
  const directories = { workspace: "/work", agentsDir: "/work/agents" };
  return { config, home: "/home/me", directories };
}

/** Parses the text or bytes of an agent file. */
export function parse(
  content: string | Uint8Array,
  options: { name?: string; config?: Config } = {},
): ParsedAgent | { diagnostics: Diagnostic[] } {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const path = `/work/agents/${options.name ?? "daily.md"}`;
  return parseAgent({ path, bytes }, parseOptions(options.config));
}

/** Parses front matter and returns the agent. Throws if the front matter is invalid. */
export function agentOf(
  yaml: string,
  options: { name?: string; config?: Config; body?: string } = {},
): Agent {
  const result = parse(`---\n${yaml}\n---\n${options.body ?? "Do it."}\n`, options);
  assert.ok("agent" in result, JSON.stringify(result));
  return result.agent;
}
