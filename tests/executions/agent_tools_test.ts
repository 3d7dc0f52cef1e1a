import assert from "node:assert/strict";
import { join } from "node:path";
import type { HumanAnswer } from "../../runtime/executions/human_request.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  type TestWorkspace,
  toEnd,
} from "../support/test_workspace.ts";

const call = (name: string, args: unknown = {}) => ({ name, arguments: args });

async function put(place: TestWorkspace, name: string, text: string): Promise<void> {
  const path = join(place.agentsDir, "_config", name);
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function answer(runtime: Runtime, id: number, given: HumanAnswer): Promise<void> {
  const { requestId } = await runtime.pendingRequest(id);
  await runtime.respond(id, { requestId, answer: given });
}

const SKILL = `---
name: haiku
description: Writes haiku
argument-hint: topic
---
Write a haiku about $ARGUMENTS.
`;

Deno.test("a skill's instructions enter the conversation once, and are a breadcrumb in the next run", async () => {
  await using place = await createTestWorkspace();
  await put(place, "skills/haiku/SKILL.md", SKILL);
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
  assert.match(
    String(injected[0]?.["content"]),
    /^<skill-context name="haiku">[\s\S]*about rain[\s\S]*<\/skill-context>$/,
  );
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
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(join(place.stateDir, "inkling.db"), { readOnly: true });
  try {
    const rows = db.prepare("SELECT body FROM messages WHERE execution_id = ? ORDER BY position")
      .all(id);
    return { messages: rows.map((row) => JSON.parse(String(row["body"]))) };
  } finally {
    db.close();
  }
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

Deno.test("a custom tool asks twice, across a restart, and does its work once", async () => {
  await using place = await createTestWorkspace();
  await put(place, "tools/deploy.ts", ASKING_TOOL);
  await Deno.mkdir(join(place.workspace, "out"));
  await place.writeScript(
    "ops",
    [{ call: [call("deploy", { what: "v2" })] }, { say: "{result}" }],
    "tools: [deploy]\npaths: out",
  );
  let id: number;
  {
    await using runtime = await place.open();
    ({ id } = await runtime.run("ops", {}));
    assert.equal((await toEnd(runtime, id)).status, "waiting");
    assert.equal((await runtime.pendingRequest(id)).message, "Deploy v2?");
    await answer(runtime, id, { approved: true });
    await toEnd(runtime, id);
    assert.deepEqual((await runtime.pendingRequest(id)).options, ["test", "live"]);
  }
  await using runtime = await place.open();
  await answer(runtime, id, { selected: ["live"] });
  const ended = await toEnd(runtime, id);
  assert.deepEqual([ended.status, ended.outputData], ["success", "deployed v2 to live"]);
  assert.equal(await Deno.readTextFile(join(place.workspace, "out/deployed.txt")), "v2 to live");
});

Deno.test("a guarded custom tool that asks by itself gets its own answers behind the guard's", async () => {
  await using place = await createTestWorkspace();
  await put(place, "tools/deploy.ts", ASKING_TOOL);
  await Deno.mkdir(join(place.workspace, "out"));
  await place.writeScript(
    "ops",
    [{ call: [call("deploy", { what: "v3" })] }, { say: "{result}" }],
    "tools: [deploy]\npaths: out\nconfirm: [deploy]",
  );
  await using runtime = await place.open();
  const { id } = await runtime.run("ops", {});
  const asked: string[] = [];
  for (const given of [{ approved: true }, { approved: true }, { selected: ["test"] }]) {
    await toEnd(runtime, id);
    asked.push((await runtime.pendingRequest(id)).message);
    await answer(runtime, id, given);
  }
  assert.deepEqual(asked, ["Allow deploy?", "Deploy v3?", "Where?"]);
  assert.equal((await toEnd(runtime, id)).outputData, "deployed v3 to test");
});

Deno.test("tools that cannot be had end the run with the reason, and no other agent's", async () => {
  await using place = await createTestWorkspace();
  await put(place, "tools/broken.ts", "this is no TypeScript (");
  await put(
    place,
    "mcp-servers.json",
    '{"dead": {"command": "sh", "args": ["-c", "echo no luck >&2; exit 3"]}}',
  );
  await put(place, "tools/file_read.ts", ASKING_TOOL);
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
  await put(place, "skills/haiku/SKILL.md", SKILL);
  const again = { call: [call("skill_use", { skill_name: "haiku" })] };
  await place.writeScript(
    "poet",
    [again, again, again, again, again, again, { say: "x" }],
    "skills: haiku",
  );
  await using runtime = await place.open();
  assert.match((await runToEnd(runtime, "poet")).error ?? "", /loop_detected/);
});
