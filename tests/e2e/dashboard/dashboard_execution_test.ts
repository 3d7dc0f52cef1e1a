// Tests of the view of an execution in a browser: the parts of its time, its delegated runs, and the files it changed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { payloadsOf, runToEnd } from "../../support/test_workspace.ts";
import { type DashboardWorld, testInDashboard, type WorldSetUp } from "./dashboard_world.ts";

const call = (name: string, args: object) => ({ name, arguments: args });

const SET_UP: WorldSetUp = {
  async prepare({ writeScript, workspace }) {
    await Deno.writeTextFile(join(workspace, "report.md"), "one\ntwo\nthree\n");
    await writeScript("writer", [
      {
        call: [
          call("file_edit", { path: "report.md", old_text: "two", new_text: "2" }),
          call("file_write", { path: "new.md", content: "fresh\n" }),
          call("file_write", { path: "../../out.md", content: "x" }),
        ],
      },
      { say: "Written." },
    ], "auto_approve: [file_write, file_edit]");
    await writeScript("reader", [
      { call: [call("file_read", { path: "report.md" })] },
      { say: "**Three** lines." },
    ], "name: Note reader");
    await writeScript("chief", [
      {
        call: [
          call("run_agent", { agent_id: "reader" }),
          call("run_agent", { agent_id: "reader" }),
        ],
      },
      { say: "All done." },
    ], "agents: [reader]");
  },
};

async function seeChanges({ openPage, runtime }: DashboardWorld): Promise<void> {
  const { id } = await runToEnd(runtime(), "writer");
  const results = (await payloadsOf(runtime(), id))
    .filter(({ event_type: type }) => type === "tool_result");
  const change = { path: "report.md", added: 1, removed: 1, is_new_file: false, problem: null };
  assert.deepEqual(results.map((result) => result["change"]), [
    { ...change, diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" },
    { ...change, path: "new.md", diff: "@@ -0,0 +1,1 @@\n+fresh\n", removed: 0, is_new_file: true },
    // The call failed, so it changed nothing.
    undefined,
  ]);
  const page = await openPage(`#/executions/${id}`);
  const diffs = page.getByRole("region", { name: /^Change of / });
  await diffs.nth(1).waitFor();
  assert.equal(await diffs.count(), 2);
  assert.match(await diffs.first().innerText(), /one\s+−\s+two\s+\+\s+2\s+three/);
  await page.getByText("new file", { exact: true }).waitFor();
  // The arguments of a call without a change are a table.
  const table = page.getByRole("table", { name: /^Arguments of file_write in call/ });
  await table.getByRole("row", { name: "path ../../out.md" }).waitFor();
}

async function seeTime({ openPage, runtime }: DashboardWorld): Promise<void> {
  const { id } = await runToEnd(runtime(), "chief");
  const page = await openPage(`#/executions/${id}`);
  const bars = page.locator(".waterfall li");
  // Below each delegated run are its own model calls and tool calls.
  await bars.filter({ hasText: "file_read report.md" }).nth(1).waitFor();
  const names = (await bars.getByRole("link").allInnerTexts())
    .map((name) => name.replace(/^\W+/, "").replace(/ #\d+$/, "").trim());
  const child = ["Note reader", "script", "file_read report.md", "script"];
  assert.deepEqual(names, ["script", ...child, ...child, "script"]);
  assert.match(await bars.first().innerText(), /^0 ms/);
  const summary = await page.getByRole("button", { name: "Where the time went" }).innerText();
  const duration = await page.locator(".figure", { hasText: "Duration" }).locator("dd").innerText();
  assert.ok(summary.startsWith(`Where the time went ${duration}: `), `${summary}, ${duration}`);
  // The answer of a delegated run is rendered.
  await page.locator(".call strong", { hasText: "Three" }).first().waitFor();
}

testInDashboard("dashboard: an execution", SET_UP, [
  ["a call shows the change that it made in a file, and arguments as a table", seeChanges],
  ["delegated runs are nested in the waterfall, and the parts are of the duration", seeTime],
]);
