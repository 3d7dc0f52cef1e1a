import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { testInBrowser } from "../../support/machine/browser.ts";
import { openDashboardWorld } from "./dashboard_world.ts";

async function spendAndAnswer(browser: Browser): Promise<void> {
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await Deno.writeTextFile(
      join(workspace.configDir, "pricing.yaml"),
      "demo/script: { input: 0, output: 100000 }\n",
    );
    await workspace.writeScript(
      "daily",
      [{ say: "Done.", usage: { input: 1, output: 9 } }],
      "name: The Daily\nsettings: { max_tokens: 10 }\nbudget: { per_day: 1.80 }",
    );
  });
  const page = await world.openPage("#/usage");
  const bar = page.getByRole("meter", { name: "per_day of The Daily" });
  await bar.waitFor();
  assert.equal(await bar.getAttribute("aria-valuetext"), "$0.00 of $1.80 used");
  await world.runtime().run("daily", {});
  await page.getByText("$0.90 of $1.80").waitFor();
  assert.equal(await bar.getAttribute("aria-valuetext"), "$0.90 of $1.80 used");
  // A dollar more does not fit: the run asks, on the page as anywhere.
  const { id } = await world.runtime().run("daily", {});
  await page.evaluate(`location.hash = "#/executions/${id}"`);
  await page.getByText("Budget per_day ($1.80) of The Daily is used up: continue with + $0.90?")
    .first().waitFor();
  await page.getByRole("button", { name: /approve|allow|yes/i }).first().click();
  await page.evaluate('location.hash = "#/usage"');
  await page.getByText("$1.80 of $2.70").waitFor();
}

testInBrowser("dashboard: budgets", [
  ["a budget has a bar, and its question is answered on the page", spendAndAnswer],
]);
