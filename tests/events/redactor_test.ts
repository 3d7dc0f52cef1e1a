import assert from "node:assert/strict";
import fc from "fast-check";
import { createFrame } from "../../runtime/events/frame.ts";
import { Redactor } from "../../runtime/events/redactor.ts";

const SECRETS = [
  { name: "LONG_KEY", value: 'sk-abc"def\\ghi-0123' },
  { name: "SHORT_TOKEN", value: "tok-12345678" },
];

Deno.test("Redactor.redact() replaces every occurrence, also in JSON's spelling", () => {
  const redactor = new Redactor(() => SECRETS);
  const text = `a ${SECRETS[0]!.value} b ${JSON.stringify({ k: SECRETS[0]!.value })} ${
    SECRETS[1]!.value
  }`;
  const safe = redactor.redact(text);
  assert.equal(
    safe,
    'a [redacted:LONG_KEY] b {"k":"[redacted:LONG_KEY]"} [redacted:SHORT_TOKEN]',
  );
});

Deno.test("createFrame() leaves no secret in message or fields, at any depth", () => {
  const redactor = new Redactor(() => SECRETS);
  const draft = createFrame(
    { executionId: 1, agentId: "a", displayName: "A" },
    {
      event: "tool_call",
      eventType: "tool_call",
      message: SECRETS[1]!.value,
      fields: {
        tools: [{ args: JSON.stringify({ header: SECRETS[0]!.value }) }],
      },
    },
    { redactor, at: 0 },
  );
  assert.ok(!draft.payload.includes("tok-12345678"));
  assert.ok(!draft.payload.includes("ghi-0123"));
  assert.ok(!draft.payload.includes("\n"));
});

Deno.test("RedactedStream never lets a secret through, however the text is cut, and loses nothing else", () => {
  const redactor = new Redactor(() => SECRETS);
  const piece = fc.constantFrom(
    SECRETS[0]!.value,
    SECRETS[1]!.value,
    "sk-abc",
    "tok-",
    "x",
    "hello ",
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(7)), (pieces, cuts) => {
      const text = pieces.join("");
      const stream = redactor.openStream();
      let shown = "";
      let rest = text;
      for (const cut of cuts) {
        shown += stream.push(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      shown += stream.push(rest) + stream.flush();
      assert.equal(shown, redactor.redact(text));
    }),
  );
});
