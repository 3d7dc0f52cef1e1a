import assert from "node:assert/strict";
import { join } from "node:path";
import type { HumanAnswer } from "../../../runtime/executions/human_request.ts";
import { denoDirectory } from "../../support/repository.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { answerToEnd, call, doing, resultsOf, stopWaiting, writeConfig } from "./executions_of.ts";

/** Spares custom tools the compilation of their host. */
const CACHED = { shell: { DENO_DIR: denoDirectory() } };

const SKILL = `---
name: haiku
description: Writes haiku
argument-hint: topic
---
Write a haiku about $ARGUMENTS.
`;

Deno.test("a skill's instructions enter the conversation once, and are a breadcrumb in the next run", async () => {
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

  // What a model gets, the echo model shows: the last user turn; the seed stands in the stored conversation.
  const second = await runToEnd(runtime, "poet");
  assert.equal(second.status, "success");
  const { messages } = await conversationOf(place, second.id);
  const seeded = messages.filter(({ role, content }) =>
    role === "user" && content.includes("<skill-")
  );
  assert.match(seeded[0]?.content ?? "", /^<skill-breadcrumb name="haiku">/);
  assert.match(seeded.at(-1)?.content ?? "", /^<skill-context name="haiku">/);
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
    if (!sure) return "not deployed";
    const where = await context.choose("Where?", ["test", "live"]);
    await Deno.writeTextFile(context.paths.out + "/deployed.txt", what + " to " + where.join());
    return "deployed " + what + " to " + where.join();
  },
};`;

/** Writes an agent that calls the asking tool once for each of these. */
async function writeOps(place: TestWorkspace, whats: string[], lines = ""): Promise<void> {
  await writeConfig(place, "tools/deploy.ts", ASKING_TOOL);
  await Deno.mkdir(join(place.workspace, "out"), { recursive: true });
  const steps = [{ call: whats.map((what) => call("deploy", { what })) }, { say: "{result}" }];
  await place.writeScript("ops", steps, `tools: [deploy]\npaths: out\n${lines}`.trim());
}

Deno.test("tools that cannot be had end the run with the reason, and no other agent's", async () => {
  await using place = await createTestWorkspace(CACHED);
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

Deno.test("a skill that is asked for again and again is a loop", async () => {
  await using place = await createTestWorkspace();
  await writeConfig(place, "skills/haiku/SKILL.md", SKILL);
  const again = { call: [call("skill_use", { skill_name: "haiku" })] };
  await place.writeScript("poet", [...Array(6).fill(again), { say: "x" }], "skills: haiku");
  await using runtime = await place.open();
  assert.match((await runToEnd(runtime, "poet")).error ?? "", /loop_detected/);
});

Deno.test("instructions of several skills stand behind all results of their reply, across a question and a restart", async () => {
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

Deno.test("what a run that was cut off had of skills is seeded as breadcrumbs behind whole results", async () => {
  await using place = await createTestWorkspace();
  await writeConfig(place, "skills/haiku/SKILL.md", SKILL);
  await place.writeScript(
    "poet",
    doing(
      call("file_write", { path: "poem.txt", content: "x" }),
      call("skill_use", { skill_name: "haiku" }),
    ),
    "skills: [haiku]",
  );
  await using runtime = await place.open();
  const first = await runtime.run("poet", {});
  await toEnd(runtime, first.id);
  await runtime.cancel(first.id);
  const second = await runtime.run("poet", {});
  await toEnd(runtime, second.id);
  const { messages } = await conversationOf(place, second.id);
  assert.deepEqual(messages.slice(1, 7).map(({ role }) => role), [
    ...["user", "assistant", "tool", "tool", "user", "assistant"],
  ]);
  assert.equal(messages[3]?.content, "Interrupted");
  assert.match(messages[5]?.content ?? "", /^<skill-breadcrumb name="haiku">/);
});

Deno.test("two tools of one reply that ask by themselves are answered one after the other, also over a restart", async () => {
  await using place = await createTestWorkspace(CACHED);
  await writeOps(place, ["a", "b"]);
  let id = 0;
  const asked: string[] = [];
  const yes = { approved: true };
  const answers: HumanAnswer[] = [yes, { selected: ["test"] }, yes, { selected: ["live"] }];
  for (const half of [answers.slice(0, 1), answers.slice(1)]) {
    await using runtime = await place.open();
    id ||= (await runToEnd(runtime, "ops")).id;
    for (const given of half) {
      asked.push((await runtime.pendingRequest(id)).message);
      await answerToEnd(runtime, id, given);
    }
  }
  assert.deepEqual(asked, ["Deploy a?", "Where?", "Deploy b?", "Where?"]);
  await using runtime = await place.open({ mode: "read-only" });
  assert.equal((await runtime.getExecution(id)).outputData, "deployed b to live");
  const results = await resultsOf(runtime, id);
  const expected = ["deployed a to test", "deployed b to live"];
  assert.deepEqual(results.map(({ content }) => content), expected);
  assert.equal(await Deno.readTextFile(join(place.workspace, "out/deployed.txt")), "b to live");
});

const CASES = [
  // The permission lets the call run; the tool's own questions are still asked.
  ["confirm: [deploy]", ["Allow deploy?", "Deploy v4?", "Where?"]],
  // An answer to the tool permits nothing that is guarded since.
  ["", ["Deploy v4?", "Allow deploy?", "Where?"]],
] as const;
for (const [then, asked] of CASES) {
  Deno.test(`an answer stays an answer to its own question when an agent's guard changes meanwhile (first ${then || "none"})`, async () => {
    await using place = await createTestWorkspace(CACHED);
    await writeOps(place, ["v4"], then);
    await using runtime = await place.open();
    const { id } = await runToEnd(runtime, "ops");
    const messages: string[] = [];
    for (const given of [{ approved: true }, { approved: true }, { selected: ["test"] }]) {
      messages.push((await runtime.pendingRequest(id)).message);
      await writeOps(place, ["v4"], then === "" ? "confirm: [deploy]" : "");
      await runtime.reloadAgents();
      await answerToEnd(runtime, id, given);
    }
    assert.deepEqual(messages, asked);
    assert.equal((await runtime.getExecution(id)).outputData, "deployed v4 to test");
  });
}

Deno.test("a guarded call that was denied does not run, although its agent is free to since", async () => {
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
