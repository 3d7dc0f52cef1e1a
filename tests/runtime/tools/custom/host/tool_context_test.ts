// The context of a tool's call, as the tool sees it, over messages.
import assert from "node:assert/strict";
import type { FromWorker } from "../../../../../runtime/tools/custom/host_messages.ts";
import { openToolContext } from "../../../../../runtime/tools/custom/host/tool_context.ts";

const surroundings = { agentId: "me", executionId: 7, workspace: "/w", paths: { notes: "/w/n" } };

function open() {
  const posted: FromWorker[] = [];
  return { posted, ...openToolContext(surroundings, (message) => void posted.push(message)) };
}

Deno.test("openToolContext() tells the tool who calls and where it may go", () => {
  const { context } = open();
  const { agentId, executionId, workspace, paths } = context;
  assert.deepEqual({ agentId, executionId, workspace, paths }, surroundings);
});

Deno.test("openToolContext() asks with a number each, and settles by it in any order", async () => {
  const { context, posted, reply } = open();
  const path = context.resolvePath("a.txt");
  const isSure = context.confirm("Sure?");
  const chosen = context.choose("Which?", ["x", "y"], { multi: true });
  const name = context.ask("Who?");
  const written = context.resolvePath("b.txt", "write");
  assert.deepEqual(posted, [
    { type: "request", id: 1, request: { kind: "path", text: "a.txt", access: "read" } },
    { type: "request", id: 2, request: { kind: "confirm", message: "Sure?" } },
    {
      type: "request",
      id: 3,
      request: { kind: "choose", message: "Which?", options: ["x", "y"], multi: true },
    },
    { type: "request", id: 4, request: { kind: "ask", message: "Who?" } },
    { type: "request", id: 5, request: { kind: "path", text: "b.txt", access: "write" } },
  ]);
  reply({ type: "reply", id: 4, value: "Ada" });
  reply({ type: "reply", id: 3, value: ["y"] });
  reply({ type: "reply", id: 2, value: true });
  reply({ type: "reply", id: 1, value: "/w/a.txt" });
  reply({ type: "reply", id: 5, error: 'Cannot write "b.txt"' });
  assert.deepEqual(await Promise.all([path, isSure, chosen, name]), [
    ...["/w/a.txt", true, ["y"], "Ada"],
  ]);
  await assert.rejects(written, { message: 'Cannot write "b.txt"' });
});

Deno.test("openToolContext() takes no answer for a no", async () => {
  const { context, reply } = open();
  const isSure = context.confirm("Sure?");
  reply({ type: "reply", id: 1, value: null });
  assert.equal(await isSure, false);
  const chosen = context.choose("Which?", ["x"]);
  reply({ type: "reply", id: 2, value: null });
  assert.deepEqual(await chosen, []);
  reply({ type: "reply", id: 3, value: "to a question that nobody asked" });
});

Deno.test("openToolContext(): when the run is stopped, the signal aborts, what was asked ends, and nothing more is asked", async () => {
  const { context, posted, abort } = open();
  const waiting = context.ask("Who?");
  abort();
  assert.equal(context.signal.aborted, true);
  await assert.rejects(waiting, { message: "The run was stopped" });
  await assert.rejects(context.ask("Who then?"), { message: "The run was stopped" });
  context.log("good-bye");
  assert.deepEqual(posted.slice(1), [{ type: "log", text: "good-bye" }]);
});
