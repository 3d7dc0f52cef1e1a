// The dashboard where a browser meets it: behind the loopback proxy of `inkling ui`, and behind a proxy of one's own that
// adds the key and puts everything under a path.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createUiLink } from "../../../server/ui/ui_links.ts";
import { openUiProxy } from "../../../server/ui/ui_proxy.ts";
import { testInBrowser as test } from "../../support/machine/browser.ts";
import { API_KEY, openDashboardWorld, openWorkerWorld } from "./dashboard_world.ts";
import { openOwnProxy } from "./own_proxy.ts";

test("dashboard: behind proxies: it works through the loopback proxy, and is found again behind it", async (browser) => {
  await using world = await openWorkerWorld(browser);
  const { socketFile, stateDir } = world.runtime().directories;
  await using proxy = await openUiProxy({ stateDir, socketFile, home: "/ui", warn: () => {} });
  const { address } = await createUiLink({ stateDir, port: proxy.port });
  const page = await world.openPage("#/");
  // As browsers are whose streams cannot be iterated.
  await page.addInitScript(
    "delete ReadableStream.prototype[Symbol.asyncIterator]; delete ReadableStream.prototype.values;",
  );
  await page.goto(address);
  await page.getByText("Nothing is running.").waitFor();
  assert.doesNotMatch(page.url(), /token/);
  await page.getByRole("link", { name: "Agents", exact: true }).click();
  await page.getByRole("button", { name: "Run worker" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  await world.startService();
  await page.locator(".banner").waitFor({ state: "detached" });
  // The token was used up; who comes with it again, without the cookie, stays outside.
  const other = await world.openPage("#/", {});
  const response = await other.goto(address);
  assert.equal(response?.status(), 403);
});

test("dashboard: behind proxies: it works under a path of a proxy that adds the key, and asks for it without", async (browser) => {
  let target = "";
  await using proxy = openOwnProxy({ target: () => target, key: API_KEY });
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("worker", [{ say: "done" }]);
    const config = join(workspace.configDir, "config.yaml");
    const lines = `http:\n  origins: ["${proxy.origin}"]\n`;
    await Deno.writeTextFile(config, lines, { append: true });
  });
  target = world.origin;
  const page = await world.openPage("#/", { extraHTTPHeaders: {} });
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await page.goto(`${proxy.origin}/inkling/`);
  await page.getByText("Nothing is running.").waitFor();
  assert.equal(page.url(), `${proxy.origin}/inkling/ui`);
  await page.goto(`${proxy.origin}/inkling/ui#/agents`);
  await page.getByRole("button", { name: "Run worker" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  // Streams end with the page; the proxy waits for them.
  await page.context().close();
});

/**
 * What a page of somebody else tries at `origin`, with whatever the browser sends along; the statuses that its changes
 * were answered with. What it asks for it must not get to read.
 */
async function attack(page: Page, origin: string): Promise<number[]> {
  await using stranger = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () =>
      new Response("<!doctype html><title>Elsewhere</title>", {
        headers: { "content-type": "text/html" },
      }),
  );
  await page.goto(`http://127.0.0.1:${stranger.addr.port}/`);
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().startsWith(origin)) statuses.push(response.status());
  });
  const read = await page.evaluate(`(async () => {
    const send = (path, options) =>
      fetch(${JSON.stringify(origin)} + path, { credentials: "include", ...options })
        .then((response) => response.text(), () => "");
    return (await Promise.all([
      send("/agents/worker/run", { method: "POST", mode: "no-cors", body: "{}" }),
      send("/shutdown", { method: "POST", mode: "no-cors" }),
      send("/agents", {}),
    ])).join("");
  })()`);
  assert.equal(read, "");
  return statuses;
}

test("dashboard: behind proxies: pages of others are refused, though the browser brings cookie or key", async (browser) => {
  await using world = await openWorkerWorld(browser);
  const { socketFile, stateDir } = world.runtime().directories;
  await using proxy = await openUiProxy({ stateDir, socketFile, home: "/ui", warn: () => {} });
  const { address } = await createUiLink({ stateDir, port: proxy.port });
  const page = await world.openPage("#/", { extraHTTPHeaders: {} });
  await page.goto(address);
  await page.getByText("Nothing is running.").waitFor();
  // All ports of 127.0.0.1 are one site: the browser sends the cookie along.
  const statuses = await attack(page, new URL(address).origin);
  assert.deepEqual(statuses, [403, 403]);
  // A browser behind a proxy that adds the key to whatever it sends.
  const keyed = await world.openPage("#/");
  assert.deepEqual(await attack(keyed, world.origin), [403, 403]);
  assert.deepEqual(await world.runtime().listExecutions({ limit: 5, offset: 0 }), []);
  // Nobody shut it down, either.
  await page.goto(`${new URL(address).origin}/ui`);
  await page.getByText("Nothing is running.").waitFor();
});
