import assert from "node:assert/strict";
import { createFrame } from "../../runtime/events/frame.ts";
import { Redactor } from "../../runtime/secrets/redactor.ts";

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

Deno.test("RedactedStream holds back a secret in any spelling, and one that may be part of a longer one", () => {
  const secrets = [
    { name: "URL_SECRET", value: "https://me:tok-12345678@host" },
    ...SECRETS,
  ];
  const show = (...pieces: string[]) => {
    const stream = new Redactor(() => secrets).openStream();
    return pieces.map((piece) => stream.push(piece)).join("|") + "|" + stream.flush();
  };
  const spelled = JSON.stringify({ k: SECRETS[0]!.value });
  for (let cut = 0; cut <= spelled.length; cut++) {
    const shown = show(spelled.slice(0, cut), spelled.slice(cut)).replaceAll("|", "");
    assert.equal(shown, '{"k":"[redacted:LONG_KEY]"}', `cut at ${cut}`);
  }
  assert.equal(show("x https://me:tok-12345678", "@host y"), "x |[redacted:URL_SECRET] y|");
  assert.equal(
    show("x https://me:tok-12345678", "@hotel"),
    "x |https://me:[redacted:SHORT_TOKEN]@hotel|",
  );
  assert.equal(show("tok-1", "tok-2 "), "|tok-1tok-2 |");
});

Deno.test("Redactor.redactValue() goes as deep as a value goes, and looks at what others named", () => {
  const redactor = new Redactor(() => SECRETS);
  const token = SECRETS[1]!.value;
  const levels = 20_000;
  const deep = JSON.parse(`${"[".repeat(levels)}"${token}"${"]".repeat(levels)}`);
  let inner: unknown = redactor.redactValue(deep);
  while (Array.isArray(inner)) [inner] = inner;
  assert.equal(inner, "[redacted:SHORT_TOKEN]");
  const args = JSON.parse(`{"${token}":1,"__proto__":{"b":"${token}"}}`);
  assert.equal(
    JSON.stringify(redactor.redactValue({ args, [token]: null })),
    `{"args":{"[redacted:SHORT_TOKEN]":1,"__proto__":{"b":"[redacted:SHORT_TOKEN]"}},"${token}":null}`,
  );
  assert.equal(args[token], 1, "what was given is left as it was");
});
