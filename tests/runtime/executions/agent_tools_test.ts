import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd, toEnd } from "../../support/test_workspace.ts";
import {
  answerToEnd,
  call,
  createToolPlace,
  doing,
  resultsOf,
  stopWaiting,
} from "./executions_of.ts";
import { writeConfig } from "./executions_of.ts";

const SKILL = `---
name: haiku
description: Writes haiku
argument-hint: topic
---
Write a haiku about $ARGUMENTS.
`;

Deno.test("a skill's instructions enter the conversation once and are shortened in the next run", async () => {
  await using place = await createTestWorkspace();
  await writeConfig(place, "skills/haiku/SKILL.md", SKILL);
  await place.writeScript("poet", [
    {
      call: [
        call("skill_use", { skill_name: "haiku", arguments: "rain" }),
        call("file_glob", { pattern: "*" }),
      ],
    },
    { say: "Drip." },
  ], "skills: haiku");
  await using runtime = await place.open();
  const first = await runToEnd(runtime, "poet");
  assert.deepEqual([first.status, first.outputData], ["success", "Drip."]);
  const frames = await payloadsOf(runtime, first.id);
  const injected = frames.filter((one) => one["event_type"] === "meta");
  assert.equal(injected.length, 1);
  const expected = /^<skill-context name="haiku">[\s\S]*about rain[\s\S]*<\/skill-context>$/;
  assert.match(String(injected[0]?.["content"]), expected);
  const system = frames.find((one) => one["event_type"] === "system");
  assert.match(String(system?.["content"]), /haiku.*topic.*Writes haiku/);

  // The echo model returns the last user turn. The history is in the stored conversation.
  const second = await runToEnd(runtime, "poet");
  assert.equal(second.status, "success");
  const { messages } = await conversationOf(place, second.id);
  const seeded = messages.filter(({ role, content }) =>
    role === "user" && content.includes("<skill-")
  );
  assert.match(seeded[0]?.content ?? "", /^<skill-breadcrumb name="haiku">/);
  assert.match(seeded.at(-1)?.content ?? "", /^<skill-context name="haiku">/);

  const again = { call: [call("skill_use", { skill_name: "haiku" })] };
  await place.writeScript("again", [...Array(6).fill(again), { say: "x" }], "skills: haiku");
  assert.match((await runToEnd(runtime, "again")).error ?? "", /loop_detected/);

  await place.writeScript(
    "cut",
    doing(
      call("file_write", { path: "poem.txt", content: "x" }),
      call("skill_use", { skill_name: "haiku" }),
    ),
    "skills: [haiku]",
  );
  const cut = await runtime.run("cut", {});
  await toEnd(runtime, cut.id);
  await runtime.cancel(cut.id);
  const next = await runtime.run("cut", {});
  await toEnd(runtime, next.id);
  const { messages: remembered } = await conversationOf(place, next.id);
  assert.deepEqual(remembered.slice(1, 7).map(({ role }) => role), [
    ...["user", "assistant", "tool", "tool", "user", "assistant"],
  ]);
  assert.equal(remembered[3]?.content, "Interrupted");
  assert.match(remembered[5]?.content ?? "", /^<skill-breadcrumb name="haiku">/);
});

async function conversationOf(
  place: TestWorkspace,
  id: number,
): Promise<{ messages: { role: string; content: string }[] }> {
  const bodies = "SELECT body FROM messages WHERE execution_id = ? ORDER BY position";
  const rows = await place.all<{ body: string }>(bodies, id);
  return { messages: rows.map(({ body }) => JSON.parse(body)) };
}

const ASKING_TOOL = `export default {
  description: "Deploys",
  parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
  async run({ what }, context) {
    const sure = await context.confirm("Deploy " + what + "?");
    return sure ? "deployed " + what : "not deployed";
  },
};`;

Deno.test("unavailable tools end only the runs of their agent, with the reason", async () => {
  await using place = await createToolPlace();
  await writeConfig(place, "tools/broken.ts", "this is no TypeScript (");
  const dead = '{"dead": {"command": "sh", "args": ["-c", "echo no luck >&2; exit 3"]}}';
  await writeConfig(place, "mcp-servers.json", dead);
  await writeConfig(place, "tools/file_read.ts", ASKING_TOOL);
  await place.writeScript("a", [{ say: "x" }], "tools: [broken]");
  await place.writeScript("b", [{ say: "x" }], "skills: [nowhere]");
  await place.writeScript("c", [{ say: "x" }], "mcp: [dead]");
  await place.writeScript("d", [{ say: "x" }], "tools: [file_read]");
  await place.writeScript("sound", [{ say: "x" }]);
  await using runtime = await place.open();
  const errorOf = async (id: string) => {
    const { status, error } = await runToEnd(runtime, id);
    assert.equal(status, "error", id);
    return error ?? "";
  };
  assert.match(await errorOf("a"), /custom tool broken/);
  assert.match(await errorOf("b"), /nowhere/);
  assert.match(await errorOf("c"), /dead[\s\S]*no luck/);
  assert.match(await errorOf("d"), /"file_read" has the name of another tool/);
  assert.equal((await runToEnd(runtime, "sound")).status, "success");
});

Deno.test("instructions of several skills follow all results of the reply, even after a restart", async () => {
  await using place = await createTestWorkspace();
  await writeConfig(place, "skills/haiku/SKILL.md", SKILL);
  await writeConfig(place, "skills/prose/SKILL.md", "---\ndescription: Prose\n---\nWrite prose.");
  const steps = doing(
    call("skill_use", { skill_name: "haiku", arguments: "rain" }),
    call("file_write", { path: "poem.txt", content: "x" }),
    call("skill_use", { skill_name: "prose" }),
  );
  await place.writeScript("poet", steps, "skills: [haiku, prose]");
  const id = await stopWaiting(place, "poet");
  await using runtime = await place.open();
  assert.equal((await answerToEnd(runtime, id, { approved: false })).outputData, "Done.");
  const { messages } = await conversationOf(place, id);
  assert.deepEqual(messages.map(({ role }) => role), [
    ...["system", "user", "assistant", "tool", "tool", "tool", "user", "user", "assistant"],
  ]);
  assert.match(messages[6]?.content ?? "", /^<skill-context name="haiku">/);
  assert.match(messages[7]?.content ?? "", /^<skill-context name="prose">/);
  const injected = (await payloadsOf(runtime, id)).filter((one) => one["event_type"] === "meta");
  assert.equal(injected.length, 2);
});

Deno.test("questions of several tools in one reply are answered in order, across restarts and edits", async () => {
  await using place = await createToolPlace();
  await writeConfig(place, "tools/deploy.ts", ASKING_TOOL);
  const write = (lines = "") => {
    const steps = [{ call: ["a", "b"].map((what) => call("deploy", { what })) }, { say: "Done." }];
    return place.writeScript("ops", steps, `tools: [deploy]\n${lines}`.trim());
  };
  await write();
  let id = 0;
  const asked: string[] = [];
  const guard = "confirm: [deploy]";
  // An answer to a tool's question does not approve a call that is guarded now, and an approval does not answer a tool's
  // question.
  for (const guards of [[guard], [guard, "", ""]]) {
    await using runtime = await place.open();
    id ||= (await runToEnd(runtime, "ops")).id;
    for (const lines of guards) {
      asked.push((await runtime.pendingRequest(id)).message);
      await write(lines);
      await runtime.reloadAgents();
      await answerToEnd(runtime, id, { approved: true });
    }
  }
  assert.deepEqual(asked, ["Deploy a?", "Allow deploy?", "Allow deploy?", "Deploy b?"]);
  await using runtime = await place.open({ mode: "read-only" });
  const results = (await resultsOf(runtime, id)).map(({ content }) => content);
  assert.deepEqual(results, ["deployed a", "deployed b"]);
});

Deno.test("a denied call does not run, even if its tool is no longer guarded", async () => {
  await using place = await createTestWorkspace();
  const writing = call("file_write", { path: "a.txt", content: "a" });
  const steps = [{ call: [writing] }, { say: "{result}" }];
  await place.writeScript("writer", steps);
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "writer");
  await place.writeScript("writer", steps, "auto_approve: '*'");
  await runtime.reloadAgents();
  const output = (await answerToEnd(runtime, id, { approved: false })).outputData;
  assert.equal(output, "Action denied by user");
  await assert.rejects(Deno.lstat(join(place.workspace, "a.txt")), Deno.errors.NotFound);
});
