import assert from "node:assert/strict";
import type { JsonSchema, JsonValue } from "../../../../base/json.ts";
import { compileAnswerCheck } from "../../../../runtime/tools/json_schema/answer_check.ts";
import { findAllFaults } from "../../../../runtime/tools/json_schema/answer_check.ts";

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { price: { type: "number", minimum: 0 }, "a/b": { type: ["string", "null"] } },
        required: ["price"],
        additionalProperties: false,
      },
    },
    state: { enum: ["open", "closed"] },
    kind: { const: "order" },
  },
  required: ["items"],
};

const CASES: [answer: JsonValue, faults: string[]][] = [
  [{ items: [{ price: 1, "a/b": null }], state: "open", kind: "order" }, []],
  [{ items: [{ price: "1" }] }, ["/items/0/price must be number"]],
  [{ items: [{ price: 1 }, {}] }, ["/items/1/price is missing"]],
  [{}, ["/items is missing"]],
  [[], ["the whole answer must be object"]],
  ["text", ["the whole answer must be object"]],
  [{ items: [{ price: 1, more: 2 }] }, ["/items/0/more is not allowed"]],
  [{ items: [{ price: 1, "a/b": 2 }] }, ["/items/0/a~1b must be string or null"]],
  [{ items: [{ price: -1 }] }, ["/items/0/price does not fit: -1 is less than 0"]],
  [{ items: [], state: "lost" }, ['/state must be one of ["open","closed"]']],
  [{ items: [], kind: "bill" }, ['/kind must be "order"']],
  [{ items: [{ price: "1" }, { price: true }] }, [
    "/items/0/price must be number",
    "/items/1/price must be number",
  ]],
];

Deno.test("both answer checks report faults as JSON pointers with reasons", async () => {
  const { findFaults, isPartial } = await compileAnswerCheck(SCHEMA);
  for (const [answer, faults] of CASES) {
    assert.deepEqual(findFaults(answer), faults);
    assert.deepEqual(await findAllFaults(answer, SCHEMA), faults);
    assert.equal(isPartial(answer), false);
  }
});

Deno.test("a separate process checks patterns, references and very big answers", async () => {
  const whole: JsonSchema = {
    $defs: { code: { type: "string", pattern: "^[A-Z]{3}$" } },
    type: "object",
    properties: { code: { $ref: "#/$defs/code" } },
  };
  const { findFaults, isPartial } = await compileAnswerCheck(whole);
  assert.deepEqual(findFaults({ code: "x" }), []);
  assert.equal(isPartial({ code: "x" }), true);
  const text = (await findAllFaults({ code: "x" }, whole)).join();
  assert.match(text, /^\/code does not fit: .*pattern/);
  const big = Array.from({ length: 20_000 }, () => ({ price: "x" }));
  const check = await compileAnswerCheck(SCHEMA);
  assert.deepEqual(check.findFaults({ items: big }), []);
  assert.equal(check.isPartial({ items: big }), true);
});

Deno.test("the answer check reports only the first ten faults", async () => {
  const { findFaults } = await compileAnswerCheck(SCHEMA);
  assert.equal(findFaults({ items: Array.from({ length: 50 }, () => ({})) }).length, 10);
});

Deno.test("the answer check throws no error for unusual property names", async () => {
  const { findFaults } = await compileAnswerCheck(SCHEMA);
  const odd = JSON.parse('{"items": [], "\\ud800": 1, "__proto__": {"x": 1}, "%": 2}') as JsonValue;
  assert.ok(Array.isArray(findFaults(odd)));
});
