import assert from "node:assert/strict";
import { join } from "node:path";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import type { JsonSchema } from "../../../base/json.ts";
import { OutputSchemaUnusable, readOutputSchema } from "../../../runtime/agents/output_schema.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { parse } from "./parsed_file.ts";

/** What is said of an agent file with this schema, each with its place. */
function said(schema: string): string[] {
  const parsed = parse(`---\noutput:\n  schema:\n${schema.replaceAll(/^/gm, "    ")}\n---\nDo it.`);
  const found = "agent" in parsed ? parsed.agent.warnings : parsed.diagnostics;
  return found.map((one) => formatDiagnostic(one).replace(/^.*?\.md:/, ""));
}

Deno.test("parseAgent() places what is no schema at its line", () => {
  const cases: [schema: string, place: string, message: RegExp][] = [
    ["type: objekt", "4:11", /^output\.schema\.type must be object, .* got "objekt"/],
    ["type: object\nrequired: price", "5:15", /required must be a list of names/],
    ["properties: [a]", "4:17", /properties must be a map of schemas/],
    [
      "properties:\n  price: number",
      "5:14",
      /properties\.price must be a schema \(a map\), got "number"/,
    ],
    ["properties:\n  a:\n    pattern: '('", "6:18", /pattern must be a regular expression/],
    ["items: {$ref: other.json}", "4:19", /"\$ref" must lead into the schema/],
    ["items: {$ref: '#/$defs/gone'}", "4:19", /"\$ref" must lead into the schema/],
    ["enum: []", "4:11", /enum must be a list of values/],
    ["minimum: low", "4:14", /minimum must be a number/],
    ["maxItems: -1", "4:15", /maxItems must be a whole number/],
    ["anyOf: {}", "4:12", /anyOf must be a list of schemas/],
  ];
  for (const [schema, place, message] of cases) {
    const [first = "", ...more] = said(schema);
    assert.equal(more.length, 0, schema);
    assert.ok(first.startsWith(`${place}: `), first);
    assert.match(first.slice(place.length + 2), message);
  }
});

Deno.test("parseAgent() takes a schema with all that schemas have, as it is written, and refuses one that is too deep", () => {
  const schema: JsonSchema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { price: { type: "number", minimum: 0 } },
    type: ["object", "null"],
    properties: { price: { $ref: "#/$defs/price" }, any: true, type: { const: "x" } },
    required: ["price"],
    additionalProperties: false,
    not: { required: ["never"] },
  };
  const parsed = parse(`---\noutput: { schema: ${JSON.stringify(schema)} }\n---\nDo it.`);
  assert.ok("agent" in parsed, JSON.stringify(parsed));
  assert.deepEqual(parsed.agent.output, { schema });
  const none = parse("---\noutput:\n---\nDo it.");
  assert.ok("agent" in none && none.agent.output === undefined);

  const deep = `${"{items: ".repeat(70)}{}${"}".repeat(70)}`;
  assert.match(said(`items: ${deep}`).join(), /nested over 64 levels|too deep|levels/);
});

async function read(
  name: string,
  prepare: (work: string) => Promise<void>,
): Promise<JsonSchema | string | undefined> {
  let result: JsonSchema | string | undefined;
  await withTempDir(async (root) => {
    const work = `${root}/work`;
    await Deno.mkdir(`${work}/agents/_config/tools`, { recursive: true });
    await prepare(work);
    const places = { workspace: work, toolsDir: `${work}/agents/_config/tools` };
    try {
      result = await readOutputSchema({ file: join(work, name) }, places);
    } catch (error) {
      assert.ok(error instanceof OutputSchemaUnusable, String(error));
      result = error.message.replaceAll(root, "ROOT");
    }
  });
  return result;
}

Deno.test("readOutputSchema() reads a file of the workspace or of agents/_config", async () => {
  for (const name of ["price.json", "agents/_config/price.json"]) {
    const schema = await read(
      name,
      (work) => Deno.writeTextFile(`${work}/${name}`, '\ufeff{"type":"object"}'),
    );
    assert.deepEqual(schema, { type: "object" });
  }
});

Deno.test("readOutputSchema() says what is wrong with the file, and quotes nothing of it", async () => {
  const write = (text: string) => (work: string) => Deno.writeTextFile(`${work}/a.json`, text);
  const start = "output.schema cannot be used: ROOT/work/a.json ";
  const cases: [(work: string) => Promise<void>, RegExp][] = [
    [() => Promise.resolve(), /^does not exist$/],
    [write("SECRET=1"), /^is not JSON$/],
    [write("[1]"), /^is not a schema: it must be a JSON object$/],
    [
      write('{"properties":{"a":{"type":"text"}}}'),
      /^is not a schema: properties\.a\.type must be/,
    ],
    [write(`{"description":"${"x".repeat(70_000)}"}`), /^is over 64 KB$/],
    [(work) => Deno.mkdir(`${work}/a.json`), /^is not a file$/],
    [async (work) => {
      await Deno.writeTextFile(`${work}/../secret.json`, "{}");
      await Deno.symlink(`${work}/../secret.json`, `${work}/a.json`);
    }, /^must lie in the workspace or in agents\/_config, and leads to ROOT\/secret\.json$/],
    [async (work) => {
      await Deno.writeTextFile(`${work}/.env`, "{}");
      await Deno.symlink(`${work}/.env`, `${work}/a.json`);
    }, /^must not be an \.env file$/],
  ];
  for (const [prepare, reason] of cases) {
    const message = await read("a.json", prepare);
    assert.ok(typeof message === "string" && message.startsWith(start), String(message));
    assert.match(message.slice(start.length), reason);
  }
  const shown = String(await read("../a.json", () => Promise.resolve()));
  assert.match(shown, /must lie in the workspace/);
});
