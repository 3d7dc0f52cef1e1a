// The log-in over TCP in a real browser: at the port itself, and behind a proxy that speaks TLS and adds nothing.
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { join } from "node:path";
import { testInBrowser as test } from "../../support/machine/browser.ts";
import { API_KEY, openDashboardWorld, openWorkerWorld } from "./dashboard_world.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { openOwnProxy } from "./own_proxy.ts";
import { createTestCertificate } from "./test_certificate.ts";

const WITHOUT_KEY: BrowserContextOptions = { extraHTTPHeaders: {} };

async function logIn(page: Page, key = API_KEY): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
}

test("dashboard: the log-in: a key logs in and back to the place, a log-out ends it for every page", async (browser) => {
  await using world = await openWorkerWorld(browser);
  const page = await world.openPage("#/agents", WITHOUT_KEY);
  await logIn(page, "not the key");
  await page.getByRole("alert").getByText("This is not the API key").waitFor();
  await logIn(page);
  // The place that was asked for is still the one.
  await page.getByRole("button", { name: "Run worker" }).click();
  assert.equal(page.url(), `${world.origin}/ui#/agents`);
  await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  assert.equal(await page.evaluate("document.cookie"), "");
  // Another page of the same browser is in as well, until the log-out.
  const other = await page.context().newPage();
  await other.goto(`${world.origin}/ui`);
  await other.getByText("Nothing is running.").waitFor();
  const cookies = await page.context().cookies();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  // Who has kept the cookie has nothing.
  await page.context().addCookies(cookies);
  await page.goto(`${world.origin}/ui`);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await other.getByText("Connection lost.").first().waitFor();
  await other.getByText("reload the page to log in").first().waitFor();
});

test("dashboard: the log-in: it works behind a proxy that speaks TLS, under a path, without a header", async (browser) => {
  let target = "";
  await using certificate = await createTestCertificate();
  await using proxy = openOwnProxy({ target: () => target, tls: certificate });
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("worker", [{ say: "done" }]);
    const lines = `http:\n  origins: ["${proxy.origin}"]\n`;
    await Deno.writeTextFile(join(workspace.configDir, "config.yaml"), lines, { append: true });
  });
  target = world.origin;
  const page = await world.openPage("#/", { ...WITHOUT_KEY, ignoreHTTPSErrors: true });
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
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  // Streams end with the page; the proxy waits for them.
  await page.context().close();
});

test("dashboard: the log-in: it tells which line lets a proxy in", async (browser) => {
  await using world = await openWorkerWorld(browser);
  await using proxy = openOwnProxy({ target: () => world.origin });
  const page = await world.openPage("#/", WITHOUT_KEY);
  await page.goto(`${proxy.origin}/inkling/ui`);
  await logIn(page);
  await page.getByRole("heading", { name: "The service does not know this address" }).waitFor();
  await page.getByText(`origins: ["${proxy.origin}"]`).waitFor();
  await page.getByRole("link", { name: "Back to the log-in" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await page.context().close();
});

test("dashboard: the log-in: pages of others are refused, though the browser brings the cookie", async (browser) => {
  await using world = await openWorkerWorld(browser);
  const page = await world.openPage("#/", WITHOUT_KEY);
  await logIn(page);
  await page.getByText("Nothing is running.").waitFor();
  // All ports of 127.0.0.1 are one site: SameSite lets the cookie through to each of them.
  const form = `<form method="post" action="${world.origin}/shutdown"></form>`;
  await using stranger = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(`<!doctype html>${form}`, { headers: { "content-type": "text/html" } }),
  );
  await page.goto(`http://127.0.0.1:${stranger.addr.port}/`);
  const answers: string[] = [];
  page.on("response", (one) => answers.push(`${new URL(one.url()).pathname} ${one.status()}`));
  const read = await page.evaluate(`(async () => {
    const send = (path, options) =>
      fetch(${JSON.stringify(world.origin)} + path, { credentials: "include", ...options })
        .then((response) => response.text(), () => "");
    return await send("/agents/worker/run", { method: "POST", mode: "no-cors", body: "{}" }) +
      await send("/logout", { method: "POST", mode: "no-cors" }) + await send("/agents", {});
  })()`);
  assert.equal(read, "");
  await page.evaluate("document.forms[0].submit()");
  await page.waitForURL(/shutdown/);
  assert.deepEqual(answers.filter((one) => !one.startsWith("/favicon")), [
    "/agents/worker/run 403",
    "/logout 403",
    "/shutdown 403",
  ]);
  await page.goto(`${world.origin}/ui`);
  await page.getByText("Nothing is running.").waitFor();
  assert.deepEqual(await world.runtime().listExecutions({ limit: 5, offset: 0 }), []);
});

test("dashboard: the log-in: axe finds no fault in its pages, in both themes, narrow and wide", async (browser) => {
  await using world = await openWorkerWorld(browser);
  await using proxy = openOwnProxy({ target: () => world.origin });
  const page = await world.openPage("#/", { ...WITHOUT_KEY, bypassCSP: true });
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await expectNoFault(page, "the log-in");
  await logIn(page, "not the key");
  await page.getByRole("alert").waitFor();
  await expectNoFault(page, "wrong key");
  await page.goto(`${proxy.origin}/inkling/ui`);
  await logIn(page);
  await page.getByText("does not know this address").first().waitFor();
  await expectNoFault(page, "unknown address");
  await page.goto(`${world.origin}/ui`);
  await logIn(page);
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
  await expectNoFault(page, "with the log-out");
});
