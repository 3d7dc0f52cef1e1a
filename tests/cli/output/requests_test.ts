import assert from "node:assert/strict";
import { formatRequest, promptMessage } from "../../../cli/output/requests.ts";
import { createStyle } from "../../../cli/output/style.ts";
import type { PendingBody } from "../../../server/request_schemas.ts";

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

Deno.test("formatRequest() shows the call whole, with nothing in it that a terminal obeys", () => {
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
      "    path: note.txt",
      "    content:",
      "      one",
      "      two",
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
  assert.equal(formatRequest(long, style), "First this.\nThen that?");
});
