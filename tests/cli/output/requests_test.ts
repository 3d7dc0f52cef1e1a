import assert from "node:assert/strict";
import { formatRequest, promptMessage } from "../../../cli/output/requests.ts";
import { createStyle } from "../../../cli/output/style.ts";
import type { PendingBody } from "../../../server/schemas/request_schemas.ts";

const style = createStyle({ colors: false });

function pendingOf(changes: Partial<PendingBody>): PendingBody {
  return {
    execution_id: 7,
    request_id: "r1",
    kind: "confirm",
    message: "Allow file_write?",
    tool_name: "file_write",
    tool_args: {},
    options: null,
    multi: false,
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: null,
    ...changes,
  };
}

Deno.test("formatRequest() shows the call whole, and what a terminal would obey as what it is", () => {
  const long = "x".repeat(5_000);
  const pending = pendingOf({
    tool_args: {
      "path\u001b[2J": "note.txt",
      content: "one\n\u001b[1Atwo\u202e\n",
      deep: { list: [1, "a"] },
      long,
    },
  });
  assert.equal(
    formatRequest(pending, style),
    [
      "? file_write",
      "    path\\u001b[2J: note.txt",
      "    content:",
      "      one",
      "      \\u001b[1Atwo\\u202e",
      "    deep:",
      "      {",
      '        "list": [',
      "          1,",
      '          "a"',
      "        ]",
      "      }",
      `    long: ${long}`,
    ].join("\n"),
  );
  assert.equal(promptMessage(pending), "Allow file_write?");
});

Deno.test("formatRequest() hides no command in an escape sequence, a line break or a direction", () => {
  const content = "echo tidying\n\u001b]0;touch pwned #\u0007\necho \rdone\u202e\n";
  assert.equal(
    formatRequest(pendingOf({ tool_args: { path: "tidy\u200b.sh", content } }), style),
    [
      "? file_write",
      "    path: tidy\\u200b.sh",
      "    content:",
      "      echo tidying",
      "      \\u001b]0;touch pwned #\\u0007",
      "      echo \\rdone\\u202e",
    ].join("\n"),
  );
  const asked = pendingOf({ message: "Run \u001b]0;rm\u0007?", tool_name: "ask_user" });
  assert.equal(promptMessage(asked), "Run \\u001b]0;rm\\u0007?");
});

Deno.test("formatRequest() repeats no question that stands in its prompt, and shows a long one above it", () => {
  const short = pendingOf({
    kind: "confirm",
    message: "Go on?",
    tool_name: "ask_user",
    tool_args: { question: "Go on?" },
  });
  assert.equal(formatRequest(short, style), "");
  const message = "First this.\nThen \u001b[31mthat?";
  const long = pendingOf({ kind: "input", message, tool_name: "ask_user" });
  assert.equal(promptMessage(long), undefined);
  assert.equal(formatRequest(long, style), "First this.\nThen \\u001b[31mthat?");
});
