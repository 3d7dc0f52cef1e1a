// Tests custom tools and MCP servers in replays: they are as recorded, unless they are started for their current
// declarations.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createToolPlace, writeConfig, writeWitness } from "../executions/executions_of.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { runToEnd } from "../../support/test_workspace.ts";

const call = (name: string, args: unknown) => ({ call: [{ name, arguments: args }] });

async function replay(place: TestWorkspace, id: number, withAllTools: boolean) {
  await using runtime = await place.open({ mode: "read-only" });
  return await runtime.replays.replay(id, { withAllTools });
}

/** Returns the source of a custom tool that leaves a trace when it is called. */
const seekTool = (description: string) =>
  `export default {
  description: ${JSON.stringify(description)},
  parameters: { type: "object", properties: { what: { type: "string" } } },
  async run(_args, context) {
    await Deno.writeTextFile(context.paths.out + "/called", "x", { append: true });
    return "sought";
  },
};`;

Deno.test("replay() finds changes of custom tools and MCP tools only if it starts them", async () => {
  const shell = { PATH: Deno.env.get("PATH") ?? "" };
  const lines = "defaults: { mcp_confirm: none }\n";
  await using place = await createToolPlace({ shell, lines });
  const { trace, file } = await writeWitness(place);
  const out = join(place.workspace, "out");
  await Deno.mkdir(out);
  await writeConfig(place, "tools/seek.ts", seekTool("Seeks."));
  const steps = [call("find", { query: "x" }), call("seek", { what: "x" }), { say: "Ok." }];
  const uses = 'mcp: [witness]\ncustom_tools: [seek]\npaths: out\nauto_approve: "*"';
  await place.writeScript("seeker", steps, uses);
  let id: number;
  {
    await using runtime = await place.open();
    const { status, error, ...run } = await runToEnd(runtime, "seeker");
    assert.equal(status, "success", error ?? "");
    ({ id } = run);
  }
  const same = await replay(place, id, true);
  assert.deepEqual([same.differences, same.notes], [[], []]);
  await Deno.writeTextFile(file, "words");
  await writeConfig(place, "tools/seek.ts", seekTool("Seeks far and wide."));
  const offline = await replay(place, id, false);
  assert.deepEqual(offline.differences, []);
  const note = "As recorded, because nothing is started: custom tool seek, MCP server witness";
  assert.deepEqual(offline.notes, [note]);
  const { differences } = await replay(place, id, true);
  const found = differences.map(({ kind, what, call }) => [kind, what, call]).sort();
  assert.deepEqual(found, [["tool", "tool find", 1], ["tool", "tool seek", 1]]);
  for (const [name, now] of [["find", /"words"/], ["seek", /far and wide/]] as const) {
    const one = differences.find(({ what }) => what === `tool ${name}`);
    assert.doesNotMatch(one?.recorded ?? "", now);
    assert.match(one?.today ?? "", now);
  }
  const calls = [await Deno.readTextFile(trace), await Deno.readTextFile(join(out, "called"))];
  assert.deepEqual(calls, ["find\n", "x"], "no replay calls a tool");
});
