// http.hosts and http.origins in config.yaml: what can never be sent is told instead of kept.
import assert from "node:assert/strict";
import { parseConfig } from "../../../runtime/config/parse_config.ts";
import { formatDiagnostic } from "../../../base/diagnostics.ts";

const read = (text: string) => parseConfig(text, { path: "config.yaml", home: "/home/me" });

function problems(text: string): string[] {
  const result = read(text);
  return "diagnostics" in result ? result.diagnostics.map(formatDiagnostic) : [];
}

Deno.test("parseConfig() takes origins of proxies and apps, and names of hosts", () => {
  assert.deepEqual(
    problems(`http:
  hosts: [inkling.example, "BÜCHER.example:8443", "[::1]"]
  origins: ["https://inkling.example/", "app://obsidian.md"]
`),
    [],
  );
});

Deno.test("parseConfig() refuses what is no origin and what is no host, each at its place", () => {
  const origin =
    "must be an origin, without a path: https://inkling.example, say, or app://obsidian.md";
  const host = "must be the name of a host such as inkling.example";
  assert.deepEqual(
    problems(`http:
  hosts:
    - https://inkling.example
    - "*.example"
    - "a b"
    - ""
  origins:
    - inkling.example
    - inkling.example:8443
    - "null"
    - https://inkling.example/ui
    - ""
    - 8443
`),
    [
      `config.yaml:3:7: http.hosts[0] ${host}, got "https://inkling.example"`,
      `config.yaml:4:7: http.hosts[1] ${host}, got "*.example"`,
      `config.yaml:5:7: http.hosts[2] ${host}, got "a b"`,
      `config.yaml:6:7: http.hosts[3] ${host}, got ""`,
      `config.yaml:8:7: http.origins[0] ${origin}, got "inkling.example"`,
      `config.yaml:9:7: http.origins[1] ${origin}, got "inkling.example:8443"`,
      `config.yaml:10:7: http.origins[2] ${origin}, got "null"`,
      `config.yaml:11:7: http.origins[3] ${origin}, got "https://inkling.example/ui"`,
      `config.yaml:12:7: http.origins[4] ${origin}, got ""`,
      'config.yaml:13:7: http.origins[5] must be text, got 8443 (put it in quotes: "8443")',
    ],
  );
});
