import assert from "node:assert/strict";
import { formatRequest, promptMessage } from "../../../cli/output/requests.ts";
import { createStyle } from "../../../cli/output/style.ts";
import { assertPicture } from "../picture.ts";
import type { PendingBody, PreviewBody } from "../../../api/schemas/request_schemas.ts";

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
    asked_by: "writer",
    is_guard: true,
    waiting_runs: 1,
    preview: null,
    ...changes,
  };
}

Deno.test("formatRequest() returns a question only if it is too long for the prompt", () => {
  const short = pendingOf({
    kind: "confirm",
    message: "Go on?",
    tool_name: "ask_user",
    tool_args: { question: "Go on?" },
  });
  assert.equal(formatRequest(short, style), "");
  const signIn = { tool_name: "sign_in", tool_args: { server: "remote" } };
  assert.equal(formatRequest(pendingOf({ ...signIn, message: "Sign in" }), style), "");
  const asked = pendingOf({ message: "Run \u001b]0;rm\u0007?", tool_name: "ask_user" });
  assert.equal(promptMessage(asked), "Run \\u001b]0;rm\\u0007?");
  const message = "First this.\nThen \u001b[31mthat?";
  const long = pendingOf({ kind: "input", message, tool_name: "ask_user" });
  assert.equal(promptMessage(long), undefined);
  assert.equal(formatRequest(long, style), "First this.\nThen \\u001b[31mthat?");
});

const PREVIEW = {
  path: "notes.md",
  diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2\u001b[1A\u202e\n",
  added: 1,
  removed: 1,
  is_new_file: false,
  problem: null,
};

Deno.test("formatRequest() colors a file change, and hides nothing in it", () => {
  const pending = pendingOf({ preview: PREVIEW });
  const colored = formatRequest(pending, createStyle({ colors: true }));
  assert.ok(colored.includes("\n    \u001b[31m-two\u001b[39m\n    \u001b[32m+2\\u001b[1A\\u202e"));
});

Deno.test("formatRequest() shows new files, unchanged files, failing changes and changed line ends", async (t) => {
  const shown = (changes: Partial<PreviewBody>) =>
    formatRequest(
      pendingOf({ tool_args: { path: "a.md" }, preview: { ...PREVIEW, path: "a.md", ...changes } }),
      style,
    );
  const all = [
    shown({ diff: "@@ -0,0 +1,1 @@\n+x\n", removed: 0, is_new_file: true }),
    shown({ diff: "", added: 0, removed: 0 }),
    shown({ diff: "", problem: 'old_text is not in "a.md".\nRead it again.' }),
    // A file whose lines end with CRLF, and a file whose line ends change.
    shown({ diff: "@@ -1,1 +1,1 @@\n-a\r\n+b\r\n" }),
    shown({ diff: "@@ -1,1 +1,1 @@\n-a\r\n+a\n" }),
  ];
  await assertPicture(t, all.join("\n\n"), import.meta.url);
});
