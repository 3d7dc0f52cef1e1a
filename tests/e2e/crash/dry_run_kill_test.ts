// Tests of kill -9 during a described call of a dry run: nothing is done, and the final list contains each call once.
import assert from "node:assert/strict";
import { join } from "node:path";
import { resultsOf } from "../../runtime/executions/executions_of.ts";
import { createTestWorkspace, type TestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { startAndDie } from "./start_and_die.ts";

const call = (name: string, args: object) => ({ name, arguments: args });

/** The described calls in the order of the log. */
const WHOLE = [
  "delete list.md (-2)",
  'call memory_append {"section":"Facts","content":"x"}',
  "write helped.md (new file, +1)",
  "write end.md (new file, +1)",
];

interface Death {
  method: string;
  nth: number;
  onRestart: "resume" | "orphan";
  status: string;
  listed: readonly string[];
}

/** The results are stored in this order: two of the first reply, one of the helper, the helper's run, the last call. */
const DEATHS: readonly Death[] = [
  { method: "finishCall", nth: 1, onRestart: "resume", status: "success", listed: WHOLE },
  // The second call of finishExecution stores the end of the called agent.
  { method: "finishExecution", nth: 2, onRestart: "resume", status: "success", listed: WHOLE },
  {
    ...{ method: "finishCall", nth: 3, onRestart: "orphan" },
    ...{ status: "orphaned", listed: WHOLE.slice(0, 2) },
  },
];

for (const { method, nth, onRestart, status, listed } of DEATHS) {
  Deno.test(`a dry run (${onRestart}) killed before ${method} (${nth}) lists each call once`, async () => {
    await using place = await createTestWorkspace();
    await writeAgents(place, onRestart);
    const before = await listFiles(place.workspace);
    const crash = { method, when: "before", nth } as const;
    await startAndDie(place, { start: ["chief"], isDry: true, crash });
    assert.deepEqual(await lookAfter(place), { status, listed });
    assert.deepEqual(await listFiles(place.workspace), before);
  });
}

/** Starts the next service. Returns the status and the listed calls of the dry run. */
async function lookAfter(place: TestWorkspace): Promise<{ status: string; listed: string[] }> {
  await using runtime = await place.open();
  const ids = (await runtime.listExecutions({ limit: 9, offset: 0 })).map(({ id }) => id);
  const { id, status, isDryRun } = await toEnd(runtime, Math.min(...ids));
  assert.ok(isDryRun);
  const listed = (await resultsOf(runtime, id)).flatMap(({ would_do: list }) =>
    ((list ?? []) as { summary: string }[]).map(({ summary }) => summary)
  );
  return { status, listed };
}

async function writeAgents(
  place: TestWorkspace,
  onRestart: Death["onRestart"],
): Promise<void> {
  await Deno.writeTextFile(join(place.workspace, "list.md"), "- one\n- two\n");
  const settings = `on_restart: ${onRestart}\nauto_approve: "*"`;
  await place.writeScript("chief", [
    {
      call: [
        call("file_delete", { path: "list.md" }),
        call("memory_append", { section: "Facts", content: "x" }),
      ],
    },
    { call: [call("run_agent", { agent_id: "helper" })] },
    { call: [call("file_write", { path: "end.md", content: "x\n" })] },
    { say: "Done." },
  ], `${settings}\nagents: [helper]`);
  await place.writeScript("helper", [
    { call: [call("file_write", { path: "helped.md", content: "x\n" })] },
    { say: "Helped." },
  ], settings);
}

/** Returns the contents of all files by path. */
async function listFiles(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) Object.assign(files, await listFiles(path));
    else files[path] = await Deno.readTextFile(path);
  }
  return files;
}
