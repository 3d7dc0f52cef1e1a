// Agents that others start, as the page shows them: their trigger, and what followed what.
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { testInBrowser } from "../../support/machine/browser.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { openDashboardWorld } from "./dashboard_world.ts";

async function showsWhatFollowed(browser: Browser): Promise<void> {
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("collect", [{ say: "Four letters." }]);
    await workspace.writeScript("mail", [{ say: "Sent." }], "after: collect");
    await workspace.writeScript(
      "review",
      [{ say: "Seen." }],
      "trigger: { type: webhook, scheme: github, secret: HOOK }",
    );
  });
  const { id } = await runToEnd(world.runtime(), "collect");
  const filter = { agentId: "mail", statuses: ["success" as const], limit: 1, offset: 0 };
  await until(
    async () => (await world.runtime().listExecutions(filter)).length === 1,
    "the other one follows",
  );
  for (const here of [id, id + 1]) {
    const page = await world.openPage(`#/executions/${here}`);
    const tree = page.getByRole("region", { name: "Delegation and what followed" });
    await tree.getByRole("link", { name: /collect.*#1/ }).waitFor();
    await tree.getByRole("link", { name: /mail.*#2/ }).waitFor();
    assert.equal(await tree.locator("[aria-current=true]").count(), 1);
  }
  const agents = await world.openPage("#/agents");
  await agents.getByText("webhook (github)").waitFor();
  await agents.getByText("after collect").waitFor();
}

testInBrowser("dashboard: agents that others start", [
  ["an execution shows what followed it, and what it follows", showsWhatFollowed],
]);
