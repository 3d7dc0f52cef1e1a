import assert from "node:assert/strict";
import fc from "fast-check";
import { substitute, TextTooLong } from "../../../base/text/substitute.ts";
import { anyText } from "../../support/any_text.ts";

const VALUES: Record<string, string> = {
  NAME: "Ada",
  TRICK: "${NAME} $ARGUMENTS",
  OPENAI_API_KEY: "key",
};

function fill(body: string, args: string[] = []) {
  return substitute(body, {
    args,
    lookup: (name) => VALUES[name],
    isWithheld: (name) => name === "OPENAI_API_KEY",
  });
}

const CASES: [body: string, args: string[], text: string, usesArguments: boolean][] = [
  ["Hello ${NAME}.", [], "Hello Ada.", false],
  ["${UNDEFINED} stays", [], "${UNDEFINED} stays", false],
  ["{NAME} and {alias} stay", [], "{NAME} and {alias} stay", false],
  ["${TRICK}", ["x"], "${NAME} $ARGUMENTS", false],
  ["all: $ARGUMENTS", ["a", "b c"], "all: a\nb c", true],
  ["all: $ARGUMENTS", [], "all: ", false],
  ["$ARGUMENTS[1] of $ARGUMENTS[9]", ["a", "b"], "b of ", true],
  ["$ARGUMENTS[12345] $ARGUMENTS[99999999999999999999]", ["a"], " ", false],
  ["all: $ARGUMENTS $ARGUMENTS[9]", ["a"], "all: a ", true],
  ["$0 and $1", ["a", "b"], "a and b", true],
  ["$0 and $1", ["a"], "a and $1", true],
  ["$0", [""], "", true],
  ["it costs $5.00", [], "it costs $5.00", false],
  ["above $5.00, or $5 at least", ["a"], "above $5.00, or $5 at least", false],
  ["$0.50, $1,000 and $1,000.50 of $0.", ["a", "b"], "$0.50, $1,000 and $1,000.50 of a.", true],
  ["$0.$1, $0,$1, $1,2 and $1,0000", ["a", "b"], "a.b, a,b, b,2 and b,0000", true],
  ["$10 is not $1", ["a", "b"], "$10 is not b", true],
  ["\\$0 and \\${NAME}", ["a"], "$0 and ${NAME}", false],
  ["$ARGUMENTSX", ["a"], "$ARGUMENTSX", false],
  ["$0", ["$1 ${NAME}"], "$1 ${NAME}", true],
  ["${not a name} $", [], "${not a name} $", false],
];

Deno.test("substitute() fills in variables and arguments in one pass", () => {
  for (const [body, args, text, usesArguments] of CASES) {
    const result = fill(body, args);
    assert.deepEqual([result.text, result.usesArguments], [text, usesArguments], body);
  }
});

Deno.test("substitute() never inserts a model provider's key and reports its name", () => {
  const result = fill("use ${OPENAI_API_KEY} and ${NAME}");
  assert.equal(result.text, "use ${OPENAI_API_KEY} and Ada");
  assert.deepEqual(result.withheld, ["OPENAI_API_KEY"]);
});

Deno.test("substitute() leaves text without dollar signs unchanged", () => {
  fc.assert(fc.property(anyText(), fc.array(fc.string()), (text, args) => {
    fc.pre(!text.includes("$"));
    assert.equal(fill(text, args).text, text);
  }));
});

Deno.test("substitute() refuses a text that would become huge before building it", () => {
  const long = "x".repeat(1_000_000);
  const fillWith = (body: string, value: string, args: string[] = []) =>
    substitute(body, { args, lookup: () => value, isWithheld: () => false });
  assert.throws(() => fillWith("${LONG}".repeat(100_000), long), TextTooLong);
  assert.throws(() => fillWith("$ARGUMENTS ".repeat(100_000), "", [long]), TextTooLong);
  assert.equal(fillWith("${LONG}".repeat(4), long).text.length, 4_000_000);
});
