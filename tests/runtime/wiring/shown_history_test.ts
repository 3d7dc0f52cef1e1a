import assert from "node:assert/strict";
import { ShownHistory } from "../../../runtime/wiring/shown_history.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { openTestStore } from "../../support/test_store.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { TestClock } from "../../support/test_clock.ts";
import { node, nodeReads } from "../executions/nodes/fake_nodes.ts";

Deno.test("ShownHistory tells of each execution which labels it waits for, wherever it is shown", async () => {
  await using place = await createTestWorkspace();
  await using store = await openTestStore();
  const agent = createTestAgent({ id: "tester", nodes: ["gpu", "linux"] });
  const { id } = await store.accept();
  const { id: taken } = await store.accept();
  const nodes = nodeReads({ nodes: [node({ labels: ["linux"] })], unclaimed: [id] });
  const history = new ShownHistory({
    ...store,
    nodes,
    registry: { get: (id) => id === agent.id ? agent : undefined },
    settings: await place.settings(),
    clock: new TestClock(),
    timeZone: () => "UTC",
  });
  const labels = ["gpu", "linux"];
  const listed = await history.list({ limit: 10, offset: 0 });
  const expected = [[taken, undefined], [id, labels]];
  assert.deepEqual(listed.map((one) => [one.id, one.waitsForLabels]), expected);
  assert.deepEqual((await history.get(id)).waitsForLabels, labels);
  assert.ok(!("waitsForLabels" in await history.get(taken)));
  assert.equal((await history.newest(["tester"])).get("tester")?.waitsForLabels, undefined);
  (await nodes.listNodes()).push(node({ labels }));
  assert.ok(!("waitsForLabels" in await history.get(id)));
});
