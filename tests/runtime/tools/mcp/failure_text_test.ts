import assert from "node:assert/strict";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { toFailureText } from "../../../../runtime/tools/mcp/session_failure.ts";

const OWN = { name: "X_TOKEN", value: "own-secret-of-the-server" };
const RUN = { name: "OPENAI_API_KEY", value: "sk-a-key-of-a-provider" };
const options = { secrets: [OWN], redactor: new Redactor(() => [RUN]) };

Deno.test("toFailureText() keeps a short text, without the server's secrets", () => {
  assert.equal(toFailureText(`no ${OWN.value}!`, options), "no [redacted:X_TOKEN]!");
  assert.equal(toFailureText("", options), "The tool failed without an error message");
});

Deno.test("toFailureText() cuts a long text and leaves no part of a secret", () => {
  for (const { value } of [OWN, RUN]) {
    for (let kept = 1; kept < value.length; kept++) {
      const before = "x".repeat(32_000 - kept);
      const text = `${before}${value}${"y".repeat(2_000_000)}`;
      const expected = `${before}\n[The message is cut here: it has ${text.length} characters.]`;
      assert.equal(toFailureText(text, options), expected);
    }
  }
});
