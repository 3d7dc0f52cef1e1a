// Fuzzes the redaction of secrets in whole texts, in JSON, and in texts that arrive in pieces.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createFrame } from "../../../runtime/events/frame.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import type { Secret } from "../../../runtime/secrets/secret.ts";
import { cutAt } from "../odd_text.ts";
import { defineTarget } from "../target.ts";

/** Secrets of few different characters, so that they contain, overlap and repeat each other. */
const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom("a", "b", '"', "\\"), { minLength: 8, maxLength: 12 }),
  },
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom("s", "k", "-", "1", "/", "\n", "é", "🚀"), {
      minLength: 8,
      maxLength: 14,
    }),
  },
).map((characters) => characters.join(""));
const secrets = fc.uniqueArray(value, { minLength: 1, maxLength: 3 }).map((values): Secret[] =>
  values.map((one, index) => ({ name: `S${index}_KEY`, value: one }))
    .sort((a, b) => b.value.length - a.value.length)
);

interface Case {
  secrets: Secret[];
  text: string;
  lengths: number[];
}

const cases: fc.Arbitrary<Case> = secrets.chain((known) => {
  const spelled = known.flatMap((
    { value },
  ) => [value, JSON.stringify(value), inJson(inJson(value))]);
  const part = fc.oneof(
    fc.constantFrom(...spelled),
    fc.tuple(fc.constantFrom(...spelled), fc.nat(14), fc.nat(14)).map(([one, from, to]) =>
      one.slice(from, to)
    ),
    fc.constantFrom("x", "hello ", "\\", '"', "a", "b", "[redacted:"),
  );
  return fc.record({
    secrets: fc.constant(known),
    text: fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
    lengths: fc.array(fc.nat(7), { maxLength: 20 }),
  });
});

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export const redaction = defineTarget({
  name: "redaction",
  claim:
    "no secret is left in a text, in its JSON, in a frame or in any pieces; the pieces form the whole unchanged text",
  cases: () => cases,
  check({ secrets, text, lengths }) {
    const redactor = new Redactor(() => secrets);
    const safe = redactor.redact(text);
    const assertSafe = (shown: string) => {
      for (const { value } of secrets) {
        for (const spelling of [value, inJson(value)]) {
          assert.ok(
            !shown.includes(spelling),
            `${JSON.stringify(value)} is left in ${JSON.stringify(shown)}`,
          );
        }
      }
    };
    assertSafe(safe);
    assert.equal(redactor.redact(safe), safe);
    if (secrets.every(({ value }) => ![value, inJson(value)].some((one) => text.includes(one)))) {
      assert.equal(safe, text);
    }
    const stream = redactor.openStream();
    const shown = cutAt(text, lengths).map((piece) => stream.push(piece)).join("") + stream.flush();
    assert.equal(shown, safe);
    const { payload } = createFrame(
      { executionId: 1, agentId: "x", displayName: "X" },
      {
        event: "ai",
        eventType: "ai",
        message: text,
        fields: { deep: [{ text }, JSON.stringify({ text })] },
      },
      { redactor, at: 0 },
    );
    const read = JSON.parse(payload);
    assert.equal(read.message, safe);
    assertSafe(read.deep[0].text);
    assertSafe(read.deep[1]);
    assert.ok(!payload.includes("\n"));
  },
});
