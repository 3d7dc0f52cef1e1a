import assert from "node:assert/strict";
import { join } from "node:path";
import type { FollowItem } from "../../../runtime/interface/runtime.ts";
import { sharePostgres } from "../../support/postgres.ts";
import { runToEnd, toEnd } from "../../support/test_workspace.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { AT_GATE_MS, GateClock } from "../triggers/gate_clock.ts";
import { openCuttingProxy } from "../storage/postgres/cutting_proxy.ts";
import { testNodes as test } from "./node_world.ts";

sharePostgres();

const ASK = {
  call: [{ name: "ask_user", arguments: { question: "Which?", options: ["a", "b"] } }],
};

const GLOB = { name: "file_glob", arguments: { pattern: "*.none" } };

test("two nodes share one database", async (world, t) => {
  const { writeScript } = world.workspace;
  await writeScript("heavy", [{ say: "done" }], "nodes: [two]");
  await writeScript("asker", [ASK, { say: "You said {result}." }]);
  const steps = Array.from({ length: 3 }, (_, n) => ({
    say: `step ${n}`,
    call: [{ name: "file_glob", arguments: { pattern: `*.${n}` } }],
  }));
  await writeScript("talker", [...steps, { say: "done" }], "nodes: [two]");
  await writeScript("nobodys", [{ say: "never" }], "nodes: [nobody]");
  await writeScript("slow", [{ say: "…", delay_ms: 600_000 }], "nodes: [two]");
  await writeScript("child", [{ say: "from the child" }], "nodes: [two]");
  const delegation = { name: "run_agent", arguments: { agent_id: "child" } };
  const parent = [{ call: [delegation] }, { say: "It said {result}." }];
  await writeScript("parent", parent, "agents: [child]\nnodes: [one]");
  await writeScript("quick", [{ say: "done" }], "on_pending: parallel");
  await using one = await world.open("one", "node: { name: one, labels: [one], runs: 1 }\n");
  const accepted = await one.run("heavy", {});
  await using two = await world.open("two");

  await t.step("an execution runs on the only node with its label", async () => {
    const { status, outputData } = await toEnd(one, accepted.id);
    assert.deepEqual([status, outputData], ["success", "done"]);
    const [row] = await world.query(
      "SELECT name, epoch FROM inkling.executions e JOIN inkling.instances i ON i.id = e.instance_id",
    );
    assert.deepEqual(row, { name: "two", epoch: "1" });
  });

  await t.step("a question can be answered and followed at every node", async () => {
    const { id, status } = await runToEnd(one, "asker");
    assert.equal(status, "waiting");
    const { requestId } = await two.pendingRequest(id);
    const events: string[] = [];
    const unsubscribe = one.events.subscribe((event) => {
      if ("executionId" in event && event.executionId === id) events.push(event.type);
    });
    await two.respond(id, { requestId, answer: { selected: ["b"] } });
    await until(async () => (await one.getExecution(id)).status === "success", "it goes on");
    assert.equal((await one.getExecution(id)).outputData, "You said b.");
    // The other node receives each event once.
    await until(() => events.includes("execution_completed"), "its end is heard elsewhere");
    assert.deepEqual(events, ["execution_resumed", "execution_completed"]);
    unsubscribe();
    const frames = await Promise.all([one, two].map((node) => node.readFrames(id, { after: 0 })));
    assert.deepEqual(frames[0], frames[1]);
  });

  await t.step("a follower at another node gets each frame once and in order", async () => {
    const { id } = await one.run("talker", {});
    const signal = new AbortController().signal;
    const items: FollowItem[] = [];
    for await (const item of (await one.follow(id, { after: 0, signal })).items) items.push(item);
    const followed = items.flatMap((item) => item.type === "frame" ? [item.frame] : []);
    assert.deepEqual(followed, await one.readFrames(id, { after: 0 }));
    assert.equal(followed.at(-1)?.event, "complete");
  });

  await t.step("a new agent runs on a node that has not noticed its file yet", async () => {
    for (let n = 0; n < 2; n++) {
      await writeScript(`new_${n}`, [{ say: "here" }], "nodes: [two]");
      assert.equal((await runToEnd(one, `new_${n}`)).outputData, "here");
    }
  });

  await t.step(
    "a run can be cancelled at another node, and at once if unclaimed",
    async () => {
      const unclaimed = await one.run("nobodys", {});
      assert.equal(await one.cancel(unclaimed.id), "aborted");
      const { id } = await one.run("slow", {});
      await until(async () => (await one.readFrames(id, { after: 0 })).length > 1, "it runs");
      assert.equal(await one.cancel(id), "cancelling");
      const { status, error } = await toEnd(one, id);
      assert.deepEqual([status, error], ["aborted", (await one.getExecution(unclaimed.id)).error]);
    },
  );

  await t.step("delegation works across nodes, and the parent gets the answer", async () => {
    const ended = await runToEnd(one, "parent");
    assert.equal(ended.status, "success");
    assert.match(ended.outputData ?? "", /from the child/);
  });

  await t.step("concurrent requests with one key at two nodes start one execution", async () => {
    for (let n = 0; n < 5; n++) {
      const idempotencyKey = `key ${n}`;
      const both = await Promise.all(
        [one, two].map((node) => node.run("quick", { idempotencyKey })),
      );
      assert.equal(both[0]?.id, both[1]?.id);
    }
  });
});

test("a stopping node leaves its runs to the other nodes", async (world) => {
  const steps = [{ say: "one", delay_ms: AT_GATE_MS }];
  await world.workspace.writeScript("patient", steps, "on_restart: resume");
  const one = await world.open("one", "", { clock: new GateClock() });
  const { id } = await one.run("patient", {});
  await until(async () => (await one.readFrames(id, { after: 0 })).length > 1, "it runs");
  const clock = new GateClock();
  clock.open();
  await using two = await world.open("two", "", { clock });
  await one[Symbol.asyncDispose]();
  const ended = await toEnd(two, id);
  assert.equal(ended.status, "success");
  const [row] = await world.query("SELECT epoch FROM inkling.executions WHERE id = $1", [id]);
  assert.deepEqual(row, { epoch: "2" });
});

test("a lost run that returns to the same node continues there once", async (world) => {
  const steps = [{ say: "one", delay_ms: AT_GATE_MS }];
  await world.workspace.writeScript("patient", steps, "on_restart: resume");
  const clock = new GateClock();
  await using one = await world.open("one", "", { clock });
  const { id } = await one.run("patient", {});
  await until(async () => (await one.readFrames(id, { after: 0 })).length > 1, "it runs");
  // Simulates pg-boss after a node was frozen: the job can be fetched again.
  await world.query("UPDATE inkling_queue.job SET state = 'retry', start_after = now()");
  const epochs = () => world.query("SELECT epoch FROM inkling.executions");
  await until(async () => (await epochs())[0]?.["epoch"] === "2", "it is claimed again");
  clock.open();
  assert.equal((await toEnd(one, id)).status, "success");
  const jobs = () => world.query("SELECT state::text, retry_count FROM inkling_queue.job");
  await until(async () => (await jobs())[0]?.state === "completed", "its job is done");
  assert.deepEqual(await jobs(), [{ state: "completed", retry_count: 1 }]);
  assert.deepEqual(await epochs(), [{ epoch: "2" }]);
});

test("one node watches for an agent, and another node takes over when it stops", async (world) => {
  const { workspace } = world.workspace;
  const inbox = join(workspace, "inbox");
  await Deno.mkdir(inbox);
  await world.workspace.writeScript(
    "watcher",
    [{ say: "seen" }],
    "trigger: { type: watch, paths: [inbox], debounce: 100ms, catch_up: once }\npaths: { inbox: ./inbox }",
  );
  const one = await world.open("one");
  await using two = await world.open("two");
  const owners = () => world.query("SELECT name FROM inkling.leases");
  await until(async () => (await owners()).length === 1, "somebody watches");
  await Deno.writeTextFile(join(inbox, "a.txt"), "a");
  const seen = async () => (await two.listRuns("watcher", { limit: 10, offset: 0 })).length;
  await until(async () => await seen() === 1, "the file is seen once");
  await one[Symbol.asyncDispose]();
  await Deno.writeTextFile(join(inbox, "b.txt"), "b");
  await until(async () => await seen() === 2, "what changed while nobody watched is seen once");
});

test("runs wait during a database outage, and then continue", async (world) => {
  const port = Number(new URL(world.address).port);
  await using proxy = openCuttingProxy(port);
  world.address = world.address.replace(`:${port}/`, `:${proxy.port}/`);
  const steps = [{ say: "one", delay_ms: AT_GATE_MS, call: [GLOB] }, { say: "two" }];
  await world.workspace.writeScript("steady", steps);
  const clock = new GateClock();
  await using one = await world.open("one", "", { clock });
  await using two = await world.open("two", "", { clock });
  const { id } = await one.run("steady", {});
  await until(async () => (await two.readFrames(id, { after: 0 })).length > 1, "it runs");
  proxy.refuseNew();
  proxy.cut();
  await until(() => one.storage.problem !== undefined, "it is told");
  assert.match(one.storage.problem ?? "", /^Cannot use postgres:/);
  await assert.rejects(two.run("steady", {}), {
    name: "DatabaseUnreachable",
    retryAfterSeconds: 5,
  });
  proxy.passNew();
  const isDone = () => one.storage.problem === undefined && two.storage.problem === undefined;
  await until(isDone, "it is back");
  clock.open();
  assert.equal((await toEnd(two, id)).status, "success");
  assert.equal((await runToEnd(two, "steady")).status, "success");
  const told = world.workspace.logged.filter(({ message }) => /^Cannot use/.test(message));
  assert.deepEqual(told.map(({ fields }) => fields.node).sort(), ["one", "two"]);
});

test("a node without an agent's file removes no schedule of the other nodes", async (world) => {
  const lines = "trigger: { type: schedule, every: 1h }";
  await world.workspace.writeScript("hourly", [{ say: "tick" }], lines);
  await (await world.open("one"))[Symbol.asyncDispose]();
  const stored = () => world.query("SELECT agent_id, anchor FROM inkling.schedules");
  const before = await stored();
  assert.equal(before.length, 1);
  const { directories } = await world.workspace.settings();
  await Deno.remove(join(directories.agentsDir, "hourly.md"));
  await (await world.open("two"))[Symbol.asyncDispose]();
  assert.deepEqual(await stored(), before);
});

test("a slot runs once, and a pause applies to all nodes", async (world) => {
  const lines = "trigger: { type: schedule, every: 1s }";
  await world.workspace.writeScript("often", [{ say: "tick" }], lines);
  const clock = new TestClock();
  await using one = await world.open("one", "", { clock });
  await clock.advance(300);
  await using two = await world.open("two", "", { clock });
  const slots = () => world.query("SELECT scheduled_for, outcome FROM inkling.slots ORDER BY 1");
  await until(async () => {
    await clock.advance(100);
    return (await slots()).length >= 2;
  }, "two slots have passed");
  await two.pauseScheduler();
  assert.equal((await one.scheduler()).status, "paused");
  const runs = await world.query(
    "SELECT request::json #>> '{cause,scheduledFor}' AS slot FROM inkling.executions",
  );
  assert.equal(new Set(runs.map(({ slot }) => slot)).size, runs.length);
  // Both nodes use the schedule's stored start, so all slots are at the same fraction of a second.
  const times = (await slots()).map(({ scheduled_for }) => Number(scheduled_for));
  assert.equal(new Set(times.map((time) => time % 1_000)).size, 1);
});

test("each rest ends once on one node, also after a kill of the node on which it began", async (world) => {
  const reply = [{ name: "wait", arguments: { for: "2h", reason: "the backup" } }];
  await world.workspace.writeScript("rests", [{ call: reply }, { say: "Done." }]);
  const clock = new TestClock();
  const one = await world.open("one", "", { clock });
  const ids: number[] = [];
  while (ids.length < 4) ids.push((await one.run("rests", {})).id);
  const [woken = 0, cancelled = 0, ...due] = ids;
  const isResting = async (id: number) => (await one.getExecution(id)).rest !== undefined;
  for (const id of ids) await until(() => isResting(id), "it rests");
  await using two = await world.open("two", "", { clock });
  await using _three = await world.open("three", "", { clock });
  // No node holds a resting execution, and none has a job for it.
  const jobs =
    "SELECT count(*) AS n FROM inkling_queue.job WHERE state IN ('created', 'retry', 'active')";
  await until(async () => (await world.query(jobs))[0]?.["n"] === "0", "no job is left");
  const wakes = await Promise.allSettled([one, two].map((node) => node.wake(woken)));
  assert.deepEqual(wakes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.equal((await toEnd(two, woken)).status, "success");
  assert.equal(await two.cancel(cancelled), "aborted");
  await one[Symbol.asyncDispose]();
  // A killed node leaves this state, because nothing of a resting run is in its memory.
  await world.query(
    "UPDATE inkling.instances SET stopped_at = NULL, last_seen = 0 WHERE name = 'one'",
  );
  clock.jump(2 * 3_600_000);
  for (const id of due) {
    const isEnded = async () => {
      await clock.advance(60_000);
      return (await two.getExecution(id)).status === "success";
    };
    await until(isEnded, `execution ${id} ends`);
    const { durationMs } = await two.getExecution(id);
    assert.ok((durationMs ?? Infinity) < 3_600_000, "the rest does not count");
  }
  const rows = await world.query(
    "SELECT e.id, e.epoch, count(f.id) FILTER (WHERE f.event = 'tool_result') AS results, " +
      "count(f.id) FILTER (WHERE f.event = 'complete') AS ends FROM inkling.executions e " +
      "JOIN inkling.frames f ON f.execution_id = e.id GROUP BY e.id ORDER BY e.id",
  );
  // The epoch counts the claims: one before the rest, and one after it. The cancel counts as the second.
  assert.deepEqual(
    rows.map(({ epoch, results, ends }) => [epoch, results, ends]),
    ids.map((id) => ["2", id === cancelled ? "0" : "1", "1"]),
  );
});
