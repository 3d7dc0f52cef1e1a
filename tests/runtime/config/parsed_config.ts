// Parses the text of a config.yaml in tests.
import assert from "node:assert/strict";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import type { Config } from "../../../runtime/config/config.ts";
import { parseConfig } from "../../../runtime/config/parse_config.ts";

const OPTIONS = { path: "config.yaml", home: "/home/me" };

/** Returns the configuration of a text without errors. */
export function read(text: string): Config {
  const result = parseConfig(text, OPTIONS);
  assert.ok("config" in result, JSON.stringify(result));
  return result.config;
}

/** Returns the problems of a text with errors, each as `config.yaml:line:column: message`. */
export function problems(text: string): string[] {
  const result = parseConfig(text, OPTIONS);
  assert.ok("diagnostics" in result, JSON.stringify(result));
  return result.diagnostics.map(formatDiagnostic);
}

/** Asserts that the problems of a text contain these parts. Returns the problems. */
export function assertProblems(text: string, parts: readonly string[]): string {
  const lines = problems(text).join("\n");
  for (const part of parts) assert.ok(lines.includes(part), `${part} in\n${lines}`);
  return lines;
}
