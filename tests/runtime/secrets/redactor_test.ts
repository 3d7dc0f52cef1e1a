import assert from "node:assert/strict";
import { Redactor } from "../../../runtime/secrets/redactor.ts";

const SECRETS = [
  { name: "LONG_KEY", value: 'sk-abc"def\\ghi-0123' },
  { name: "SHORT_TOKEN", value: "tok-12345678" },
];

Deno.test("Redactor.redact() replaces every occurrence, also in JSON notation", () => {
  const redactor = new Redactor(() => SECRETS);
  const text = `a ${SECRETS[0]!.value} b ${JSON.stringify({ k: SECRETS[0]!.value })} ${
    SECRETS[1]!.value
  }`;
  const safe = redactor.redact(text);
  assert.equal(safe, 'a [redacted:LONG_KEY] b {"k":"[redacted:LONG_KEY]"} [redacted:SHORT_TOKEN]');
});

Deno.test("Redactor.redact() replaces secrets in ASCII-only JSON", () => {
  const password = { name: "APP_PASSWORD", value: 'pässwörd-"😀"\t12345' };
  const redactor = new Redactor(() => [password]);
  const lower = 'p\\u00e4ssw\\u00f6rd-\\"\\ud83d\\ude00\\"\\t12345';
  const upper = 'p\\u00E4ssw\\u00F6rd-\\"\\uD83D\\uDE00\\"\\t12345';
  for (const spelled of [lower, upper]) {
    assert.equal(JSON.parse(`"${spelled}"`), password.value);
    assert.equal(redactor.redact(`{"a":"${spelled}"}`), '{"a":"[redacted:APP_PASSWORD]"}');
  }
});

Deno.test("Redactor.redactValue() redacts at any depth, and redacts the keys of inner objects", () => {
  const redactor = new Redactor(() => SECRETS);
  const token = SECRETS[1]!.value;
  const levels = 20_000;
  const deep = JSON.parse(`${"[".repeat(levels)}"${token}"${"]".repeat(levels)}`);
  let inner: unknown = redactor.redactValue(deep);
  while (Array.isArray(inner)) [inner] = inner;
  assert.equal(inner, "[redacted:SHORT_TOKEN]");
  const args = JSON.parse(`{"${token}":1,"__proto__":{"b":"${token}"}}`);
  const expected =
    `{"args":{"[redacted:SHORT_TOKEN]":1,"__proto__":{"b":"[redacted:SHORT_TOKEN]"}},"${token}":null}`;
  assert.equal(JSON.stringify(redactor.redactValue({ args, [token]: null })), expected);
  assert.equal(args[token], 1, "the argument is not changed");
});

Deno.test("Redactor.redact() takes linear time for many secrets and placeholders", () => {
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
  // Comparing each mark with each placeholder would take minutes.
  const times = 32_000;
  for (const [secrets, text, shown] of cases) {
    assert.ok(new Redactor(() => secrets).redact(text.repeat(times)) === shown.repeat(times), text);
  }
});
