// Tests of the view of an execution in a browser: the parts of its time, its delegated runs, the files it changed, and forks
// from its steps.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { payloadsOf, runToEnd } from "../../support/test_workspace.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import {
  type DashboardWorld,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
} from "./dashboard_world.ts";

const call = (name: string, args: object) => ({ name, arguments: args });
const witness = (section: string) => call("memory_append", { section, content: "called" });

/** Execution 1 of `chief` has three steps. Execution 2 is its helper. */
const SET_UP: WorldSetUp = {
  async prepare(workspace) {
    await workspace.writeScript("chief", [
      { say: "First.", call: [witness("one")] },
      { call: [witness("two"), call("run_agent", { agent_id: "helper" })] },
      { say: "All done." },
    ], 'auto_approve: "*"\nagents: [helper]');
    await workspace.writeScript("helper", [{ say: "Helped." }]);
    await Deno.writeTextFile(join(workspace.workspace, "report.md"), "one\ntwo\nthree\n");
    await workspace.writeScript("writer", [
      {
        call: [
          call("file_edit", { path: "report.md", old_text: "two", new_text: "2" }),
          call("file_write", { path: "new.md", content: "fresh\n" }),
          call("file_write", { path: "../../out.md", content: "x" }),
        ],
      },
      { say: "Written." },
    ], "auto_approve: [file_write, file_edit]");
    await workspace.writeScript("reader", [
      { call: [call("file_read", { path: "report.md" })] },
      { say: "**Three** lines." },
    ], "name: Note reader");
    await workspace.writeScript("boss", [
      {
        call: [
          call("run_agent", { agent_id: "reader" }),
          call("run_agent", { agent_id: "reader" }),
        ],
      },
      { say: "All done." },
    ], "agents: [reader]");
  },
  begin: async (runtime) => void await runToEnd(runtime, "chief", { message: "Go" }),
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
  const { id } = await runToEnd(runtime(), "boss");
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

const forkButton = (page: Page, step: number) =>
  page.getByRole("button", { name: `Fork from here, step ${step}` });

/** Waits until the page shows an execution other than `before`, and returns its id. */
async function idAfter(page: Page, before: number): Promise<number> {
  await page.waitForURL((url) => /#\/executions\/\d+$/.test(url.href) && idOf(url) !== before);
  return idOf(new URL(page.url()));
}

const idOf = ({ hash }: URL) => Number(/\d+$/.exec(hash)?.[0]);

async function forkStep({ openPage, runtime, workspace }: DashboardWorld): Promise<void> {
  const page = await openPage("#/executions/1");
  await page.getByText("Step 3", { exact: true }).waitFor();
  await forkButton(page, 1).click();
  const dialog = page.getByRole("dialog", { name: "Fork chief from step 1" });
  await dialog.getByText(/with the first step of execution 1, without repeating their calls/)
    .waitFor();
  await dialog.getByText(/It then calls the model and the tools/).waitFor();
  await expectNoFault(page, "the dialog", "dialog");
  const count = async () => (await runtime().listExecutions({ limit: 9, offset: 0 })).length;
  const before = await count();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await count(), before);

  const calls = async () => {
    const text = await Deno.readTextFile(join(workspace.agentsDir, "chief.memory.md"));
    return ["one", "two"].map((section) =>
      (new RegExp(`# ${section}\\n([^#]*)`).exec(text)?.[1] ?? "").split("called").length - 1
    );
  };
  const [ones = 0, twos = 0] = await calls();
  await forkButton(page, 1).click();
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await idAfter(page, 1);
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  assert.deepEqual(await calls(), [ones, twos + 1], "the step before the fork is not done again");
  // The fork's values and its delegation tree contain the original execution.
  const family = page.getByRole("region", { name: "Delegation" });
  await family.getByRole("link", { name: "execution 1, step 1" }).waitFor();
  await expectNoFault(page, "the fork's origin", "main .tree, main .figures");
  await family.getByRole("link", { name: /helper/ }).click();
  await page.getByText(/^Execution [^12]$/).waitFor();
  await family.getByRole("link", { name: "execution 1, step 1" }).click();
  await page.getByText("Execution 1", { exact: true }).waitFor();
}

async function forkWithChanges({ openPage, runtime, workspace }: DashboardWorld): Promise<void> {
  const page = await openPage("#/executions/1");
  await page.getByRole("button", { name: "Fork from here, the opening" }).click();
  const dialog = page.getByRole("dialog");
  const fork = dialog.getByRole("button", { name: "Fork", exact: true });
  await dialog.getByText("Replaces the task.").waitFor();
  await dialog.getByLabel("Message").fill("Other words");
  await dialog.getByLabel("Model").fill("demo/");
  await fork.click();
  await dialog.getByRole("alert").filter({ hasText: "write provider/name" }).waitFor();
  await dialog.getByLabel("Model").fill("demo/echo");
  await fork.click();
  const id = await idAfter(page, 1);
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await page.getByRole("link", { name: "execution 1, the opening" }).waitFor();
  const { outputData, model, forkedFrom } = await runtime().getExecution(id);
  assert.deepEqual([outputData, model], ["Other words", "demo/echo"]);
  assert.deepEqual(forkedFrom, { executionId: 1, step: 0 });

  // A fork after the final answer needs a message.
  await page.evaluate('location.hash = "#/executions/1"');
  await forkButton(page, 3).click();
  await dialog.getByText("The execution ended here. Enter its next task.").waitFor();
  await fork.click();
  await dialog.waitFor();
  await dialog.getByLabel("Message").fill('```demo\n[{"say":"Heard."}]\n```');
  await fork.click();
  await idAfter(page, 1);
  await page.getByText("Heard.", { exact: true }).first().waitFor();

  // Agents with `after` run after a fork only if the user requests it.
  await workspace.writeScript("sequel", [{ say: "Told." }], "after: chief");
  await runtime().reloadAgents();
  await page.evaluate('location.hash = "#/executions/1"');
  await forkButton(page, 3).click();
  await dialog.getByLabel("Message").fill('```demo\n[{"say":"Again."}]\n```');
  await dialog.getByLabel("start the agents that run after this one").check();
  await fork.click();
  const sequels = () => runtime().listExecutions({ agentId: ["sequel"], limit: 9, offset: 0 });
  await untilSeen(async () => (await sequels()).length === 1, "the follower runs");
}

testInDashboard("dashboard: an execution", SET_UP, [
  ["a call shows the change that it made in a file, and arguments as a table", seeChanges],
  ["delegated runs are nested in the waterfall, and the parts are of the duration", seeTime],
  ["a fork continues from the chosen step, and links to the original execution", forkStep],
  ["a fork accepts a message or another model, and its dialog shows refusals", forkWithChanges],
]);
