import assert from "node:assert/strict";
import fc from "fast-check";
import { createFrame } from "../../../runtime/events/frame.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";

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
  assert.equal(safe, 'a [redacted:LONG_KEY] b {"k":"[redacted:LONG_KEY]"} [redacted:SHORT_TOKEN]');
});

Deno.test("Redactor.redact() knows JSON that is written in ASCII alone", () => {
  const password = { name: "APP_PASSWORD", value: 'pässwörd-"😀"\t12345' };
  const redactor = new Redactor(() => [password]);
  const lower = 'p\\u00e4ssw\\u00f6rd-\\"\\ud83d\\ude00\\"\\t12345';
  const upper = 'p\\u00E4ssw\\u00F6rd-\\"\\uD83D\\uDE00\\"\\t12345';
  for (const spelled of [lower, upper]) {
    assert.equal(JSON.parse(`"${spelled}"`), password.value);
    assert.equal(redactor.redact(`{"a":"${spelled}"}`), '{"a":"[redacted:APP_PASSWORD]"}');
  }
});

Deno.test("createFrame() leaves no secret in message or fields, at any depth", () => {
  const redactor = new Redactor(() => SECRETS);
  const draft = createFrame(
    { executionId: 1, agentId: "a", displayName: "A" },
    {
      event: "tool_call",
      eventType: "tool_call",
      message: SECRETS[1]!.value,
      fields: { tools: [{ args: JSON.stringify({ header: SECRETS[0]!.value }) }] },
    },
    { redactor, at: 0 },
  );
  assert.ok(!draft.payload.includes("tok-12345678"));
  assert.ok(!draft.payload.includes("ghi-0123"));
  assert.ok(!draft.payload.includes("\n"));
});

Deno.test("RedactedStream holds back a secret in any spelling, and one that may be part of a longer one", () => {
  const secrets = [{ name: "URL_SECRET", value: "https://me:tok-12345678@host" }, ...SECRETS];
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

/** Secrets and texts of the same parts, so that values stand in what is put in place of them, and reach out of it. */
const WORDS = ["A_KEY", "B_TOKEN", "redacted", ":", " ", "xy"];
const worldOf = (parts: readonly string[]) =>
  fc.record({
    values: fc.tuple(...["A_KEY", "B_TOKEN"].map(() =>
      fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }).map((all) => all.join(""))
    )),
    text: fc.array(fc.constantFrom(...parts, "[redacted:A_KEY]"), { maxLength: 10 })
      .map((all) =>
        all.join("")
      ),
    cuts: fc.array(fc.nat(9), { maxLength: 12 }),
  }).map(({ values, ...world }) => ({
    ...world,
    secrets: ["A_KEY", "B_TOKEN"].map((name, i) => ({ name, value: values[i] ?? "" }))
      .sort((a, b) => b.value.length - a.value.length),
  }));

Deno.test("Redactor.redact() leaves what it returned as it is, also where a value is part of what stands for it", () => {
  const own = new Redactor(() => [{ name: "GITHUB_TOKEN", value: "GITHUB_TOKEN" }]);
  assert.equal(own.redact("Set GITHUB_TOKEN"), "Set [redacted:GITHUB_TOKEN]");
  assert.equal(own.redact("Set [redacted:GITHUB_TOKEN]"), "Set [redacted:GITHUB_TOKEN]");
  assert.equal(own.redact("[redacted:GITHUB_TOKEN"), "[redacted:[redacted:GITHUB_TOKEN]");
  // What only looks like one hides nothing.
  const other = new Redactor(() => SECRETS);
  assert.equal(other.redact("[redacted:tok-12345678]"), "[redacted:[redacted:SHORT_TOKEN]]");
  fc.assert(
    fc.property(worldOf([...WORDS, "[", "]", "[redacted:", "KEY]"]), ({ secrets, text }) => {
      const redactor = new Redactor(() => secrets);
      const shown = redactor.redact(text);
      assert.equal(redactor.redact(shown), shown);
      const bare = secrets.reduce(
        (rest, { name }) => rest.replaceAll(`[redacted:${name}]`, "\0"),
        shown,
      );
      for (const { value } of secrets) assert.ok(!bare.includes(value), `${value} in ${shown}`);
    }),
    { numRuns: 2_000, seed: 1 },
  );
});

Deno.test("RedactedStream shows the same as redact(), however the text is cut, and leaves that as it is", () => {
  fc.assert(
    fc.property(worldOf(WORDS), ({ secrets, text, cuts }) => {
      const redactor = new Redactor(() => secrets);
      const show = (whole: string) => {
        const stream = redactor.openStream();
        let shown = "";
        let from = 0;
        for (const length of cuts) {
          shown += stream.push(whole.slice(from, from + length));
          from += length;
        }
        return shown + stream.push(whole.slice(from)) + stream.flush();
      };
      const shown = redactor.redact(text);
      assert.equal(show(text), shown);
      assert.equal(show(shown), shown);
    }),
    { numRuns: 2_000, seed: 1 },
  );
});

Deno.test("Redactor.redact() gets through a long text of many secrets and placeholders", () => {
  const token = { name: "T_TOKEN", value: "tok-12345678" };
  const own = { name: "OPENAI_API_KEY", value: "OPENAI_API_KEY" };
  const many = Array.from(
    { length: 50 },
    (_, i) => ({ name: `N${i}_KEY`, value: `value-${i}-of-50` }),
  );
  const cases: [typeof many, string, string][] = [
    [[token], `[redacted:T_TOKEN] ${token.value} `, "[redacted:T_TOKEN] [redacted:T_TOKEN] "],
    [[token], `[redacted:T_TOKEN]${token.value}`, "[redacted:T_TOKEN][redacted:T_TOKEN]"],
    [[own], "[redacted:OPENAI_API_KEY] ", "[redacted:OPENAI_API_KEY] "],
    [[own], "OPENAI_API_KEY=", "[redacted:OPENAI_API_KEY]="],
    [many, "[redacted:N3_KEY] value-7-of-50 ", "[redacted:N3_KEY] [redacted:N7_KEY] "],
  ];
  // Were each compared with each, this would not end for minutes.
  const times = 64_000;
  for (const [secrets, text, shown] of cases) {
    assert.ok(new Redactor(() => secrets).redact(text.repeat(times)) === shown.repeat(times), text);
  }
});
