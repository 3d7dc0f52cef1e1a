// Tests of events that nodes find by their regular checks, without a notification.
import assert from "node:assert/strict";
import { join } from "node:path";
import { STOPS } from "../../../runtime/vocabulary/end_reason.ts";
import { UPKEEP_MS } from "../../../runtime/wiring/service/join_nodes.ts";
import { sharePostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { testNodes as test } from "./node_world.ts";

sharePostgres();

test("a node ends cancelled runs and delegated runs of a dead parent, and starts the followers of ended runs", async (world) => {
  const { workspace } = world;
  const ask = { call: [{ name: "ask_user", arguments: { question: "Which?" } }] };
  await workspace.writeScript("asker", [ask], "on_pending: parallel");
  const call = { name: "run_agent", arguments: { agent_id: "asker" } };
  await workspace.writeScript("parent", [{ call: [call] }], "agents: [asker]");
  await workspace.writeScript("first", [{ say: "done" }]);
  await workspace.writeScript("second", [{ say: "after it" }], "after: [first]");
  const clock = new TestClock();
  await using one = await world.open("one", "", { clock });
  await using two = await world.open("two", "", { clock });
  const parent = await runToEnd(one, "parent");
  const cancelled = await runToEnd(one, "asker");
  const kept = await runToEnd(one, "asker");
  const waiting = async () =>
    (await two.listExecutions({ statuses: ["waiting"], limit: 10, offset: 0 }))
      .map(({ id }) => id).toSorted((a, b) => a - b);
  const child = (await waiting()).find((id) => id !== parent.id && id !== cancelled.id) ?? 0;
  assert.deepEqual(await waiting(), [parent.id, child, cancelled.id, kept.id]);
  // The nodes have made their first check, so only the next regular check can find these changes.
  await clock.advance(UPKEEP_MS / 2);
  const set = (change: string, id: number) =>
    world.query(`UPDATE inkling.executions SET ${change} WHERE id = $1`, [id]);
  await set("status = 'error'", parent.id);
  await set("cancelled = 'Away'", cancelled.id);
  await world.query(
    "INSERT INTO inkling.executions (id, agent_id, display_name, status, trigger, request, model, started_at) " +
      "VALUES (1000, 'first', 'first', 'success', 'manual', '{\"args\":[]}', '', 0)",
  );
  await world.query("INSERT INTO inkling.follow_ups VALUES ('second', 1000)");
  await clock.advance(UPKEEP_MS);
  await until(async () => (await waiting()).length === 1, "both end");
  assert.deepEqual(await waiting(), [kept.id]);
  for (const [id, error] of [[child, STOPS.parent_ended], [cancelled.id, "Away"]] as const) {
    const ended = await one.getExecution(id);
    assert.deepEqual([ended.status, ended.error], ["aborted", error]);
    const frames = await one.readFrames(id, { after: 0 });
    assert.equal(frames.filter(({ event }) => event === "complete").length, 1);
  }
  const followed = () => one.listRuns("second", { limit: 10, offset: 0 });
  await until(async () => (await followed())[0]?.status === "success", "it is followed");
  assert.equal((await followed()).length, 1);
  assert.deepEqual(await world.query("SELECT * FROM inkling.follow_ups"), []);
});

test("a watch continues when its connection is restored, and at its next check, after missed ends of its runs", async (world) => {
  const inbox = join(world.workspace.workspace, "inbox");
  await Deno.mkdir(inbox);
  // No node has the label `gpu`, so each run stays queued until the test ends it through another node.
  await world.workspace.writeScript(
    "watcher",
    [{ say: "seen" }],
    "trigger: { type: watch, paths: [inbox], debounce: 100ms }\nnodes: [gpu]\npaths: { inbox: ./inbox }",
  );
  const clock = new TestClock();
  await using one = await world.open("one", "", { clock });
  const untilMoved = (condition: () => Promise<boolean>, what: string) =>
    until(async () => {
      await clock.advance(100);
      return await condition();
    }, what);
  const runs = async () => (await one.listRuns("watcher", { limit: 10, offset: 0 })).length;
  await until(async () => (await one.scheduler({ upcoming: 0 })).watcherActive, "it watches");
  const path = join(inbox, "a.txt");
  await Deno.writeTextFile(path, "a");
  await untilMoved(async () => await runs() === 1, "its run");
  const waiting = () => world.query("SELECT path FROM inkling.watch_queue");
  const checks = [
    () =>
      world.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
          "WHERE application_name = 'inkling node' AND datname = current_database()",
      ),
    () => clock.advance(UPKEEP_MS),
  ];
  for (const [index, check] of checks.entries()) {
    await Deno.writeTextFile(path, "a change".repeat(index + 1));
    await untilMoved(async () => (await waiting()).length === 1, "the change waits");
    await world.query("UPDATE inkling.executions SET status = 'success'");
    await check();
    await untilMoved(async () => await runs() === index + 2, "the change has its run");
    assert.deepEqual(await waiting(), []);
  }
});

test("each node reloads its agents after the removal of the last agent whose source only one of them checks", async (world) => {
  const { workspace } = world;
  const trigger = "shell: true\ntrigger: { type: change, command: date, every: 1h }";
  await workspace.writeScript("checker", [{ say: "Done." }], trigger);
  await using one = await world.open("one");
  await using two = await world.open("two");
  await Deno.remove(join(workspace.agentsDir, "checker.md"));
  for (const node of [one, two]) {
    await node.reloadAgents();
    assert.deepEqual(await node.listAgents(), []);
  }
});
