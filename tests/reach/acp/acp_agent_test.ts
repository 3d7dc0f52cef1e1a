// Tests `inkling acp` with the client side of the protocol's own package.
import assert from "node:assert/strict";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { until } from "../../support/until.ts";
import { call } from "../../runtime/executions/executions_of.ts";
import { served } from "../served.ts";
import { withEditor } from "./editor.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

Deno.test("an editor's session is a conversation that streams, and loads again", async () => {
  await using on = await served();
  await withEditor(on, { agent: "talk" }, async (editor) => {
    assert.equal(await editor.prompt("One"), "end_turn");
    assert.equal(editor.text("agent_message_chunk"), "Answer 1");
    assert.ok(editor.updates.length > 1, "it streams");
    const { sessionId, agent } = editor;
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Two" },
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///a.ts", text: "const a = 1;" } },
        { type: "resource_link", name: "b.ts", uri: "file:///b.ts" },
      ],
    });
    const [one, answer, two] = on.sent(1);
    assert.deepEqual([one, answer], [["user", "One"], ["assistant", "Answer 1"]]);
    const sent = JSON.stringify(two);
    for (const part of [PNG, "const a = 1;", "[b.ts](file:///b.ts)"]) {
      assert.ok(sent.includes(part), sent);
    }
    editor.updates.length = 0;
    await agent.request(methods.agent.session.load, {
      sessionId,
      cwd: on.place.workspace,
      mcpServers: [],
    });
    assert.equal(editor.text("user_message_chunk"), "OneTwo\n[b.ts](file:///b.ts)");
    assert.equal(editor.text("agent_message_chunk"), "Answer 1Answer 2");
  });
  const runs = await on.client.executions({ agent: "talk", trigger: "chat" });
  assert.equal(runs.length, 2);
});

Deno.test("an approval is a permission request with the diff, answered by the person at the editor", async () => {
  for (const decision of ["approve", "deny"]) {
    await using on = await served();
    await on.place.writeScript("writer", [
      { call: [call("file_write", { path: "a.txt", content: "new\n" })] },
      { say: "Done." },
    ]);
    const path = join(on.place.workspace, "a.txt");
    await Deno.writeTextFile(path, "old\n");
    await on.client.reload();
    await withEditor(on, { agent: "writer", choose: () => decision }, async (editor) => {
      assert.equal(await editor.prompt("Write"), "end_turn");
      const [request] = editor.asked;
      assert.deepEqual(request?.options.map(({ kind }) => kind), ["allow_once", "reject_once"]);
      assert.deepEqual(request?.toolCall.content, [
        { type: "diff", path, oldText: "old", newText: "new" },
      ]);
      const calls = editor.updates.filter((one) => one.sessionUpdate === "tool_call");
      assert.deepEqual(calls.map(({ kind, title }) => [kind, title]), [[
        "edit",
        "file_write a.txt",
      ]]);
      assert.deepEqual(calls[0]?.content, [{
        type: "diff",
        path,
        oldText: null,
        newText: "new\n",
      }]);
      const done = editor.updates.filter((one) => one.sessionUpdate === "tool_call_update");
      assert.equal(done.length, 1);
    });
    assert.equal(await Deno.readTextFile(path), decision === "approve" ? "new\n" : "old\n");
    const rows = await on.client.messages(1);
    assert.ok(rows.some(({ metadata }) => metadata?.includes('"answered_via":"editor"')));
  }
});

Deno.test("a choice has buttons, and the next message answers a question in words", async () => {
  await using on = await served();
  const ask = (question: object) => ({ call: [call("ask_user", question)] });
  await on.place.writeScript("asker", [
    ask({ question: "Which?", options: ["red", "blue"] }),
    ask({ question: "Name?" }),
    { say: "Done." },
  ]);
  await on.client.reload();
  await withEditor(on, { agent: "asker", choose: () => "1" }, async (editor) => {
    assert.equal(await editor.prompt("Go"), "end_turn");
    assert.deepEqual(editor.asked[0]?.options.map(({ name }) => name), ["red", "blue"]);
    assert.match(editor.text("agent_message_chunk"), /Name\?/);
    assert.equal(await editor.prompt("Ada"), "end_turn");
    assert.match(editor.text("agent_message_chunk"), /Done\.$/);
    const rows = await on.client.messages(1);
    const answers = rows.filter(({ metadata }) => metadata?.includes("answered_via"));
    assert.deepEqual(answers.map(({ message }) => message), ["blue", "Ada"]);
  });
});

Deno.test("cancel ends the run, also while a permission is asked", async () => {
  await using on = await served(() => ({ text: "Begin", then: "hang" }));
  await withEditor(on, { agent: "talk" }, async (editor) => {
    const ended = editor.prompt("Hi");
    await until(() => editor.text("agent_message_chunk") === "Begin", "the first text");
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: editor.sessionId });
    assert.equal(await ended, "cancelled");
  });
  assert.equal((await on.client.execution(1)).status, "aborted");
  await withEditor(on, { agent: "talk" }, async (editor) => {
    const ended = editor.prompt("Hi");
    await until(() => editor.text("agent_message_chunk") === "Begin", "the first text");
    await on.client.cancel(2);
    assert.equal(await ended, "end_turn");
    assert.equal(
      editor.text("agent_message_chunk"),
      "Begin\n\nRun 2 ended with aborted: Cancelled by user",
    );
  });
  await on.place.writeScript("writer", [
    { call: [call("file_write", { path: "a.txt", content: "new\n" })] },
  ]);
  await on.client.reload();
  await withEditor(on, { agent: "writer" }, async (editor) => {
    assert.equal(await editor.prompt("Write"), "cancelled");
  });
  assert.equal((await on.client.execution(3)).status, "aborted");
});

Deno.test("servers of the editor, unknown agents and failed runs have a reason", async () => {
  await using on = await served(() => ({ status: 401, body: '{"error":{"message":"bad key"}}' }));
  await withEditor(on, { agent: "talk" }, async (editor) => {
    const server = { name: "s", command: "s", args: [], env: [] };
    const cwd = on.place.workspace;
    await assert.rejects(
      editor.agent.request(methods.agent.session.new, { cwd, mcpServers: [server] }),
      /starts no MCP servers of an editor/,
    );
    assert.equal(await editor.prompt("Hi"), "end_turn");
    assert.match(editor.text("agent_message_chunk"), /^Run 1 ended with error: /);
  });
  await assert.rejects(withEditor(on, { agent: "none" }, () => Promise.resolve()), /not found/);
});
