// What is left of a text that was cut in the middle of a secret.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Redactor } from "../../../runtime/secrets/redactor.ts";

const TOKEN = { name: "APP_TOKEN", value: "sekret-value-1234567890" };
const PASSWORD = { name: "APP_PASSWORD", value: 'pä"ss\nwörd-12345' };

Deno.test("Redactor.withoutTornEnd() drops what may begin a secret, in every spelling, and nothing else", () => {
  const redactor = new Redactor(() => [TOKEN, PASSWORD]);
  const ascii = 'p\\u00e4\\"ss\\nw\\u00f6rd-12345';
  for (
    const value of [TOKEN.value, PASSWORD.value, JSON.stringify(PASSWORD.value).slice(1, -1), ascii]
  ) {
    for (let length = 1; length < value.length; length++) {
      assert.equal(redactor.withoutTornEnd(`a text: ${value.slice(0, length)}`), "a text: ");
    }
    assert.equal(redactor.withoutTornEnd(`a text: ${value}`), `a text: ${value}`);
    assert.equal(redactor.withoutTornEnd(`${value}, and on`), `${value}, and on`);
  }
  assert.equal(redactor.withoutTornEnd(""), "");
});

Deno.test("Redactor.withoutTornEnd() drops a whole secret that may go on as another one", () => {
  const secrets = [{ name: "LONG_KEY", value: "7890-and-more" }, TOKEN];
  assert.equal(new Redactor(() => secrets).withoutTornEnd(`x ${TOKEN.value}`), "x ");
});

Deno.test("Redactor.wholeStart() leaves no end of a secret in front, in every spelling, and moves nowhere else", () => {
  const redactor = new Redactor(() => [TOKEN, PASSWORD]);
  const ascii = 'p\\u00e4\\"ss\\nw\\u00f6rd-12345';
  for (
    const value of [TOKEN.value, PASSWORD.value, JSON.stringify(PASSWORD.value).slice(1, -1), ascii]
  ) {
    const text = `${value}, ${value}${value}`;
    for (let at = 0; at <= text.length; at++) {
      const starts = [0, value.length + 2, 2 * value.length + 2];
      const inside = starts.find((from) => from < at && at < from + value.length);
      const expected = inside === undefined ? at : inside + value.length;
      assert.equal(redactor.wholeStart(text, at), expected, `${value} at ${at}`);
    }
    // The end of one alone is not known to be one.
    assert.equal(redactor.wholeStart(value.slice(1), 3), 3);
  }
  assert.equal(redactor.wholeStart("", 0), 0);
});

Deno.test("Redactor.beginningOf() leaves nothing of a secret that it cuts through", () => {
  const redactor = new Redactor(() => [TOKEN]);
  fc.assert(fc.property(
    fc.array(fc.constantFrom(TOKEN.value, "-", "text ", "😀"), { maxLength: 8 }),
    fc.nat(120),
    (parts, limit) => {
      const text = parts.join("");
      const shown = redactor.beginningOf(text, limit);
      assert.ok(text.startsWith(shown) && shown.length <= limit);
      if (text.length <= limit) return assert.equal(shown, text);
      assert.doesNotMatch(shown.replaceAll(TOKEN.value, ""), /sek/);
    },
  ));
});
