// The parser of command lines: its results and its error messages.
import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageError } from "../../../cli/command_line/usage_error.ts";
import { anyText } from "../../support/any_text.ts";
import { assertPicture } from "../picture.ts";
import { readLine } from "./sample_program.ts";

/** Returns the result of the parser as one line of text. */
async function answerTo(words: readonly string[]): Promise<string> {
  try {
    return JSON.stringify(await readLine(words), (key, value) => key === "of" ? value.name : value);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return `${error.command ?? "sample"}: ${error.message}`;
  }
}

/** Compares the results for these lines with the snapshot. Single spaces separate the words. */
async function reads(t: Deno.TestContext, lines: readonly string[]): Promise<void> {
  let text = "";
  for (const line of lines) {
    text += `sample ${line}\n    ${await answerTo(line === "" ? [] : line.split(" "))}\n`;
  }
  await assertPicture(t, text, import.meta.url);
}

Deno.test("parseCommandLine() reads options in every spelling, before, between and after words", async (t) => {
  await reads(t, [
    ...["tell 1", "tell 7 a b c", "tell 1 -d", "tell --detach 1 -n5", "tell -dn5 1"],
    ...[
      "tell -dn 5 1",
      "tell --last=5 1 --last 6",
      "tell --path a 1 --path=b",
      "tell --message= 1",
    ],
    ...["tell --message=a=b 1", "tell 1 --unit", "tell 1 --unit one", "tell --unit -d 1"],
    ...["tell 1 -utwo", "tell 1 - -5 -.5e3", "tell -- 1 -d", "-q tell 1 -v", "-w a tell 1 -w b"],
    ...["-qw tell list", "-- list", "secret"],
  ]);
});

Deno.test("parseCommandLine() reads any word after an option as the option's text", async () => {
  const plain = JSON.parse(await answerTo(["tell", "1"]));
  for (const text of ["-q", "--json", "--", "-", "-5", "--message", "list", "-h", ""]) {
    for (const words of [["tell", "--message", text, "1"], ["tell", "1", "-m", text]]) {
      const request = JSON.parse(await answerTo(words));
      assert.deepEqual(request, { ...plain, options: { message: text } });
    }
  }
});

Deno.test("parseCommandLine() reports an error with a suggestion and the command", async (t) => {
  await reads(t, [
    ...["lst", "secre", "xyzzy", "xyzzy --bogus", "--bogus list", "--quite list", "list --version"],
    ...["list -x", "list -qx", "list -q5", "tell 1 --jsn=secret", "tell 1 --json=yes", "tell 1 -n"],
    ...["-w", "list extra more", "tell", "tell x", "tell 1 -n0", "tell 1 --unit=three"],
    "tell 1 -d --json",
  ]);
});

Deno.test("parseCommandLine() returns the help despite any error", async (t) => {
  await reads(t, [
    ...["tell -h", "tell --help", "tell -n x --bogus -qh", "-h tell", "tell -n -- -h"],
    ...["tell 1 -- -h", "--bogus -h", "--version", "-qV tell", "", "-q", "--"],
  ]);
});

Deno.test("parseCommandLine() parses or rejects any words and never crashes", async () => {
  const odd = "tell list -q -qd -n --last --unit -- - --= -= 1 --path= __proto__ --constructor";
  const word = fc.oneof(fc.constantFrom(...odd.split(" ")), anyText({ maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (line) => {
      await answerTo(line);
    }),
    { numRuns: 50 },
  );
});
