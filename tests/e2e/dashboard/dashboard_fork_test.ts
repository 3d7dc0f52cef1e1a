// Tests of forks in a browser: from a step, through a dialog that describes the effect, to the new execution and back.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { runToEnd } from "../../support/test_workspace.ts";
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
  },
  begin: async (runtime) => void await runToEnd(runtime, "chief", { message: "Go" }),
};

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

testInDashboard("dashboard: forks", SET_UP, [
  ["a fork continues from the chosen step, and links to the original execution", forkStep],
  ["a fork accepts a message or another model, and its dialog shows refusals", forkWithChanges],
]);
