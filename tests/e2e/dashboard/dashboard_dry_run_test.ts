// A dry run in a real browser: asked for in the Run dialog, told apart from real runs, with what it would have done.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { testInBrowser } from "../../support/machine/browser.ts";
import { until } from "../../support/until.ts";
import { openDashboardWorld } from "./dashboard_world.ts";

const call = (name: string, args: object) => ({ name, arguments: args });

async function runDry(browser: Browser): Promise<void> {
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await Deno.writeTextFile(join(workspace.workspace, "list.md"), "- one\n- two\n");
    await workspace.writeScript("chief", [
      {
        call: [
          call("file_delete", { path: "list.md" }),
          call("http_request", { method: "POST", url: "https://example.com/", body: "hello" }),
          call("run_agent", { agent_id: "helper" }),
        ],
      },
      { say: "All done." },
    ], "agents: [helper]");
    await workspace.writeScript("helper", [
      { call: [call("file_write", { path: "new.md", content: "new line\n" })] },
      { say: "Helped." },
    ]);
  });
  const page = await world.openPage("#/agents");
  await page.getByRole("button", { name: "Run chief" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Dry run").check();
  await dialog.getByRole("button", { name: "Run", exact: true }).click();

  const list = page.getByRole("region", { name: "Would have done" });
  await list.getByText("delete list.md (-2)").waitFor();
  await list.getByText("- two").waitFor();
  await list.getByText(/^call http_request .*POST/).waitFor();
  await list.getByText("new line").waitFor();
  await page.getByText(/Execution \d+ · dry run/).waitFor();
  await page.getByRole("heading", { name: "Ended: success" }).or(
    page.getByRole("heading", { name: "Answer", exact: true }),
  ).first().waitFor();
  assert.equal(
    await Deno.readTextFile(join(world.workspace.workspace, "list.md")),
    "- one\n- two\n",
  );

  const ids =
    async () => (await world.runtime().listExecutions({ agentId: "chief", limit: 9, offset: 0 }));
  await page.getByRole("button", { name: "Run again", exact: true }).click();
  await until(async () => (await ids()).length === 2, "it has run again");
  assert.deepEqual((await ids()).map(({ isDryRun }) => isDryRun), [true, true]);

  await list.getByRole("link", { name: /helper, execution/ }).click();
  await page.getByText(/Execution \d+ · dry run/).waitFor();
  await page.evaluate('location.hash = "#/history"');
  await page.getByRole("cell", { name: "manual dry run" }).first().waitFor();
}

testInBrowser("dashboard: dry runs", [
  ["a dry run changes nothing, and lists what it would have done", runDry],
]);
