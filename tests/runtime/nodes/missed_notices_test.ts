// What one machine does not hear of the others it finds out by looking.
import assert from "node:assert/strict";
import { join } from "node:path";
import { UPKEEP_MS } from "../../../runtime/wiring/join_nodes.ts";
import { HAS_POSTGRES } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { NodeWorld, startPostgres } from "./node_world.ts";

Deno.test(
  { name: "a watch goes on though the end of its run was not heard", ignore: !HAS_POSTGRES },
  async (t) => {
    await using server = await startPostgres();
    let worlds = 0;
    const looks: [string, (world: NodeWorld, clock: TestClock) => Promise<unknown>][] = [
      [
        "once it hears again",
        // Nobody tells it: the connection is made anew.
        (world) =>
          world.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'inkling node'",
          ),
      ],
      ["at its next look", (_world, clock) => clock.advance(UPKEEP_MS)],
    ];
    for (const [when, look] of looks) {
      await t.step(when, async () => {
        await using world = await NodeWorld.create(server, `missed_${++worlds}`);
        const inbox = join(world.workspace.workspace, "inbox");
        await Deno.mkdir(inbox);
        // No machine has what it needs: its run goes on until the test says that it has ended elsewhere.
        await world.workspace.writeScript(
          "watcher",
          [{ say: "seen" }],
          "trigger: { type: watch, paths: [inbox], debounce: 100ms }\nnodes: [gpu]\npaths: { inbox: ./inbox }",
        );
        const clock = new TestClock();
        await using one = await world.open("one", "", { clock });
        const runs = async () => {
          await clock.advance(100);
          return (await one.listRuns("watcher", { limit: 10, offset: 0 })).length;
        };
        await until(
          () => one.scheduler({ upcoming: 0 }).then((s) => s.watcherActive),
          "it watches",
        );
        const path = join(inbox, "a.txt");
        await Deno.writeTextFile(path, "a");
        await until(async () => await runs() === 1, "its run");
        await Deno.writeTextFile(path, "a change");
        const waiting = () => world.query("SELECT path FROM inkling.watch_queue");
        await until(async () => {
          await clock.advance(100);
          return (await waiting()).length === 1;
        }, "the change waits");
        await world.query("UPDATE inkling.executions SET status = 'success'");
        await look(world, clock);
        await until(async () => await runs() === 2, "the change has its run");
        assert.deepEqual(await waiting(), []);
      });
    }
  },
);
