// A reply that breaks off while it streams and begins anew.
import assert from "node:assert/strict";
import { OpenAiServer } from "../support/openai_server.ts";
import { createTestWorkspace } from "../support/test_workspace.ts";
import { until } from "../support/until.ts";

Deno.test("takeTurn() has followers replace the text of a reply that broke off, and a cancel keeps the last one", async () => {
  await using model = new OpenAiServer([
    { text: ["Once ", "upon"], then: "cut" },
    // Goes on for ever, so that no frame can overtake what streams.
    { text: ["In the ", "beginning"], then: "hang" },
  ]);
  await using place = await createTestWorkspace({ shell: { ELSEWHERE_API_KEY: "k" } });
  await place.writeAgent(
    "teller",
    `---\nmodel: { provider: elsewhere, name: tiny, base_url: "${model.url}" }\n---\nTell.\n`,
  );
  await using runtime = await place.open();
  const { id } = await runtime.run("teller", {});
  const { signal } = new AbortController();
  const seen = new Set<string>();
  let [shown, frames] = ["", ""];
  const following = (async () => {
    for await (const item of await runtime.follow(id, { after: 0, deltas: true, signal })) {
      if (item.type === "delta") shown = item.restart ? item.content : shown + item.content;
      if (item.type === "frame") frames += item.frame.payload;
      seen.add(shown);
    }
  })();
  await until(() => shown === "In the beginning", "the second reply");
  assert.ok(seen.has("Once upon"));
  await runtime.cancel(id);
  await following;
  const { status, outputData, inputTokens, outputTokens, totalTokens } = await runtime
    .getExecution(id);
  assert.deepEqual([status, outputData], ["aborted", "In the beginning"]);
  assert.ok(inputTokens > 100, String(inputTokens));
  assert.equal(outputTokens, 4);
  assert.equal(totalTokens, inputTokens + outputTokens);
  assert.doesNotMatch(frames, /Once/);
  assert.match(frames, /"content":"In the beginning"/);
  assert.match(frames, /its tokens and its cost are estimated/);
  assert.equal(model.requests.length, 2);
});
