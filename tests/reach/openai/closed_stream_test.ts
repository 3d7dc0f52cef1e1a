// Tests that a closed stream of /v1 leaves nothing running in the service.
import assert from "node:assert/strict";
import { fakeAgent } from "../../support/fake_agent.ts";
import { createTestApp } from "../../support/test_app.ts";
import { until } from "../../support/until.ts";

const BODIES = {
  "/v1/chat/completions": { messages: [{ role: "user", content: "Hi" }] },
  "/v1/responses": { input: "Hi" },
};

for (const [path, body] of Object.entries(BODIES)) {
  Deno.test(`a closed stream of ${path} follows its run no longer, even if the run does not end`, async () => {
    const { app, runtime, lifecycle, clock } = createTestApp();
    runtime.addAgent(fakeAgent("talk", { expose: true }));
    const response = await app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "talk", stream: true, ...body }),
    });
    assert.equal(response.status, 200);
    const reader = response.body?.getReader() ?? assert.fail("there is no stream");
    const { id } = runtime.executions.get(1) ?? assert.fail("there is no run");
    runtime.append(id, "ai", { content: "Begin" });
    for (let text = ""; !text.includes("Begin");) {
      const { value, done } = await reader.read();
      assert.ok(!done);
      text += new TextDecoder().decode(value);
    }
    assert.equal(lifecycle.activeStreams, 1);
    const next = reader.read();
    await until(() => clock.sleeping === 1, "the stream waits for the next event of the run");
    await reader.cancel();
    await next;
    await until(() => lifecycle.activeStreams === 0, "the end of the stream");
    assert.deepEqual(runtime.log.lines.filter(({ level }) => level === "error"), []);
    assert.equal(clock.sleeping, 0);
  });
}
