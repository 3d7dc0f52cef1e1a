import assert from "node:assert/strict";
import {
  addAllowedCommand,
  addAutoApproval,
} from "../../../../runtime/agents/approval/approval_edit.ts";

const BODY = "\nWrite.\n---\nauto_approve: [none]\n";
const file = (yaml: string) => `---\n${yaml}---\n${BODY}`;
const add = (yaml: string, entry = "file_write") => addAutoApproval(file(yaml), entry);

Deno.test("addAutoApproval() adds one entry and changes nothing else, in every form of the list", () => {
  const cases: [string, string][] = [
    // The file has no `auto_approve`.
    [
      "name:   Writer     # aligned\n\n# the model\nmodel: { name: x }\n",
      "name:   Writer     # aligned\n\n# the model\nmodel: { name: x }\nauto_approve: [file_write]\n",
    ],
    ["", "auto_approve: [file_write]\n"],
    ["auto_approve:\nname: x\n", "auto_approve: [file_write]\nname: x\n"],
    ["auto_approve:   # none yet\nname: x\n", "auto_approve: [file_write]   # none yet\nname: x\n"],
    ["auto_approve: null\n", "auto_approve: [file_write]\n"],
    ["auto_approve: []\n", "auto_approve: [file_write]\n"],
    ["auto_approve: [ a ] # few\nname: x\n", "auto_approve: [ a, file_write ] # few\nname: x\n"],
    ["auto_approve: [a, b,]\n", "auto_approve: [a, b, file_write,]\n"],
    [
      "auto_approve:\n  - a   # because\n  # a note\n  - 'b'   # of that\n# end\nname: x\n",
      "auto_approve:\n  - a   # because\n  # a note\n  - 'b'   # of that\n  - file_write\n# end\nname: x\n",
    ],
    ["auto_approve:\n- a\nname: x\n", "auto_approve:\n- a\n- file_write\nname: x\n"],
  ];
  for (const [before, after] of cases) assert.equal(add(before), file(after));
});

Deno.test("addAutoApproval() keeps CRLF line ends, and adds missing front matter", () => {
  const crlf = file("auto_approve:\n  - a\n").replaceAll("\n", "\r\n");
  const found = addAutoApproval(crlf, "b");
  assert.equal(found, file("auto_approve:\n  - a\n  - b\n").replaceAll("\n", "\r\n"));
  const text = addAutoApproval("Write.\n", "github/get_issue");
  assert.equal(text, "---\nauto_approve: [github/get_issue]\n---\n\nWrite.\n");
});

Deno.test("addAutoApproval() quotes texts that YAML would read as another type", () => {
  assert.equal(add("", "true"), file('auto_approve: ["true"]\n'));
  assert.equal(add("", "a: [b]"), file('auto_approve: ["a: [b]"]\n'));
});

Deno.test("addAutoApproval() refuses a file in which it would change more than the list", () => {
  // An anchor shares the list with another key.
  assert.equal(add("confirm: &both [a]\nauto_approve: *both\n"), undefined);
  // A new line would be no key after a map in braces, or without a closing fence.
  assert.equal(add("{ name: x }\n"), undefined);
  assert.equal(addAutoApproval("---\nname: x\n", "a"), undefined);
  const found = add("description: |+\n  text\n\n");
  assert.equal(found, file("description: |+\n  text\n\nauto_approve: [file_write]\n"));
});

Deno.test("addAllowedCommand() adds one pattern to shell.allow, in every form of the field", () => {
  const allow = (yaml: string, pattern = "git log *") => addAllowedCommand(file(yaml), pattern);
  const cases: [string, string][] = [
    ["shell: true # with care\nname: x\n", "shell: { allow: [git log *] } # with care\nname: x\n"],
    ["shell: {}\n", "shell: { allow: [git log *] }\n"],
    ["shell: { deny: [rm *] }\n", "shell: { allow: [git log *], deny: [rm *] }\n"],
    ["shell: { allow: [ls *] }\n", "shell: { allow: [ls *, git log *] }\n"],
    ["shell: { allow: [] }\n", "shell: { allow: [git log *] }\n"],
    [
      "name: x\nshell:\n  # no pushes\n  deny: [git push *]\nicon: y\n",
      "name: x\nshell:\n  # no pushes\n  allow: [git log *]\n  deny: [git push *]\nicon: y\n",
    ],
    [
      "shell:\n  allow:\n    - ls # lists\n  timeout: 5m\n",
      "shell:\n  allow:\n    - ls # lists\n    - git log *\n  timeout: 5m\n",
    ],
    ["shell:\n  allow:\n  timeout: 5m\n", "shell:\n  allow: [git log *]\n  timeout: 5m\n"],
  ];
  for (const [before, after] of cases) assert.equal(allow(before), file(after));
  assert.equal(
    allow("shell: true\n", "echo 'a b' *"),
    file(`shell: { allow: ["echo 'a b' *"] }\n`),
  );
  for (const refused of ["name: x\n", "shell: false\n", "a: &b {}\nshell: *b\n"]) {
    assert.equal(allow(refused), undefined, refused);
  }
  assert.equal(addAllowedCommand("Write.\n", "ls"), undefined);
});
