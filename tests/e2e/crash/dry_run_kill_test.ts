// kill -9 in the middle of a call that a dry run describes: nothing was done, and the list at the end has each call once.
import assert from "node:assert/strict";
import { join } from "node:path";
import { resultsOf } from "../../runtime/executions/executions_of.ts";
import { createTestWorkspace, type TestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { startAndDie } from "./start_and_die.ts";

const call = (name: string, args: object) => ({ name, arguments: args });

/**
 * The service dies around the n-th result that is stored, or around the end of the agent that was called. Results are stored in
 * this order: two of the first reply; that of the helper's call; the helper's run as a result; one of the last reply.
 */
const DEATHS: readonly [when: "before" | "after", method: string, nth: number][] = [
  ["after", "recordReply", 1],
  ["before", "finishCall", 1],
  ["after", "finishCall", 3],
  ["before", "finishCall", 4],
  ["after", "acceptExecution", 2],
  ["before", "finishExecution", 2],
];

/** What would have been done, in the order of the log. */
const WHOLE = [
  "delete list.md (-2)",
  'call memory_append {"section":"Facts","content":"x"}',
  "write helped.md (new file, +1)",
  "write end.md (new file, +1)",
];

for (const [when, method, nth] of DEATHS) {
  Deno.test(`kill -9 ${when} ${method} (${nth}) of a dry run: nothing is done, and the list is whole`, async () => {
    await using place = await createTestWorkspace();
    await writeAgents(place);
    const before = await listFiles(place.workspace);
    await startAndDie(place, { start: ["chief"], isDry: true, crash: { method, when, nth } });

    const { status, listed } = await lookAfter(place);
    assert.deepEqual([status, listed], ["success", WHOLE]);
    assert.deepEqual(await listFiles(place.workspace), before);
  });
}

Deno.test("kill -9 of a dry run that no restart resumes: nothing is done, and the list is as far as it came", async () => {
  await using place = await createTestWorkspace();
  await writeAgents(place, "orphan");
  const before = await listFiles(place.workspace);
  await startAndDie(place, {
    start: ["chief"],
    isDry: true,
    crash: { method: "finishCall", when: "before", nth: 3 },
  });
  const { status, listed } = await lookAfter(place);
  assert.deepEqual([status, listed], ["orphaned", WHOLE.slice(0, 2)]);
  assert.deepEqual(await listFiles(place.workspace), before);
});

/** What the next service makes of the dry run: its end, and what its log lists. */
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
  onRestart: "resume" | "orphan" = "resume",
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

/** Every file with its text. */
async function listFiles(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) Object.assign(files, await listFiles(path));
    else files[path] = await Deno.readTextFile(path);
  }
  return files;
}
