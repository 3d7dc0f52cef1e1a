// Tests the editor's folder as a path of an agent: `paths: { project: editor }`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ApiError, type Client } from "../../../api/client/client.ts";
import { KEY, serveWorkspace } from "../../support/test_service.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { call } from "../../runtime/executions/executions_of.ts";
import { served } from "../served.ts";
import { withEditor } from "./editor.ts";

const EDITS = "paths: { project: editor }\nauto_approve: '*'\n";
const READ = call("file_read", { path: "{project}/a.txt" });
const WRITE = call("file_write", { path: "{project}/b.txt", content: "new\n" });

async function createProject(place: TestWorkspace): Promise<string> {
  const folder = join(place.root, "project");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "a.txt"), "the content of a");
  return folder;
}

/** Returns the results of a run's calls, in order. */
async function resultsOf(on: { client: Client }, id: number) {
  const rows = await on.client.messages(id);
  return rows.filter(({ event_type: type }) => type === "tool_result").map(({ message }) =>
    message ?? ""
  );
}

Deno.test("an agent reads and writes in the editor's folder, and nowhere else", async () => {
  await using on = await served();
  const project = await createProject(on.place);
  await Deno.writeTextFile(join(on.place.workspace, "w.txt"), "of the workspace");
  await Deno.writeTextFile(join(on.place.root, "outside.txt"), "outside");
  await Deno.symlink(join(on.place.root, "outside.txt"), join(project, "link.txt"));
  await Deno.writeTextFile(join(project, ".env"), "KEY=1");
  await on.script("coder", [
    {
      call: [
        READ,
        WRITE,
        ...["w.txt", "{project}/link.txt", "{project}/.env", "{project}/../outside.txt"]
          .map((path) => call("file_read", { path })),
      ],
    },
    { say: "Done." },
  ], EDITS);
  await withEditor(on, { agent: "coder", cwd: project }, async (editor) => {
    assert.equal(await editor.prompt("Go"), "end_turn");
    const calls = editor.updates.filter((one) => one.sessionUpdate === "tool_call");
    assert.deepEqual(calls[1]?.content, [{
      type: "diff",
      path: join(project, "b.txt"),
      oldText: null,
      newText: "new\n",
    }]);
  });
  assert.equal(await Deno.readTextFile(join(project, "b.txt")), "new\n");
  const [read, , ...refused] = await resultsOf(on, 1);
  assert.match(read ?? "", /the content of a/);
  assert.equal(refused.length, 4);
  for (const text of refused) assert.match(text, /outside the allowed paths|closed to agents/);
});

Deno.test("without an editor the folder is absent, and the agent and the plan say so", async () => {
  await using on = await served();
  await Deno.writeTextFile(join(on.place.workspace, "w.txt"), "of the workspace");
  await on.script("coder", [
    { call: [READ, call("file_read", { path: "w.txt" })] },
    { say: "Done." },
  ], EDITS);
  const { execution_id: id } = await on.client.run("coder", { message: "Go" });
  for await (const _ of on.client.follow(id)) { /* until the end */ }
  const [unknown, outside] = await resultsOf(on, id);
  assert.match(unknown ?? "", /Unknown path alias \{project\}/);
  assert.match(outside ?? "", /outside the allowed paths/);
  const plan = await on.client.plan("coder", { prompt: true });
  assert.deepEqual(plan.paths, []);
  assert.match(plan.notices.join(), /\{project\} is absent: .*inkling acp coder/);
  assert.match(
    JSON.stringify(plan.messages),
    /\{project\}: absent\. It is the folder of an editor/,
  );
  assert.deepEqual((await on.client.agent("coder")).paths, { project: "editor" });
});

Deno.test("an agent without the path gets nothing from the editor, and a request with it is refused", async () => {
  await using on = await served();
  const project = await createProject(on.place);
  await on.script("plain", [
    { call: [call("file_read", { path: join(project, "a.txt") })] },
    { say: "Done." },
  ]);
  await withEditor(on, { agent: "plain", cwd: project }, async (editor) => {
    assert.equal(await editor.prompt("Go"), "end_turn");
  });
  assert.match((await resultsOf(on, 1))[0] ?? "", /outside the allowed paths/);
  await assert.rejects(
    on.client.run("plain", { message: "Go", editor_folder: project }),
    (error) =>
      error instanceof ApiError && error.status === 422 && /project: editor/.test(`${error}`),
  );
});

Deno.test("the folder stays the run's own after a restart, and with an approval", async () => {
  await using place = await createTestWorkspace();
  const project = await createProject(place);
  await place.writeScript("coder", [
    { call: [WRITE] },
    { call: [READ] },
    { say: "Done." },
  ], "paths: { project: editor }\n");
  {
    await using on = await serveWorkspace(place);
    const { execution_id: id } = await on.client.run("coder", { editor_folder: project });
    for await (const { event } of on.client.follow(id)) if (event === "waiting") break;
  }
  await using on = await serveWorkspace(place);
  const pending = await on.client.pending(1);
  assert.equal(pending.preview?.path, "{project}/b.txt");
  assert.match(pending.preview?.diff ?? "", /\+new/);
  await on.client.respond(1, { request_id: pending.request_id, response: { approved: true } });
  for await (const _ of on.client.follow(1)) { /* until the end */ }
  assert.equal((await on.client.execution(1)).status, "success");
  assert.equal(await Deno.readTextFile(join(project, "b.txt")), "new\n");
  assert.match((await resultsOf(on, 1))[1] ?? "", /the content of a/);
  // A fork has no editor.
  const { execution_id: fork } = await on.client.fork(1, { step: 0 });
  for await (const { event } of on.client.follow(fork)) if (event === "waiting") break;
  const asked = await on.client.pending(fork);
  assert.match(asked.preview?.problem ?? "", /Unknown path alias/);
});

Deno.test("neither a client over TCP nor /v1 can name a folder", async () => {
  await using on = await served();
  const project = await createProject(on.place);
  await on.script("coder", [{ call: [READ] }, { say: "Done." }], EDITS);
  const refused = await fetch(`${on.origin}/agents/coder/run`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({ message: "Go", editor_folder: project }),
  });
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /only over the Unix socket: .*inkling acp/);
  assert.deepEqual(await on.client.executions({ agent: "coder" }), []);
  await (await on.send("/v1/chat/completions", {
    json: {
      model: "coder",
      editor_folder: project,
      cwd: project,
      messages: [{ role: "user", content: "Go" }],
    },
  })).text();
  for (const { id } of await on.client.executions({ agent: "coder" })) {
    assert.match((await resultsOf(on, id))[0] ?? "", /Unknown path alias/);
  }
});

Deno.test("folders with keys, the service's folders and missing folders are refused", async () => {
  await using on = await served();
  const { root, configDir, workspace } = on.place;
  const { stateDir, agentsDir } = on.runtime.directories;
  await on.script("coder", [{ call: [READ] }, { say: "Done." }], EDITS);
  const ssh = join(root, ".ssh");
  const link = join(workspace, "link");
  await Deno.mkdir(ssh);
  await Deno.symlink(ssh, link);
  await Deno.writeTextFile(join(workspace, "file.txt"), "");
  const keys = /keys and private data are in .*: open the folder of one project/;
  const closed = /closed to agents/;
  const folders: [string, RegExp][] = [
    ...["/", root, ssh, link, "/etc"].map((one): [string, RegExp] => [one, keys]),
    ...[stateDir, configDir, agentsDir, "/proc/self"].map((one): [string, RegExp] => [one, closed]),
    [join(root, "none"), /is not a folder of this machine/],
    ["project", /not an absolute path/],
    [join(workspace, "file.txt"), /is not a folder of this machine/],
  ];
  for (const [folder, reason] of folders) {
    await withEditor(on, { agent: "coder", cwd: folder }, async (editor) => {
      await assert.rejects(editor.prompt("Go"), reason, folder);
    });
  }
  assert.deepEqual(await on.client.executions({ agent: "coder" }), []);
});
