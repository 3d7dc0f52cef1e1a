import assert from "node:assert/strict";
import { createApp } from "../../../server/app.ts";
import { Lifecycle } from "../../../api/streams/lifecycle.ts";
import type { ServiceEvent } from "../../../runtime/events/bus.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { until } from "../../support/until.ts";
import { LiveTriggers } from "./live_triggers.ts";

/** Sends one request to the service's application. */
async function call(runtime: Runtime, method: string, path: string): Promise<unknown> {
  const lifecycle = new Lifecycle({ runtime, keepAlive: false });
  const app = createApp({ runtime, lifecycle, transports: () => [], caller: { via: "api" } });
  const response = await app.request(path, { method });
  assert.equal(response.status, 200, path);
  return await response.json();
}

async function pausedAgents(runtime: Runtime): Promise<string[]> {
  const agents = await call(runtime, "GET", "/agents") as {
    id: string;
    trigger_paused: string | null;
  }[];
  return agents.filter((agent) => agent.trigger_paused !== null).map(({ id }) => id);
}

Deno.test("a stopped trigger is visible in all reports, and re-armed by edit, reload and resume", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  await live.watching("reader", ["inbox"], { trigger: "debounce: 0, max_runs: 1" });
  const runtime = await live.open();
  const told: ServiceEvent[] = [];
  runtime.events.subscribe((event) => {
    if (event.type === "trigger_changed") told.push(event);
  });
  const stop = async () => {
    live.write(`inbox/${crypto.randomUUID()}.md`);
    await until(async () => (await pausedAgents(runtime)).length === 1, "it is stopped");
  };
  live.write("inbox/1.md");
  await live.untilFired("reader", "created 1.md");
  await stop();
  const reason = told[0]?.type === "trigger_changed" ? told[0].reason : null;
  assert.match(reason ?? "", /as often as trigger\.max_runs allows/);
  assert.match(
    live.place.logged.find(({ message }) => message.includes("is stopped"))?.message ?? "",
    /Edit the agent, resume it \(inkling resume\) or the scheduler, or reload the agents/,
  );
  const { jobs } = await call(runtime, "GET", "/scheduler") as {
    jobs: { agent_id: string; trigger_paused: string | null }[];
  };
  assert.deepEqual(jobs.map((job) => [job.agent_id, job.trigger_paused]), [["reader", reason]]);

  const again: [string, () => Promise<unknown>][] = [
    ["reload", () => call(runtime, "POST", "/agents/reload")],
    ["resume", () => call(runtime, "POST", "/scheduler/resume")],
    ["edit", async () => {
      const path = `${live.place.agentsDir}/reader.md`;
      await Deno.writeTextFile(path, `${await Deno.readTextFile(path)}\nOne more line.\n`);
    }],
  ];
  for (const [how, act] of again) {
    told.length = 0;
    const before = (await live.runs("reader")).length;
    await act();
    await until(async () => (await live.runs("reader")).length > before, `what waited, by ${how}`);
    await stop();
    const states = told.map((event) => event.type === "trigger_changed" ? event.status : "");
    assert.deepEqual(states, ["running", "paused"], how);
  }
  // A changed script file causes a reload of the agents, but does not re-arm the trigger of an unchanged agent.
  await live.place.writeScript("third", [{ say: "x" }]);
  await until(async () => (await runtime.listAgents()).length === 2, "the new agent");
  assert.deepEqual(await pausedAgents(runtime), ["reader"]);
});

/**
 * Writes an agent whose runs write a file into the folder `to`. The file is named after the file in `from` that started the
 * run.
 */
async function writeRelay(live: LiveTriggers, id: string, [from, to]: [string, string]) {
  const steps = [
    { call: [{ name: "file_write", arguments: { path: `${to}/x{file}`, content: "hi" } }] },
    { say: "ok" },
  ];
  live.write(`${from}/old.md`);
  const frontMatter = {
    model: { provider: "demo", name: "script" },
    auto_approve: ["file_write"],
    history: "off",
    trigger: {
      type: "watch",
      paths: [from],
      debounce: "20ms",
      input: `Go\n\`\`\`demo\n${JSON.stringify(steps)}\n\`\`\`\n`,
    },
  };
  await live.place.writeAgent(id, `---\n${JSON.stringify(frontMatter)}\n---\nRelay.\n`);
}

Deno.test("agents that fire each other by files with new names are stopped, also by constant reloads", async () => {
  await using live = await LiveTriggers.create();
  await writeRelay(live, "ping", ["d1", "d2"]);
  await writeRelay(live, "pong", ["d2", "d1"]);
  const runtime = await live.open();
  let reason: string | null = null;
  runtime.events.subscribe((event) => {
    if (event.type === "trigger_changed") reason ??= event.reason;
  });
  live.write("d1/start.md");
  await until(async () => {
    await runtime.reloadAgents();
    return reason !== null;
  }, "the breaker trips");
  assert.match(reason ?? "", /more than 20 runs in a row/);
});
