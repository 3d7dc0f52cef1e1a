import assert from "node:assert/strict";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import type { JsonSchema } from "../../../base/json.ts";
import { parse } from "./parsed_file.ts";
import { type Around, UNASKED, validate } from "../../ops/authoring/validated.ts";

/** Returns the problems of an agent file with this schema, each with its position. */
function said(schema: string): string[] {
  const parsed = parse(`---\noutput:\n  schema:\n${schema.replaceAll(/^/gm, "    ")}\n---\nDo it.`);
  const found = "agent" in parsed ? parsed.agent.warnings : parsed.diagnostics;
  return found.map((one) => formatDiagnostic(one).replace(/^.*?\.md:/, ""));
}

Deno.test("parseAgent() reports an invalid schema at its line", () => {
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

Deno.test("parseAgent() accepts every part of JSON Schema, and refuses a schema that is too deep", () => {
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

Deno.test("a schema file must be in the workspace or in agents/_config", async () => {
  const diagnosed = (file: string, around: Around) =>
    validate(`${UNASKED}\noutput: { schema: ${file} }`, around);
  for (const file of ["price.json", "agents/_config/price.json"]) {
    assert.deepEqual(await diagnosed(file, { files: { [file]: '\ufeff{"type":"object"}' } }), []);
  }
  const start = "error daily.md:4:19: output.schema cannot be used: /a.json ";
  const holds = (text: string): Around => ({ files: { "a.json": text } });
  const leads = (target: string): Around => ({
    files: { ".env": "{}" },
    link: { name: "a.json", target },
  });
  const cases: [around: Around, reason: RegExp][] = [
    [{}, /^does not exist$/],
    [holds("SECRET=1"), /^is not JSON$/],
    [holds("[1]"), /^is not a schema: it must be a JSON object$/],
    [
      holds('{"properties":{"a":{"type":"text"}}}'),
      /^is not a schema: properties\.a\.type must be/,
    ],
    [holds(`{"description":"${"x".repeat(70_000)}"}`), /^is over 64 KB$/],
    [{ files: { "a.json/b": "" } }, /^is not a file$/],
    [
      leads("../../../../etc/passwd"),
      /^must lie in the workspace or in agents\/_config, and leads to \//,
    ],
    [leads(".env"), /^must not be an \.env file$/],
  ];
  for (const [around, reason] of cases) {
    const [found = "", ...more] = await diagnosed("a.json", around);
    assert.ok(found.startsWith(start) && more.length === 0, `${reason} ${found} ${more}`);
    assert.match(found.slice(start.length), reason);
  }
  assert.match((await diagnosed("../a.json", {})).join(), /must lie in the workspace/);
});
