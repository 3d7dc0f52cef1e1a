// Forks in a real browser: from a step of an execution, with a dialog that says what will happen, to the new execution and back.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { testInBrowser as test } from "../../support/machine/browser.ts";
import { until } from "../../support/until.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { type DashboardWorld, openDashboardWorld } from "./dashboard_world.ts";

const call = (name: string, args: object) => ({ name, arguments: args });
const witness = (section: string) => call("memory_append", { section, content: "called" });

/** Execution 1 of `chief`, with three steps; its helper is execution 2. */
async function openForkWorld(browser: Browser): Promise<DashboardWorld> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(
    await openDashboardWorld(browser, async (workspace) => {
      await workspace.writeScript("chief", [
        { say: "First.", call: [witness("one")] },
        { call: [witness("two"), call("run_agent", { agent_id: "helper" })] },
        { say: "All done." },
      ], 'auto_approve: "*"\nagents: [helper]');
      await workspace.writeScript("helper", [{ say: "Helped." }]);
    }),
  );
  await runToEnd(world.runtime(), "chief", { message: "Go" });
  opened.move();
  return world;
}

const forkButton = (page: Page, step: number) =>
  page.getByRole("button", { name: `Fork from here, step ${step}` });

test("dashboard: forks: a step is forked, for real from there on, and the new execution leads back", async (browser) => {
  await using world = await openForkWorld(browser);
  const memory = join(world.workspace.agentsDir, "chief.memory.md");
  const page = await world.openPage("#/executions/1");
  await page.getByText("Step 3", { exact: true }).waitFor();
  await forkButton(page, 1).click();
  const dialog = page.getByRole("dialog", { name: "Fork chief from step 1" });
  await dialog.getByText(/first step of execution 1: its calls are not made again/).waitFor();
  await dialog.getByText(/From there on it runs for real/).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await world.runtime().listExecutions({ limit: 9, offset: 0 })).length, 2);

  await forkButton(page, 1).click();
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByText("Execution 3", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  const text = await Deno.readTextFile(memory);
  assert.deepEqual(
    ["one", "two"].map((section) =>
      (new RegExp(`# ${section}\\n([^#]*)`).exec(text)?.[1] ?? "").split("called").length - 1
    ),
    [1, 2],
    "what it took over was not done again",
  );
  // Where it came from stands in its figures, and with its family.
  const family = page.getByRole("region", { name: "Delegation" });
  await family.getByRole("link", { name: "execution 1, step 1" }).waitFor();
  await family.getByRole("link", { name: /helper/ }).click();
  await page.getByText("Execution 4", { exact: true }).waitFor();
  await family.getByRole("link", { name: "execution 1, step 1" }).click();
  await page.getByText("Execution 1", { exact: true }).waitFor();
});

test("dashboard: forks: a fork takes a message or another model; refusals stand in the dialog", async (browser) => {
  await using world = await openForkWorld(browser);
  const page = await world.openPage("#/executions/1");
  await page.getByRole("button", { name: "Fork from here, the beginning" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Sent instead of its task.").waitFor();
  await dialog.getByLabel("Message").fill("Other words");
  await dialog.getByLabel("Model").fill("echo");
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await dialog.getByRole("alert").filter({ hasText: "write provider/name" }).waitFor();
  await dialog.getByLabel("Model").fill("demo/echo");
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByText("Execution 3", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await page.getByRole("link", { name: "execution 1, its beginning" }).waitFor();
  const { outputData, model, forkedFrom } = await world.runtime().getExecution(3);
  assert.deepEqual([outputData, model], ["Other words", "demo/echo"]);
  assert.deepEqual(forkedFrom, { executionId: 1, step: 0 });

  // Behind the answer nothing happens unless something is said.
  await page.evaluate('location.hash = "#/executions/1"');
  await forkButton(page, 3).click();
  await dialog.getByText("say what it is to do next").waitFor();
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await dialog.waitFor();
  await dialog.getByLabel("Message").fill('```demo\n[{"say":"Heard."}]\n```');
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByText("Execution 4", { exact: true }).waitFor();
  await page.getByText("Heard.", { exact: true }).first().waitFor();

  // Agents that run after this one start only when asked.
  const runtime = world.runtime();
  await world.workspace.writeScript("sequel", [{ say: "Told." }], "after: chief");
  await runtime.reloadAgents();
  await page.evaluate('location.hash = "#/executions/1"');
  await forkButton(page, 3).click();
  await dialog.getByLabel("Message").fill('```demo\n[{"say":"Again."}]\n```');
  await dialog.getByLabel("start the agents that run after this one").check();
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  const sequels = () => runtime.listExecutions({ agentId: ["sequel"], limit: 9, offset: 0 });
  await until(async () => (await sequels()).length === 1, "the follower runs");
});

test("dashboard: forks: axe finds no fault in steps, origin and dialog, in both themes and widths", async (browser) => {
  await using world = await openForkWorld(browser);
  const runtime = world.runtime();
  await runtime.replays.fork(1, { step: 1 });
  const page = await world.openPage("#/executions/3");
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await page.getByRole("region", { name: "Delegation" }).waitFor();
  await expectNoFault(page, "the steps");
  await forkButton(page, 2).click();
  await page.getByRole("dialog").waitFor();
  await expectNoFault(page, "the dialog");
});
