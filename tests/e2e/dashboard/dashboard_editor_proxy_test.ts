// Tests the editor in a browser behind a TLS proxy that serves the service under a path.
import assert from "node:assert/strict";
import { join } from "node:path";
import { testInBrowser } from "../../support/machine/browser.ts";
import { API_KEY, openDashboardWorld } from "./dashboard_world.ts";
import { openOwnProxy } from "./own_proxy.ts";
import { createTestCertificate } from "./test_certificate.ts";

testInBrowser("editor: behind a TLS proxy with a path", async (browser) => {
  let target = "";
  await using certificate = await createTestCertificate();
  await using proxy = openOwnProxy({ target: () => target, tls: certificate });
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("writer", [{ say: "Saved answer." }], "description: Writes");
    const config = join(workspace.configDir, "config.yaml");
    await Deno.writeTextFile(
      config,
      `service: { edit: true }\npublic_url: "${proxy.origin}/inkling"\n`,
      { append: true },
    );
  });
  target = world.origin;
  const file = join(world.workspace.agentsDir, "writer.md");
  const page = await world.openPage("#/", { extraHTTPHeaders: {}, ignoreHTTPSErrors: true });
  await page.goto(`${proxy.origin}/inkling/`);
  await page.getByLabel("API key").fill(API_KEY);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("link", { name: "Agents" }).click();
  await page.getByRole("link", { name: "writer" }).click();
  await page.getByRole("link", { name: "Edit" }).click();
  const text = page.getByRole("textbox", { name: "Text of writer" });
  await text.waitFor();
  await text.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.insertText("history: off\n");
  await page.getByText("No problems.").waitFor();
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.match(await Deno.readTextFile(file), /^---\nhistory: off\n/);
  const panel = page.getByRole("region", { name: "Try" });
  await panel.getByRole("button", { name: "Try", exact: true }).click();
  await panel.getByText("Saved answer.").waitFor();
  await page.getByRole("link", { name: "Agent", exact: true }).click();
  await page.getByRole("button", { name: "Take it back" }).click();
  await dialog.getByRole("button", { name: "Take it back" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.doesNotMatch(await Deno.readTextFile(file), /history/);
  assert.equal(new URL(page.url()).pathname, "/inkling/ui");
});
