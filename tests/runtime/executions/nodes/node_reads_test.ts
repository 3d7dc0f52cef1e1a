import assert from "node:assert/strict";
import { SqlNodeReads } from "../../../../runtime/executions/nodes/node_reads.ts";
import { run } from "../../../../runtime/database/operation.ts";
import { withPostgres } from "../../../support/postgres.ts";
import { openTestPostgres } from "../../../support/test_database.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** SQL for the current time of the database's clock in milliseconds. */
const NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

interface NodeRow {
  id: string;
  silentMs: number;
  /** The time since the start of the node in milliseconds. A long time by default. */
  startedMsAgo?: number;
  name?: string | null;
  labels?: string[];
  stoppedAt?: number;
}

/** Returns functions that create rows of nodes and executions, and a SqlNodeReads of the node "me". */
async function open() {
  const db = await openTestPostgres();
  return {
    nodes: new SqlNodeReads(db, "me"),
    async addNode(row: NodeRow) {
      const { id, silentMs, startedMsAgo = 24 * HOUR, name = `node ${id}`, labels = [] } = row;
      await db.change("process", () =>
        run(
          "INSERT INTO instances (id, pid, started_at, stopped_at, name, version, labels, last_seen) " +
            `VALUES (?, 1, ${NOW} - CAST(? AS BIGINT), ?, ?, '1.2.3', ?, ${NOW} - CAST(? AS BIGINT))`,
          ...[id, startedMsAgo, row.stoppedAt ?? null, name, JSON.stringify(labels), silentMs],
        ));
    },
    async addRun(
      id: number,
      owner: string | null,
      { status = "running", agent = "trainer", begunMsAgo = HOUR } = {},
    ) {
      await db.change("process", () =>
        run(
          "INSERT INTO executions (id, agent_id, display_name, status, trigger, instance_id, request, model, started_at) " +
            `VALUES (?, ?, '', ?, 'manual', ?, '{"args":[]}', '', ${NOW} - CAST(? AS BIGINT))`,
          ...[id, agent, status, owner, begunMsAgo],
        ));
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

function test(name: string, body: (world: Awaited<ReturnType<typeof open>>) => Promise<void>) {
  withPostgres.test(`SqlNodeReads ${name}`, async () => {
    await using world = await open();
    await body(world);
  });
}

test("lists living and dead nodes with the number of their runs", async ({ nodes, addNode, addRun }) => {
  await addNode({ id: "me", silentMs: 0, name: "beta", labels: ["gpu", "linux"] });
  await addNode({ id: "other", silentMs: 12 * SECOND, name: "alpha" });
  await addNode({ id: "fallen", silentMs: 40 * SECOND, name: "gamma" });
  // No node has claimed this node's executions, so the node is listed.
  await addNode({ id: "fallen long ago", silentMs: 5 * HOUR, name: "delta" });
  await addRun(1, "me");
  await addRun(2, "me");
  await addRun(3, "me", { status: "success" });
  await addRun(4, "fallen long ago");
  await addRun(5, null);
  const found = await nodes.listNodes();
  assert.deepEqual(
    found.map(({ name, isAlive, runs, isThis }) => [name, isAlive, runs, isThis]),
    [
      ["alpha", true, 0, false],
      ["beta", true, 2, true],
      ["delta", false, 1, false],
      ["gamma", false, 0, false],
    ],
  );
  const [, beta] = found;
  assert.deepEqual([beta?.labels, beta?.version], [["gpu", "linux"], "1.2.3"]);
  assert.ok(beta !== undefined && beta.startedAt < Date.now() - 23 * HOUR);
  assert.ok(found[0] !== undefined && found[0].silentMs >= 12 * SECOND);
});

test("omits stopped nodes, nodes that died long ago, and other instances", async ({ nodes, addNode, addRun }) => {
  await addNode({ id: "stopped", silentMs: 0, stoppedAt: 2_000 });
  await addNode({ id: "fallen", silentMs: 2 * HOUR });
  // A maintenance command has a row without a name and is no node.
  await addNode({ id: "upkeep", silentMs: 0, name: null });
  await addRun(1, "fallen", { status: "orphaned" });
  await addRun(2, "stopped");
  assert.deepEqual(await nodes.listNodes(), []);
});

test("omits a dead node if a live node has its name", async ({ nodes, addNode, addRun }) => {
  await addNode({ id: "first", name: "attic", silentMs: 600 * SECOND });
  // No node has claimed this node's executions.
  await addNode({ id: "second", name: "attic", silentMs: 60 * SECOND });
  await addRun(1, "second");
  await addNode({ id: "third", name: "attic", silentMs: 0, startedMsAgo: 50 * SECOND });
  // Two nodes have the same name. The dead node was still alive when the other one started, so both are listed.
  await addNode({ id: "a", name: "twin", silentMs: 60 * SECOND });
  await addNode({ id: "b", name: "twin", silentMs: 0, startedMsAgo: 100 * SECOND });
  const found = await nodes.listNodes();
  const expected = [["attic", false, 1], ["attic", true, 0], ["twin", false, 0], ["twin", true, 0]];
  assert.deepEqual(found.map(({ name, isAlive, runs }) => [name, isAlive, runs]), expected);
});

test("finds the executions without a living node", async ({ nodes, addNode, addRun }) => {
  await addNode({ id: "alive", silentMs: 10 * SECOND });
  await addNode({ id: "fallen", silentMs: 16 * SECOND });
  await addNode({ id: "stopped", silentMs: 0, stoppedAt: 2_000 });
  await addRun(1, null);
  await addRun(2, "alive");
  await addRun(3, "fallen");
  await addRun(4, "stopped");
  await addRun(5, null, { status: "waiting" });
  await addRun(6, null, { status: "success" });
  await addRun(7, null);
  assert.deepEqual(await nodes.findUnclaimed([6, 5, 4, 3, 2, 1]), [1, 3, 4]);
  assert.deepEqual(await nodes.findUnclaimed([]), []);
});

test("counts old unclaimed executions of each agent, and returns the first id", async ({ nodes, addNode, addRun }) => {
  await addNode({ id: "alive", silentMs: 0 });
  await addRun(1, "alive");
  await addRun(2, null);
  await addRun(3, null);
  await addRun(4, null, { begunMsAgo: 0 });
  await addRun(5, null, { agent: "new", begunMsAgo: 5 * SECOND });
  await addRun(6, null, { agent: "unasked" });
  const begunMsAgo = 10 * SECOND;
  assert.deepEqual(
    (await nodes.countUnclaimed(["trainer", "new"], { begunMsAgo })).map((one) => ({ ...one })),
    [{ agentId: "trainer", count: 2, id: 2 }],
  );
});
