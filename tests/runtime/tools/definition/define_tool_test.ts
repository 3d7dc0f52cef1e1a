// Tests defineTool(), the built-in tools, and the size limit of results.
import assert from "node:assert/strict";
import { z } from "zod";
import { defineTool } from "../../../../runtime/tools/definition/define_tool.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import {
  limitResult,
  RESULT_LIMIT_BYTES,
} from "../../../../runtime/tools/definition/result_text.ts";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";
import { createBuiltinTools } from "../../../../runtime/tools/toolbox.ts";
import { call, testContext, testInWorkspace as test } from "../files/sandbox_fixture.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  schema: z.object({
    text: z.string().describe("What to say"),
    times: z.int().min(1).max(3).default(1),
    style: z.object({ loud: z.boolean() }).optional(),
  }),
  effect: ({ times }) => times > 1 ? "unsafe" : "read",
  timeoutMs: 1_000,
  run: ({ text, times }) => Promise.resolve(text.repeat(times)),
});

function complaint(args: unknown): string {
  try {
    echo.check(args);
  } catch (error) {
    if (error instanceof ToolFailure) return error.message;
  }
  return assert.fail("no complaint");
}

Deno.test("defineTool() creates the JSON schema of the arguments only once", () => {
  assert.equal(echo.parameters, echo.parameters);
  assert.deepEqual(echo.parameters, {
    type: "object",
    properties: {
      text: { type: "string", description: "What to say" },
      times: { type: "integer", minimum: 1, maximum: 3, default: 1 },
      style: { type: "object", properties: { loud: { type: "boolean" } }, required: ["loud"] },
    },
    required: ["text"],
    additionalProperties: false,
  });
});

test("defineTool() fills in defaults, drops nulls, and computes the effect from the arguments", async (fixture) => {
  assert.deepEqual(echo.check({ text: "a", style: null }), { text: "a", times: 1 });
  assert.equal(await call(echo, { text: "a", times: 2 }, testContext(fixture.sandbox())), "aa");
  assert.equal(echo.effect(echo.check({ text: "a" })), "read");
  assert.equal(echo.effect(echo.check({ text: "a", times: 2 })), "unsafe");
});

Deno.test("defineTool() reports all invalid arguments in one error", () => {
  assert.equal(
    complaint({ times: 9, style: { loud: "yes" }, txet: "a", size: 1 }),
    [
      "The arguments do not fit echo:",
      '- "text" is missing: expected string',
      '- "times": Too big: expected number to be <=3',
      '- "style.loud": expected boolean, received string',
      '- unknown arguments "txet", "size"; known are text, times, style',
    ].join("\n"),
  );
  const wanted = 'The arguments do not fit echo:\n- "text": expected string, received number';
  assert.equal(complaint({ text: 3 }), wanted);
  assert.equal(complaint([]), "The arguments of echo must be one JSON object.");
  assert.match(complaint(JSON.parse('{"text":"a","__proto__":1}')), /unknown argument "__proto__"/);
});

Deno.test("createBuiltinTools() describes arguments in schemas that all providers accept", () => {
  for (const tool of createBuiltinTools({ http: { allow: [], deny: [], ownPorts: () => [] } })) {
    assert.match(tool.name, /^[a-z_]{1,64}$/);
    assert.equal(tool.parameters.type, "object");
    assert.ok(!JSON.stringify(tool.parameters).includes("$"), `${tool.name} uses references`);
    if ("timeoutMs" in tool) assert.ok(tool.timeoutMs >= 1_000);
  }
});

Deno.test("limitResult() keeps short results, and cuts long ones between characters", () => {
  const redactor = new Redactor(() => []);
  for (const text of ["", "a".repeat(RESULT_LIMIT_BYTES), "é".repeat(RESULT_LIMIT_BYTES / 2)]) {
    assert.equal(limitResult(text, redactor), text);
  }
  for (const character of ["a", "é", "€", "😀"]) {
    for (const shift of ["", "x", "xy", "xyz"]) {
      const text = shift + character.repeat(RESULT_LIMIT_BYTES + 1);
      const bounded = limitResult(text, redactor);
      assert.ok(new TextEncoder().encode(bounded).length <= RESULT_LIMIT_BYTES);
      const expected =
        /\n\[The result is cut here: 99 KB of \d+ KB are shown\. To get the rest, .*\]$/;
      assert.match(bounded.slice(-300), expected);
      assert.ok(text.startsWith(bounded.slice(0, bounded.lastIndexOf("\n["))));
    }
  }
});

Deno.test("limitResult() leaves no part of a secret at the cut", () => {
  const value = "sekret-value-1234567890";
  const redactor = new Redactor(() => [{ name: "APP_TOKEN", value }]);
  for (let shift = 0; shift < value.length; shift++) {
    const bounded = limitResult("-".repeat(shift) + value.repeat(10_000), redactor);
    const head = bounded.slice(0, bounded.lastIndexOf("\n["));
    assert.equal(head.slice(shift).replaceAll(value, ""), "");
    assert.ok(head.length > 99 * 1024);
  }
});
