// Tests that each documented default has the same effect as leaving out the field.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse, parseDocument, stringify } from "yaml";
import type { JsonObject } from "../../base/json.ts";
import { KINDS_OF_FIELD } from "../../runtime/agents/triggers/trigger_forms.ts";
import { REPOSITORY } from "../support/repository.ts";
import { agentOf, configOf } from "../runtime/agents/parsed_file.ts";

Deno.test("docs: the code uses every documented default of config.yaml", () => {
  const rows = defaultsIn("config");
  assert.ok(rows.length > 15, String(rows.length));
  for (const { field, value } of rows) {
    assert.deepEqual(configOf(withField({}, field, value)), configOf(), field);
  }
});

/** A trigger of each kind that has fields with defaults. */
const TRIGGERS: Readonly<Record<string, JsonObject>> = {
  watch: { type: "watch", paths: ["inbox"] },
  webhook: { type: "webhook", scheme: "hmac", secret: "HOOK_SECRET" },
  change: { type: "change", url: "https://example.com/", every: "1h" },
  mail: { type: "mail", account: "home" },
};

Deno.test("docs: the code uses every documented default of an agent file", () => {
  const rows = defaultsIn("agent-file");
  assert.ok(rows.length > 15, String(rows.length));
  for (const { field, value } of rows) {
    const kinds = KINDS_OF_FIELD[field.slice("trigger.".length)] ?? [];
    const kind = kinds.find((one) => one in TRIGGERS) ?? "watch";
    const trigger = field === "trigger.type" ? {} : TRIGGERS[kind] ?? {};
    const base: JsonObject = {
      model: { provider: "demo", name: "echo" },
      trigger,
      ...(field.startsWith("retry.") && { retry: {} }),
      ...(field.startsWith("shell.") && { shell: true }),
    };
    assert.deepEqual(agentOf(withField(base, field, value)), agentOf(stringify(base)), field);
  }
});

/** Returns the fields of a table with a default that can be written as a value. */
function defaultsIn(table: string): { field: string; value: string }[] {
  const text = Deno.readTextFileSync(join(REPOSITORY, "docs/agent-files.md"));
  const body = text.split(`<!-- table: ${table} -->`)[1]?.split("<!-- end -->")[0] ?? "";
  return [...body.matchAll(/^\| `([^`]+)` *\|[^|]*\| *`([^`<]+)` *\|/gm)]
    .map(([, field = "", value = ""]) => ({ field, value }));
}

/** Returns a map as YAML, with a further field in the map or in one of its sections. */
function withField(base: JsonObject, field: string, value: string): string {
  const document = parseDocument(stringify(base));
  if (document.get("shell") === true) document.set("shell", document.createNode({}));
  document.setIn(field.split("."), parse(value));
  return document.toString();
}
