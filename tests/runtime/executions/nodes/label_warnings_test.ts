import assert from "node:assert/strict";
import { LabelWarnings } from "../../../../runtime/executions/nodes/label_warnings.ts";
import type { ServiceNode, SqlNodeReads } from "../../../../runtime/executions/nodes/node_reads.ts";
import type { UnclaimedRuns } from "../../../../runtime/executions/nodes/node_reads.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { node } from "./fake_nodes.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

function createWorld() {
  const nodes: ServiceNode[] = [node({ labels: ["linux"] })];
  const runs: UnclaimedRuns[] = [];
  const agents = [
    { id: "trainer", nodes: ["gpu"] },
    { id: "builder", nodes: ["linux"] },
    { id: "writer", nodes: [] as string[] },
  ];
  const log = new LogLines();
  const clock = new TestClock();
  const reads: Pick<SqlNodeReads, keyof SqlNodeReads> = {
    listNodes: () => Promise.resolve(nodes),
    findUnclaimed: () => Promise.resolve([]),
    countUnclaimed: (ids) => Promise.resolve(runs.filter(({ agentId }) => ids.includes(agentId))),
  };
  const warnings = new LabelWarnings({ nodes: reads, listAgents: () => agents, clock, log });
  const said = () => log.lines.map(({ level, message }) => `${level}: ${message}`);
  return { nodes, runs, agents, log, clock, reads, warnings, said };
}

Deno.test("LabelWarnings logs the missing labels of an agent's executions once an hour", async () => {
  const { runs, agents, clock, warnings, said, log } = createWorld();
  await using _ = warnings;
  warnings.start();
  await clock.advance(60 * SECOND);
  assert.deepEqual(said(), []);
  runs.push({ agentId: "trainer", id: 12, count: 1 }, { agentId: "builder", id: 13, count: 1 });
  await clock.advance(10 * SECOND);
  const first = 'warn: No node has the label gpu: execution 12 of agent "trainer" waits';
  assert.deepEqual(said(), [first]);
  assert.match(String(log.lines[0]?.fields["hint"]), /node: \{labels: \[gpu\]\}/);
  clock.jump(HOUR - 30 * SECOND);
  await clock.advance(10 * SECOND);
  assert.deepEqual(said(), [first]);
  // A change of the required labels causes another warning.
  agents[0] = { id: "trainer", nodes: ["gpu", "large"] };
  runs[0] = { agentId: "trainer", id: 12, count: 3 };
  await clock.advance(10 * SECOND);
  const second = "warn: No node has the labels gpu, large: " +
    'execution 12 of agent "trainer" waits, and 2 more of it';
  assert.deepEqual(said(), [first, second]);
  clock.jump(HOUR);
  await clock.advance(10 * SECOND);
  assert.deepEqual(said(), [first, second, second]);
});

Deno.test("LabelWarnings logs a failing check once, and nothing while a live node has the labels", async () => {
  const { nodes, runs, clock, reads, warnings, said } = createWorld();
  await using _ = warnings;
  const { listNodes } = reads;
  reads.listNodes = () => Promise.reject(new Error("the connection broke off"));
  runs.push({ agentId: "trainer", id: 12, count: 1 });
  nodes.push(node({ labels: ["gpu"] }));
  warnings.start();
  await clock.advance(30 * SECOND);
  assert.deepEqual(said(), ["warn: Cannot see whether executions wait for a node"]);
  reads.listNodes = listNodes;
  await clock.advance(60 * SECOND);
  assert.equal(said().length, 1, "a living node has the label");
  nodes[1] = node({ labels: ["gpu"], isAlive: false });
  await clock.advance(10 * SECOND);
  assert.match(said()[1] ?? "", /execution 12/);
});
