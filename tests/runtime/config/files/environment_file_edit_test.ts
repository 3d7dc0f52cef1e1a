import assert from "node:assert/strict";
import {
  EnvironmentFileNotEditable,
  setVariable,
} from "../../../../runtime/config/files/environment_file_edit.ts";

const path = "/ws/.env";
const set = (text: string, value: string, name = "A_KEY") =>
  setVariable(text, { name, value }, { path });

Deno.test("setVariable() keeps every other line and comment", () => {
  const table: [text: string, expected: string][] = [
    ["", "A_KEY=new\n"],
    ["B=1", "B=1\nA_KEY=new\n"],
    [
      "# mine\n\nexport A_KEY = 'old' # until May\nB=2\n",
      "# mine\n\nexport A_KEY=new # until May\nB=2\n",
    ],
    ["A_KEY=\r\nB=2\r\n", "A_KEY=new\r\nB=2\r\n"],
    ["A_KEY=one\nA_KEY=two\n", "A_KEY=one\nA_KEY=new\n"],
    ['A_KEY="two\nlines" # x\nB=1\n', "A_KEY=new # x\nB=1\n"],
    // This text is part of the value of another variable, so it sets no variable.
    ["B='\nA_KEY=old\n'\n", "B='\nA_KEY=old\n'\nA_KEY=new\n"],
    ["#A_KEY=old\n", "#A_KEY=old\nA_KEY=new\n"],
    [String.raw`A_KEY="old \" # old" # until May` + "\n", "A_KEY=new # until May\n"],
    ["A_KEY=pa#ss # until May\n", "A_KEY=new # until May\n"],
    ["A_KEY=new # as it is", "A_KEY=new # as it is"],
  ];
  for (const [text, expected] of table) assert.equal(set(text, "new"), expected);
});

Deno.test("setVariable() quotes values that are invalid without quotes", () => {
  assert.equal(set("", "a#b"), "A_KEY='a#b'\n");
  assert.equal(set("", "it's #1"), 'A_KEY="it\'s #1"\n');
  assert.equal(set("", " padded "), "A_KEY=' padded '\n");
  assert.equal(set("", `#'"`), "A_KEY=`#'\"`\n");
  assert.equal(set("", "it's #1\\t"), "A_KEY=`it's #1\\t`\n");
});

Deno.test("setVariable() refuses values that would damage the file, and does not repeat them", () => {
  for (const [text, value] of [["B='open\n", "secret#1"], ["", "secret'\"`#"]] as const) {
    assert.throws(
      () => set(text, value),
      (error) =>
        error instanceof EnvironmentFileNotEditable && !error.message.includes("secret") &&
        error.message.startsWith("Cannot add A_KEY to /ws/.env: "),
    );
  }
});
