// A test of kill -9 during the described calls of dry runs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { call, delegate, listFiles, resultsOf } from "../../runtime/executions/executions_of.ts";
import { createTestWorkspace, type TestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { type Death, startAndDie } from "./start_and_die.ts";

/** The described calls in the order of the log. */
const WHOLE = [
  "delete list.md (-2)",
  'call memory_append {"section":"Facts","content":"x"}',
  "write helped.md (new file, +1)",
  "write end.md (new file, +1)",
];

/** The runs' ends after these deaths. */
const DEATHS: readonly {
  chief: string;
  death: Omit<Death, "agent" | "when">;
  /** True if the called agent makes the call of the death. */
  isOfHelper?: true;
  onRestart: "resume" | "orphan";
  status: string;
  listed: readonly string[];
}[] = [
  {
    ...{ chief: "one", death: { method: "finishCall", nth: 1 } },
    ...{ onRestart: "resume", status: "success", listed: WHOLE },
  },
  {
    ...{ chief: "two", death: { method: "finishExecution", nth: 1 }, isOfHelper: true },
    ...{ onRestart: "resume", status: "success", listed: WHOLE },
  },
  {
    ...{ chief: "three", death: { method: "finishCall", nth: 1 }, isOfHelper: true },
    ...{ onRestart: "orphan", status: "orphaned", listed: WHOLE.slice(0, 2) },
  },
];

Deno.test("a killed dry run lists each call once, and changes nothing", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(join(place.workspace, "list.md"), "- one\n- two\n");
  for (const { chief, onRestart } of DEATHS) await writeAgents(place, chief, onRestart);
  const before = await listFiles(place.workspace);
  await startAndDie(place, {
    start: DEATHS.map(({ chief }) => chief),
    isDry: true,
    deaths: DEATHS.map(({ chief, death, isOfHelper }) => (
      { ...death, when: "before", agent: isOfHelper ? `helper_of_${chief}` : chief }
    )),
  });
  await using runtime = await place.open();
  for (const { chief, status, listed } of DEATHS) {
    const [started] = await runtime.listExecutions({ agentId: chief, limit: 9, offset: 0 });
    const { id, ...ended } = await toEnd(runtime, started?.id ?? 0);
    const described = (await resultsOf(runtime, id)).flatMap(({ would_do: list }) =>
      ((list ?? []) as { summary: string }[]).map(({ summary }) => summary)
    );
    assert.deepEqual([ended.status, described, ended.isDryRun], [status, listed, true], chief);
  }
  assert.deepEqual(await listFiles(place.workspace), before);
});

async function writeAgents(place: TestWorkspace, chief: string, onRestart: string): Promise<void> {
  const settings = `on_restart: ${onRestart}\nauto_approve: "*"`;
  const helper = `helper_of_${chief}`;
  await place.writeScript(chief, [
    {
      call: [
        call("file_delete", { path: "list.md" }),
        call("memory_append", { section: "Facts", content: "x" }),
      ],
    },
    { call: [delegate(helper)] },
    { call: [call("file_write", { path: "end.md", content: "x\n" })] },
    { say: "Done." },
  ], `${settings}\nagents: [${helper}]`);
  await place.writeScript(helper, [
    { call: [call("file_write", { path: "helped.md", content: "x\n" })] },
    { say: "Helped." },
  ], settings);
}
