// Tests the selection of a server's tools for an agent, and the warning about too many tools.
import assert from "node:assert/strict";
import { validateWorkspace } from "../../../../ops/authoring/workspace_validation.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { runToEnd } from "../../../support/test_workspace.ts";
import { createPagedServer } from "./fixture_server.ts";
import { FixtureHttpServer } from "./http_server.ts";
import { createPlace } from "./mcp_place.ts";

const CASES: [mcp: string, entry: Record<string, unknown>, count: number, problem?: RegExp][] = [
  ["[paged]", {}, 12, /has 2\d tools, and local accepts at most 18/],
  ['["paged/tool_1*"]', {}, 4],
  [
    '["paged/tool_1", "paged/tool_2", "paged/no_*"]',
    {},
    2,
    /paged\/no_\*, and none of .* 12 tools fits/,
  ],
  ["[paged]", { tools: { include: ["tool_1*"], exclude: ["*2"] } }, 3],
  ['["paged/tool_12", "paged/tool_3"]', { excludeTools: ["tool_3"] }, 1, /paged\/tool_3/],
];

Deno.test("an agent gets the tools that its file and the server's entry select", async (t) => {
  await using server = new FixtureHttpServer({ create: createPagedServer });
  await using endpoint = new OpenAiServer(CASES.map(() => ({ text: "ok" })));
  const model = `{ provider: local, name: m, base_url: "${endpoint.url}", max_tools: 18 }`;
  // Each case has a server of its own name.
  const servers = Object.fromEntries(
    CASES.map(([, entry], at) => [`paged${at}`, { url: server.url, ...entry }]),
  );
  await using place = await createPlace(servers);
  for (const [at, [mcp]] of CASES.entries()) {
    const own = mcp.replaceAll("paged", `paged${at}`);
    await place.writeAgent(`a${at}`, `---\nmodel: ${model}\nmcp: ${own}\n---\nGo.\n`);
  }
  await using runtime = await place.open();
  for (const [at, [mcp, entry, count, problem]] of CASES.entries()) {
    await t.step(`mcp ${mcp} and ${JSON.stringify(entry)}: ${count} tools`, async () => {
      const before = endpoint.requests.length;
      const { status, error } = await runToEnd(runtime, `a${at}`);
      const plan = await runtime.planRun(`a${at}`, { withMessages: false });
      assert.equal(plan.tools.filter(({ source }) => source === "mcp").length, count);
      // The check counts the tools that the run has listed.
      const settings = await place.settings();
      const [checked] = await validateWorkspace(settings, `a${at}`, { cwd: place.root });
      const told = checked?.diagnostics.map(({ message }) => message).join() ?? "";
      if (problem === undefined) assert.equal(told, "");
      else assert.match(told.replaceAll(`paged${at}`, "paged"), problem);
      const isTooMany = count > 4;
      assert.equal(status, isTooMany ? "error" : "success", error ?? "");
      assert.equal(endpoint.requests.length - before, isTooMany ? 0 : 1);
      if (isTooMany) {
        assert.match(
          `${error} ${plan.problems}`,
          /at most [0-9]+: select fewer.*at most [0-9]+: select fewer/,
        );
      }
    });
  }
});
