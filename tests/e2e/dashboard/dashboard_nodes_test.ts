// A run that no living node may run, as its page shows it.
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { testInBrowser } from "../../support/machine/browser.ts";
import { openDashboardWorld, openSlowModel } from "./dashboard_world.ts";

async function showsTheLabel(browser: Browser): Promise<void> {
  await using model = openSlowModel(["Half", " and half"]);
  await using world = await openDashboardWorld(browser, async ({ writeAgent }) => {
    await writeAgent("trainer", `---\n${model.frontMatter}\n---\nTrain.\n`);
  });
  const runtime = world.runtime();
  const getExecution = runtime.getExecution.bind(runtime);
  let waitsForLabels: string[] | undefined = ["gpu", "linux"];
  runtime.getExecution = async (id) => ({
    ...await getExecution(id),
    ...(waitsForLabels && { waitsForLabels }),
  });
  const { id } = await runtime.run("trainer", {});
  const page = await world.openPage(`#/executions/${id}`);
  const note = page.getByText("Waits for a node with the labels gpu, linux");
  await note.waitFor();
  assert.equal(await page.getByText("Waiting for the model").count(), 0);
  // Nothing tells the page that a node has taken it: it looks by itself.
  waitsForLabels = undefined;
  await note.waitFor({ state: "detached" });
  model.finish();
  await page.getByText("Half and half").first().waitFor();
}

testInBrowser("dashboard: nodes", [
  ["a run says for which labels it waits, and no more once a node has taken it", showsTheLabel],
]);
