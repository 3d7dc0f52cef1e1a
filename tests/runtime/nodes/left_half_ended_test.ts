// What a dead machine left half ended is settled while the others go on: nobody has to start one.
import assert from "node:assert/strict";
import { FORSAKEN } from "../../../runtime/executions/runs/runs.ts";
import { UPKEEP_MS } from "../../../runtime/wiring/join_nodes.ts";
import { HAS_POSTGRES } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { NodeWorld, startPostgres } from "./node_world.ts";

const ASK = { call: [{ name: "ask_user", arguments: { question: "Which?" } }] };

Deno.test(
  { name: "machines settle what another one left half ended", ignore: !HAS_POSTGRES },
  async (t) => {
    await using server = await startPostgres();

    await t.step("an end that others were to follow", async () => {
      await using world = await NodeWorld.create(server, "left_follow_up");
      await world.workspace.writeScript("first", [{ say: "done" }]);
      await world.workspace.writeScript("second", [{ say: "after it" }], "after: [first]");
      const clock = new TestClock();
      await using one = await world.open("one", "", { clock });
      await using _two = await world.open("two", "", { clock });
      // What a start waits for is over: nothing else will look for what is to be followed.
      await clock.advance(UPKEEP_MS / 2);
      // The machine that ended it is gone, and nobody has told of its end.
      await world.query(
        "INSERT INTO inkling.executions (id, agent_id, display_name, status, trigger, request, model, started_at) " +
          "VALUES (1000, 'first', 'first', 'success', 'manual', '{\"args\":[]}', '', 0)",
      );
      await world.query("INSERT INTO inkling.follow_ups VALUES ('second', 1000)");
      await clock.advance(UPKEEP_MS);
      const followed = () => one.listRuns("second", { limit: 10, offset: 0 });
      await until(async () => (await followed())[0]?.status === "success", "it is followed");
      assert.equal((await followed()).length, 1);
      assert.deepEqual(await world.query("SELECT * FROM inkling.follow_ups"), []);
    });

    await t.step("what its execution had delegated, and what somebody cancelled", async () => {
      await using world = await NodeWorld.create(server, "left_waiting");
      await world.workspace.writeScript("asker", [ASK], "on_pending: parallel");
      const call = { name: "run_agent", arguments: { agent_id: "asker" } };
      await world.workspace.writeScript("parent", [{ call: [call] }], "agents: [asker]");
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
      await world.query("UPDATE inkling.executions SET status = 'error' WHERE id = $1", [
        parent.id,
      ]);
      await world.query("UPDATE inkling.executions SET cancelled = 'Away' WHERE id = $1", [
        cancelled.id,
      ]);
      await clock.advance(UPKEEP_MS);
      await until(async () => (await waiting()).length === 1, "both end");
      assert.deepEqual(await waiting(), [kept.id]);
      for (const [id, error] of [[child, FORSAKEN], [cancelled.id, "Away"]] as const) {
        const ended = await one.getExecution(id);
        assert.deepEqual([ended.status, ended.error], ["aborted", error]);
        const frames = await one.readFrames(id, { after: 0 });
        // Both machines have looked.
        assert.equal(frames.filter(({ event }) => event === "complete").length, 1);
      }
    });
  },
);
