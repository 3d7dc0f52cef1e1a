// Tests which agents have web_search, and the messages about a missing service.
import assert from "node:assert/strict";
import { createTestWorkspace, runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";
import { call, doing, FREE, resultsOf, writeConfig } from "../executions/executions_of.ts";
import { serve } from "../tools/builtin/http_site.ts";

const createPlace = async (search: string, shell: Record<string, string> = {}) => {
  const place = await createTestWorkspace({ shell });
  await place.configure(`sandbox: off\n${search}`);
  return place;
};
const write = (place: TestWorkspace, agent: string, lines: string) =>
  place.writeScript(agent, doing(call("web_search", { query: "ferry" })), `${FREE}\n${lines}`);

Deno.test("an agent has web_search if its file and config.yaml say so, and the key is redacted", async () => {
  const key = "private-value-0123456789";
  await using site = serve(({ headers }) =>
    Response.json({ results: [{ title: headers.get("authorization"), url: "https://a.example/" }] })
  );
  await using place = await createPlace(
    `search: { provider: tavily, base_url: "${site.origin}", key_env: MY_SEARCH }\n`,
    { MY_SEARCH: key },
  );
  await write(place, "searcher", "tools: [web_search]");
  await write(place, "other", "");
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "searcher");
  const [found] = await resultsOf(runtime, id);
  assert.deepEqual([status, found?.["content"]], [
    "success",
    "1. Bearer [redacted:MY_SEARCH]\nhttps://a.example/",
  ]);
  const [unknown] = await resultsOf(runtime, (await runToEnd(runtime, "other")).id);
  assert.match(String(unknown?.["content"]), /Unknown tool "web_search"/);
  const { differences } = await runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual([differences, site.seen.length], [[], 1]);
});

Deno.test("an agent that names web_search without a service does not start, and says what to add", async () => {
  await using place = await createPlace("");
  await write(place, "searcher", "tools: [web_search]");
  await using runtime = await place.open();
  const { status, error } = await runToEnd(runtime, "searcher");
  assert.equal(status, "error");
  assert.match(
    String(error),
    /web_search needs a service: add `search: \{ provider: searxng/,
  );
});

Deno.test("a custom tool with the name web_search keeps it", async () => {
  await using place = await createPlace(
    "search: { provider: searxng, base_url: 'http://127.0.0.1:9' }\n",
    {
      DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
    },
  );
  await writeConfig(
    place,
    "tools/web_search.ts",
    `export default { description: "own", effect: "read",
      parameters: { properties: { query: { type: "string" } }, required: [] },
      run: ({ query }) => "own result for " + query };`,
  );
  await write(place, "searcher", "tools: [web_search]");
  await using runtime = await place.open();
  const [found] = await resultsOf(runtime, (await runToEnd(runtime, "searcher")).id);
  assert.equal(found?.["content"], "own result for ferry");
});
