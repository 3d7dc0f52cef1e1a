// Custom tools and MCP servers in a replay: as recorded, unless they are started to be asked what they are like today.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeConfig } from "../executions_of.ts";
import { denoDirectory } from "../../../support/repository.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";

const call = (name: string, args: unknown) => ({ call: [{ name, arguments: args }] });

async function createPlace(): Promise<TestWorkspace> {
  const shell = { DENO_DIR: denoDirectory(), PATH: Deno.env.get("PATH") ?? "" };
  const place = await createTestWorkspace({ shell });
  const text = `workspace: ${place.workspace}\nsandbox: off\ndefaults: { mcp_confirm: none }\n`;
  await Deno.writeTextFile(join(place.configDir, "config.yaml"), text);
  return place;
}

/** Records a run of the agent that calls the tool. */
async function record(place: TestWorkspace): Promise<number> {
  await using runtime = await place.open();
  const { id, status, error } = await runToEnd(runtime, "seeker");
  assert.equal(status, "success", error ?? "");
  return id;
}

async function replay(place: TestWorkspace, id: number, withAllTools: boolean) {
  await using runtime = await place.open({ mode: "read-only" });
  return await runtime.replays.replay(id, { withAllTools });
}

/** Asserts what is told before a change, and after it. */
async function assertFoundWithTools(
  place: TestWorkspace,
  { name, source, change, witness, now }: {
    name: string;
    source: string;
    change: () => Promise<void>;
    witness: () => string;
    now: RegExp;
  },
): Promise<void> {
  const id = await record(place);
  const calledOnce = witness();
  assert.notEqual(calledOnce, "");
  const same = await replay(place, id, true);
  assert.deepEqual([same.differences, same.notes], [[], []]);
  await change();
  const offline = await replay(place, id, false);
  assert.deepEqual(offline.differences, []);
  assert.deepEqual(offline.notes, [`As recorded, because nothing is started: ${source}`]);
  const { differences } = await replay(place, id, true);
  assert.deepEqual(differences.map(({ kind, what, call }) => [kind, what, call]), [
    ["tool", `tool ${name}`, 1],
  ]);
  assert.doesNotMatch(differences[0]?.recorded ?? "", now);
  assert.match(differences[0]?.today ?? "", now);
  assert.equal(witness(), calledOnce, "no tool is called");
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

Deno.test("replay(): a changed schema of an MCP server's tool is found where servers are started, and nowhere else", async () => {
  await using place = await createPlace();
  const file = join(place.root, "argument");
  const trace = join(place.root, "trace");
  await Deno.writeTextFile(file, "query");
  await writeConfig(
    place,
    "mcp-servers.json",
    JSON.stringify({
      changing: {
        command: Deno.execPath(),
        args: [
          ...["run", "--cached-only", "--no-prompt", "--allow-env", "--allow-read"],
          ...["--allow-write", "--config"],
          fileURLToPath(new URL("../../../deno.json", import.meta.url)),
          fileURLToPath(new URL("changing_server.ts", import.meta.url)),
          ...[file, trace],
        ],
        env: { DENO_DIR: denoDirectory() },
        sandbox: false,
      },
    }),
  );
  const steps = [call("find", { query: "x" }), { say: "Ok." }];
  await place.writeScript("seeker", steps, 'mcp: [changing]\nauto_approve: "*"');
  const change = () => Deno.writeTextFile(file, "words");
  const source = "MCP server changing";
  const witness = () => textOf(trace);
  await assertFoundWithTools(place, { name: "find", source, change, witness, now: /"words"/ });
});

Deno.test("replay(): a changed custom tool is found where custom tools are started, and nowhere else", async () => {
  await using place = await createPlace();
  const out = join(place.workspace, "out");
  await Deno.mkdir(out);
  const write = (description: string) =>
    writeConfig(
      place,
      "tools/seek.ts",
      `export default {
  description: ${JSON.stringify(description)},
  parameters: { type: "object", properties: { what: { type: "string" } } },
  async run(_args, context) {
    await Deno.writeTextFile(context.paths.out + "/called", "x", { append: true });
    return "sought";
  },
};`,
    );
  await write("Seeks.");
  const lines = 'custom_tools: [seek]\npaths: out\nauto_approve: "*"';
  await place.writeScript("seeker", [call("seek", { what: "x" }), { say: "Ok." }], lines);
  const change = () => write("Seeks far and wide.");
  const witness = () => textOf(join(out, "called"));
  const source = "custom tool seek";
  await assertFoundWithTools(place, { name: "seek", source, change, witness, now: /far and wide/ });
});
