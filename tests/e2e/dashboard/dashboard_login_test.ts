// Tests of access to the page in a browser: log-ins at the port, log-ins and the editor behind a TLS proxy, the proxy of
// `inkling ui`, and attacks by other pages.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { join } from "node:path";
import { createUiLink } from "../../../server/ui/ui_links.ts";
import { openUiProxy } from "../../../server/ui/ui_proxy.ts";
import { testInBrowser as test } from "../../support/machine/browser.ts";
import {
  type DashboardWorld,
  openDashboardWorld,
  testInDashboard,
  type WorldSetUp,
} from "./dashboard_world.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { logIn, WITHOUT_KEY } from "./page_actions.ts";
import { openOwnProxy } from "./own_proxy.ts";
import { createTestCertificate } from "./test_certificate.ts";

const SET_UP: WorldSetUp = {
  prepare: ({ writeScript }) => writeScript("worker", [{ say: "done" }]),
};

async function logInAndOut(world: DashboardWorld): Promise<void> {
  await using proxy = openOwnProxy({ target: () => world.origin });
  // axe is a script that the page's policy would block.
  const page = await world.openPage("#/agents", { ...WITHOUT_KEY, bypassCSP: true });
  await logIn(page, "not the key");
  await page.getByRole("alert").getByText("This is not an API key").waitFor();
  await expectNoFault(page, "wrong key");
  await page.goto(`${proxy.origin}/inkling/ui`);
  await logIn(page);
  await page.getByRole("heading", { name: "The service does not know this address" }).waitFor();
  await page.getByText(`origins: ["${proxy.origin}"]`).waitFor();
  await expectNoFault(page, "unknown address", ":root");
  await page.getByRole("link", { name: "Back to the log-in" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();

  await page.goto(`${world.origin}/ui#/agents`);
  await logIn(page);
  // After the log-in the page shows the requested view.
  await page.getByRole("button", { name: "Run worker" }).click();
  assert.equal(page.url(), `${world.origin}/ui#/agents`);
  await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  assert.equal(await page.evaluate("document.cookie"), "");
  await expectNoFault(page, "with the log-out", ".page-head");
  const cookies = await page.context().cookies();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  // After the log-out a copied cookie is rejected.
  await page.context().addCookies(cookies);
  await page.goto(`${world.origin}/ui`);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
}

async function useLoopbackProxy(world: DashboardWorld): Promise<void> {
  const { socketFile, stateDir } = world.runtime().directories;
  await using proxy = await openUiProxy({ stateDir, socketFile, home: "/ui", warn: () => {} });
  const { address } = await createUiLink({ stateDir, port: proxy.port });
  const page = await world.openPage(null, {});
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  // Simulates a browser whose streams cannot be iterated.
  await page.addInitScript(
    "delete ReadableStream.prototype[Symbol.asyncIterator]; delete ReadableStream.prototype.values;",
  );
  await page.goto(address);
  await page.getByText("Nothing is running.").waitFor();
  assert.doesNotMatch(page.url(), /token/);
  assert.deepEqual(requests.filter((url) => url.includes("token")), [address]);
  await page.getByRole("link", { name: "Agents", exact: true }).click();
  await page.getByRole("button", { name: "Run worker" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  await world.startService();
  await page.locator(".banner").waitFor({ state: "detached" });
}

/**
 * Sends requests from a page of another origin with the browser's cookies. Fails if that page can read a response. Returns
 * the statuses of the changing requests.
 */
async function attack(page: Page, origin: string): Promise<number[]> {
  const form = `<form method="post" action="${origin}/shutdown"></form>`;
  await using stranger = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(`<!doctype html>${form}`, { headers: { "content-type": "text/html" } }),
  );
  await page.goto(`http://127.0.0.1:${stranger.addr.port}/`);
  const statuses: number[] = [];
  page.on("response", (response) => {
    const isOurs = response.url().startsWith(origin) && !response.url().includes("favicon");
    if (isOurs) statuses.push(response.status());
  });
  const read = await page.evaluate(`(async () => {
    const send = (path, options) =>
      fetch(${JSON.stringify(origin)} + path, { credentials: "include", ...options })
        .then((response) => response.text(), () => "");
    return (await Promise.all([
      send("/agents/worker/run", { method: "POST", mode: "no-cors", body: "{}" }),
      send("/logout", { method: "POST", mode: "no-cors" }),
      send("/agents", {}),
    ])).join("");
  })()`);
  assert.equal(read, "");
  await page.evaluate("document.forms[0].submit()");
  await page.waitForURL(/shutdown/);
  return statuses;
}

async function refuseOthers(world: DashboardWorld): Promise<void> {
  const { socketFile, stateDir } = world.runtime().directories;
  await using proxy = await openUiProxy({ stateDir, socketFile, home: "/ui", warn: () => {} });
  const { address } = await createUiLink({ stateDir, port: proxy.port });
  // All ports of 127.0.0.1 are the same site, so the browser sends the cookies.
  const page = await world.openPage("#/", WITHOUT_KEY);
  await logIn(page);
  await page.getByText("Nothing is running.").waitFor();
  await page.goto(address);
  await page.getByText("Nothing is running.").waitFor();
  const { origin } = new URL(address);
  const runs = () => world.runtime().listExecutions({ limit: 50, offset: 0 });
  const before = await runs();
  for (const target of [world.origin, origin]) {
    assert.deepEqual(await attack(page, target), [403, 403, 403], target);
  }
  // This context simulates a proxy that adds the key to each request.
  const keyed = await world.openPage("#/");
  assert.deepEqual(await attack(keyed, world.origin), [403, 403, 403]);
  assert.deepEqual(await runs(), before);
  // The attacks neither stopped the service nor logged the user out.
  await page.goto(`${world.origin}/ui`);
  await page.getByText("Nothing is running.").waitFor();
}

testInDashboard("dashboard: the log-in", SET_UP, [
  [
    "a log-in returns to the requested view, and a log-out invalidates the cookie",
    logInAndOut,
  ],
  ["other pages are refused although the browser sends cookies or a key", refuseOthers],
  ["the loopback proxy needs no log-in, and finds a restarted service", useLoopbackProxy],
]);

test("dashboard: the log-in and the editor work behind a TLS proxy with a path and without forwarded headers", async (browser) => {
  let target = "";
  await using certificate = await createTestCertificate();
  await using proxy = openOwnProxy({ target: () => target, tls: certificate });
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("worker", [{ say: "done" }]);
    const lines = `http:\n  origins: ["${proxy.origin}"]\nservice: { edit: true }\n`;
    await Deno.writeTextFile(join(workspace.configDir, "config.yaml"), lines, { append: true });
  });
  target = world.origin;
  const page = await world.openPage(null, { ...WITHOUT_KEY, ignoreHTTPSErrors: true });
  await page.goto(`${proxy.origin}/inkling/#/agents`);
  await logIn(page);
  await page.getByRole("button", { name: "Run worker" }).click();
  assert.equal(page.url(), `${proxy.origin}/inkling/ui#/agents`);
  await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  const [cookie] = await page.context().cookies();
  const { path, httpOnly, secure, sameSite } = cookie ?? {};
  assert.deepEqual({ path, httpOnly, secure, sameSite }, {
    path: "/inkling",
    httpOnly: true,
    secure: true,
    sameSite: "Strict",
  });
  await page.evaluate('location.hash = "#/edit/agent/worker"');
  await page.getByRole("textbox", { name: "Text of worker" }).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.insertText("history: off\n");
  await page.getByText("No problems.").waitFor();
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const file = join(world.workspace.agentsDir, "worker.md");
  assert.match(await Deno.readTextFile(file), /^---\nhistory: off\n/);
  const panel = page.getByRole("region", { name: "Try" });
  await panel.getByRole("button", { name: "Try", exact: true }).click();
  await panel.getByText("done").waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  // The proxy waits for its streams when it stops, and a stream ends with its page.
  await page.context().close();
});
