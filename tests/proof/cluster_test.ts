// A sample of `deno task cluster`: one node is frozen for longer than its lease, another killed, and every rule
// checked.
import assert from "node:assert/strict";
import { runClusterSample } from "../../proof/cluster/cluster.ts";
import { HAS_POSTGRES } from "../support/postgres.ts";

Deno.test({
  name: "cluster: the third node continues the runs of a frozen and a killed node",
  ignore: !HAS_POSTGRES,
  async fn() {
    const { violations, done, takeovers } = await runClusterSample({ seed: 11 });
    assert.deepEqual(violations, []);
    assert.equal(done["nodes frozen"], 1);
    assert.equal(done["nodes killed"], 1);
    assert.notEqual(takeovers.length, 0);
  },
});
