import assert from "node:assert/strict";
import { findWaits, waitsForLabels } from "../../../../runtime/executions/nodes/node_waits.ts";
import { node, nodeReads } from "./fake_nodes.ts";

Deno.test("waitsForLabels() gives what no living node has all of", () => {
  const nodes = [
    node({ labels: ["gpu"] }),
    node({ labels: ["linux", "large"] }),
    node({ labels: ["gpu", "linux"], isAlive: false }),
  ];
  for (
    const [asked, expected] of [
      [[], []],
      [["gpu"], []],
      [["large", "linux"], []],
      // One has the first, another the second.
      [["gpu", "linux"], ["gpu", "linux"]],
      [["mac"], ["mac"]],
    ]
  ) assert.deepEqual(waitsForLabels({ nodes: asked ?? [] }, nodes), expected);
  assert.deepEqual(waitsForLabels({ nodes: [] }, []), []);
  assert.deepEqual(waitsForLabels({ nodes: ["gpu"] }, []), ["gpu"]);
});

Deno.test("findWaits() finds the executions that run, that nobody has, and that nobody may run", async () => {
  const agents = new Map([["trainer", ["gpu"]], ["writer", []], ["builder", ["linux"]]]);
  const executions = [
    { id: 1, agentId: "trainer", status: "running" as const },
    // Taken by a node that has lost its label since, or whose agent asks for another one now.
    { id: 2, agentId: "trainer", status: "running" as const },
    { id: 3, agentId: "trainer", status: "waiting" as const },
    { id: 4, agentId: "writer", status: "running" as const },
    { id: 5, agentId: "builder", status: "running" as const },
    { id: 6, agentId: "gone", status: "running" as const },
  ];
  const nodes = nodeReads({ nodes: [node({ labels: ["linux"] })], unclaimed: [1, 3, 4, 5, 6] });
  const findAgent = (id: string) => {
    const asked = agents.get(id);
    return asked && { nodes: asked };
  };
  assert.deepEqual([...await findWaits(executions, { nodes, findAgent })], [[1, ["gpu"]]]);
});

Deno.test("findWaits() asks the database nothing where no agent asks for a label", async () => {
  const nodes = {
    listNodes: () => Promise.reject(new TypeError("asked")),
    findUnclaimed: () => Promise.reject(new TypeError("asked")),
  };
  const executions = [{ id: 1, agentId: "writer", status: "running" as const }];
  const found = await findWaits(executions, { nodes, findAgent: () => ({ nodes: [] }) });
  assert.deepEqual([...found], []);
});
