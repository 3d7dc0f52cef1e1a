import assert from "node:assert/strict";
import { createApp } from "../../../server/app.ts";
import { Lifecycle } from "../../../server/lifecycle.ts";
import type { ServiceEvent } from "../../../runtime/events/bus.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { MAX_CHAIN } from "../../../runtime/triggers/watch/trigger_breaker.ts";
import { until } from "../../support/until.ts";
import { LiveTriggers } from "./live_triggers.ts";

/** Two agents that write for each other for ever: neither knows the other's writes as its own. */
async function createLoop(live: LiveTriggers): Promise<void> {
  for (const [id, from, to] of [["ping", "a", "b"], ["pong", "b", "a"]]) {
    live.write(`${from}/old.md`);
    await live.watching(id ?? "", [from ?? ""], {
      steps: [
        { call: [{ name: "file_write", arguments: { path: `${to}/ball.md`, content: "over" } }] },
        { say: "done" },
      ],
      trigger: "debounce: 0",
      settings: "auto_approve: [file_write]\nhistory: off",
    });
  }
}

/** One request to the service's own application. */
async function call(runtime: Runtime, method: string, path: string): Promise<unknown> {
  const lifecycle = new Lifecycle({ runtime, keepAlive: false, serviceMode: false });
  const app = createApp({ runtime, lifecycle, transports: () => [] });
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

Deno.test("a loop is stopped, told everywhere, and started again by an edit, a reload and a resume", async () => {
  await using live = await LiveTriggers.create();
  await createLoop(live);
  const runtime = await live.open();
  const told: ServiceEvent[] = [];
  runtime.events.subscribe((event) => {
    if (event.type === "trigger_changed") told.push(event);
  });
  const runs = async () => (await live.runs("ping")).length + (await live.runs("pong")).length;
  const untilStopped = async (): Promise<string> => {
    await until(async () => (await pausedAgents(runtime)).length === 1, "the breaker trips");
    await until(async () => (await runtime.countExecutions()).running === 0, "all is quiet");
    assert.deepEqual(told.at(-1)?.type, "trigger_changed");
    return (await pausedAgents(runtime))[0] ?? "";
  };
  live.write("a/ball.md", "begin");
  let stopped = await untilStopped();
  let before = await runs();
  assert.ok(before >= MAX_CHAIN && before <= MAX_CHAIN + 1, `${before} runs`);
  const reason = told[0]?.type === "trigger_changed" ? told[0].reason : null;
  assert.match(reason ?? "", /more than 20 runs in a row .*ball\.md/);
  assert.match(
    live.place.logged.find(({ message }) => message.includes("is stopped"))?.message ?? "",
    /Edit the agent, resume the scheduler or reload the agents/,
  );
  const { jobs } = await call(runtime, "GET", "/scheduler") as {
    jobs: { agent_id: string; trigger_paused: string | null }[];
  };
  assert.equal(jobs.find(({ agent_id }) => agent_id === stopped)?.trigger_paused, reason);

  const again: [string, () => Promise<unknown>][] = [
    ["reload", () => call(runtime, "POST", "/agents/reload")],
    ["resume", () => call(runtime, "POST", "/scheduler/resume")],
    ["edit", async () => {
      const path = `${live.place.agentsDir}/${stopped}.md`;
      await Deno.writeTextFile(path, `${await Deno.readTextFile(path)}\nOne more line.\n`);
    }],
  ];
  for (const [how, act] of again) {
    told.length = 0;
    before = await runs();
    await act();
    // What waited runs, and the loop goes on until it is stopped anew.
    await until(async () => await runs() >= before + 5, `it runs again after a ${how}`);
    stopped = await untilStopped();
    const states = told.map((event) => event.type === "trigger_changed" ? event.status : "");
    assert.deepEqual(states, ["running", "paused"], how);
  }
  // A reload that only finds what is on disk asks for nothing: the trigger of an agent that nobody touched stays stopped.
  await live.place.writeScript("third", [{ say: "x" }]);
  await until(async () => (await runtime.listAgents()).length === 3, "the new agent");
  assert.deepEqual(await pausedAgents(runtime), [stopped]);
});

/** An agent that writes a file into the other folder whose name tells of the one that fired it. */
async function writeRelay(live: LiveTriggers, id: string, [from, to]: [string, string]) {
  const steps = [
    {
      call: [{ name: "file_write", arguments: { path: `${to}/x{file}`, content: "hi" } }],
    },
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

Deno.test("agents whose tools write files of ever new names for each other are stopped", async () => {
  await using live = await LiveTriggers.create();
  await writeRelay(live, "ping", ["d1", "d2"]);
  await writeRelay(live, "pong", ["d2", "d1"]);
  const runtime = await live.open();
  live.write("d1/start.md");
  await until(async () => (await pausedAgents(runtime)).length === 1, "the breaker trips");
  await until(async () => (await runtime.countExecutions()).running === 0, "all is quiet");
  const runs = [...await live.runs("ping"), ...await live.runs("pong")];
  assert.equal(runs.length, MAX_CHAIN);
  assert.ok(runs.every(({ status }) => status === "success"));
});

Deno.test("a client that reloads the agents all the time keeps no loop going", async () => {
  await using live = await LiveTriggers.create();
  await createLoop(live);
  const runtime = await live.open();
  live.write("a/ball.md", "begin");
  let stops = 0;
  runtime.events.subscribe((event) => {
    if (event.type === "trigger_changed" && event.status === "paused") stops++;
  });
  await until(async () => {
    await runtime.reloadAgents();
    return stops > 0;
  }, "the breaker trips");
});
