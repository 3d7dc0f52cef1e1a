// What each view of the dashboard is to everybody: legible to assistive techniques in both themes, within a phone's
// width, reached by keys.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { testInBrowser } from "../../support/machine/browser.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { API_KEY, type DashboardWorld, openDashboardWorld } from "./dashboard_world.ts";

const MARKDOWN = [
  "# Heading",
  "A **calm** answer with `code` and a [link](https://example.org).",
  "- one\n- [x] two",
  "| Name | Count |\n|---|---|\n| a | 1 |",
  "```\nconst x = 1;\n```",
  "> A quote.",
].join("\n\n");

/** Starts a service with agents and executions of every kind that a view can show. */
async function startVariedWorld(browser: Browser): Promise<DashboardWorld> {
  const world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("digest", [
      {
        say: "I look.",
        call: [
          { name: "file_glob", arguments: { pattern: "*" } },
          { name: "file_read", arguments: { path: "none.md" } },
        ],
        usage: { input: 900, output: 40 },
        cost_usd: 0.01,
      },
      { call: [{ name: "file_read", arguments: { path: "long.md" } }] },
      { say: MARKDOWN, usage: { input: 1_200, output: 90 }, cost_usd: 0.02 },
    ], 'description: Sums up.\ntrigger: { type: schedule, cron: "*/30 * * * *" }');
    await workspace.writeScript("remover", [
      { call: [{ name: "file_delete", arguments: { path: "old.md" } }] },
      { say: "Done" },
    ]);
    const options = ["red", "green"];
    await workspace.writeScript("chooser", [
      { call: [{ name: "ask_user", arguments: { question: "Which?", options } }] },
      { say: "Done" },
    ]);
    await workspace.writeScript("chief", [
      { call: [{ name: "run_agent", arguments: { agent_id: "digest" } }] },
      { say: "Delegated." },
    ], "agents: [digest]");
    await workspace.writeScript("bad", [{ fail: `no luck ${"and no end to it ".repeat(20)}` }]);
    const usage = { input: 123_456, output: 7_890 };
    const name = "name: A rather long name of an agent that many people know";
    await workspace.writeScript("long", [{ say: "Done", usage, cost_usd: 12.34 }], name);
    await workspace.writeAgent("broken", "---\nmodel: { provider: demo }\n---\n");
    await Deno.writeTextFile(join(workspace.workspace, "old.md"), "x");
    await Deno.writeTextFile(join(workspace.workspace, "long.md"), `${"long ".repeat(200)}\nend`);
  });
  for (const id of ["digest", "remover", "chooser", "chief", "bad", "long"]) {
    await runToEnd(world.runtime(), id);
  }
  await runToEnd(world.runtime(), "remover", { dryRun: true });
  return world;
}

/** The tests of this file share it; the last of them stops its service. */
let varied: Promise<DashboardWorld> | undefined;

/** The tests that only read views share it, too. */
let readingPage: Promise<Page> | undefined;

const openVariedWorld = (browser: Browser): Promise<DashboardWorld> =>
  varied ??= startVariedWorld(browser);

const VIEWS: readonly { hash: string; heading: string }[] = [
  { hash: "#/", heading: "Waiting for you" },
  { hash: "#/agents", heading: "Agents" },
  { hash: "#/agents/digest", heading: "Latest executions all of them" },
  { hash: "#/executions/1", heading: "Answer" },
  { hash: "#/executions/3", heading: "Waiting for your answer" },
  { hash: "#/executions/4", heading: "Delegation" },
  { hash: "#/executions/8", heading: "Would have done" },
  { hash: "#/chat", heading: "Begin a conversation" },
  { hash: "#/chat/digest", heading: "digest" },
  { hash: "#/history", heading: "History" },
  { hash: "#/schedule", heading: "Schedule" },
  { hash: "#/usage", heading: "By agent" },
  { hash: "#/log", heading: "Log" },
  { hash: "#/nowhere", heading: "Page not found" },
  { hash: "#/executions/999", heading: "Execution 999" },
  { hash: "#/agents/nobody", heading: "Agent nobody" },
];

async function goTo(page: Page, { hash, heading }: typeof VIEWS[number]): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
}

/** Opens each view: axe finds nothing, no view is wider than a phone, and each request is in the API's description. */
async function lookAt(browser: Browser, views: typeof VIEWS): Promise<void> {
  const world = await openVariedWorld(browser);
  const page = await (readingPage ??= world.openPage("#/"));
  const requests = collectRequests(page);
  for (const view of views) {
    await goTo(page, view);
    const folds = page.locator("main .fold[aria-expanded=false]:visible");
    while (await folds.count() > 0) await folds.first().click();
    await expectNoFault(page, view.hash);
  }
  await expectDocumented(world, requests);
}

async function lookAtDialogs(browser: Browser): Promise<void> {
  const world = await openVariedWorld(browser);
  await using page = await world.openPage("#/agents");
  await page.getByRole("button", { name: "Run digest" }).click();
  await page.getByRole("dialog").waitFor();
  await expectNoFault(page, "running");
  for (const [key, name] of [["?", "Keys"], ["Control+k", "Find"]] as const) {
    await page.keyboard.press("Escape");
    await page.keyboard.press(key);
    await page.getByRole("dialog", { name }).waitFor();
    await expectNoFault(page, name);
  }
  await page.keyboard.press("Escape");
  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  await expectNoFault(page, "the service is lost");
}

/** Methods and paths of everything that the page requests from now on. */
function collectRequests(page: Page): Set<string> {
  const requests = new Set<string>();
  page.on("request", (request) => {
    requests.add(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return requests;
}

async function expectDocumented(world: DashboardWorld, requests: Set<string>): Promise<void> {
  const openapi = `${world.origin}/openapi.json`;
  const { paths } = await (await fetch(openapi, { headers: { "x-api-key": API_KEY } })).json();
  const documented = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) =>
      new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
    )
  );
  const strange = [...requests].filter((one) => !documented.some((known) => known.test(one)));
  assert.deepEqual(strange, []);
}

async function requestNothingPrivate(browser: Browser): Promise<void> {
  const world = await openVariedWorld(browser);
  await using page = await world.openPage("#/");
  const requests = collectRequests(page);
  await goTo(page, { hash: "#/log", heading: "Log" });
  await goTo(page, { hash: "#/usage", heading: "By agent" });
  await goTo(page, { hash: "#/schedule", heading: "Schedule" });
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await goTo(page, { hash: "#/executions/3", heading: "Waiting for your answer" });
  await page.getByLabel("green").check();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await goTo(page, { hash: "#/executions/2", heading: "Waiting for your answer" });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: "Ended: aborted" }).waitFor();
  await expectDocumented(world, requests);
  for (const part of ["/pending", "/respond", "/stats", "/log", "/slots", "/scheduler/pause"]) {
    assert.ok([...requests].some((one) => one.endsWith(part)), part);
  }
}

async function useKeys(browser: Browser): Promise<void> {
  const world = await openVariedWorld(browser);
  await using page = await world.openPage("#/", {});
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  await page.keyboard.press("h");
  await page.getByRole("heading", { name: "History", exact: true }).waitFor();
  // As after the loading of a page: what is read next is the view.
  assert.equal(await focused(page), "MAIN");
  await page.keyboard.press("/");
  assert.equal(await focused(page), "SELECT");
  await page.getByRole("link", { name: "digest" }).first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();

  await page.getByText("Where the time went").waitFor();
  await page.locator(".waterfall a").last().press("Enter");
  assert.match(page.url(), /#\/executions\/\d+\?step=\d+$/);
  await page.keyboard.press("a");
  await page.getByRole("heading", { name: "Agents", exact: true }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  assert.equal(await focused(page), "A");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/agents\/[^/]+$/);

  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Find" });
  await palette.getByRole("combobox").fill("open digest");
  await palette.getByRole("option", { name: "Open digest" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/agents\/digest$/);
  await palette.waitFor({ state: "detached" });

  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "Reason (optional)" }).focus();
  await page.keyboard.type("unusual");
  assert.match(page.url(), /#\/$/);
  // Through the whole page and back to its beginning: nothing holds the focus.
  const seen = new Set<string>();
  for (let step = 0; step < 80; step++) {
    await page.keyboard.press("Tab");
    seen.add(String(await page.evaluate("document.activeElement.textContent")));
  }
  assert.ok([...seen].some((one) => one === "Approve"), [...seen].join("; "));
  assert.ok([...seen].some((one) => one.includes("Skip to the content")), [...seen].join("; "));

  await page.locator("main").focus();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.getByLabel("Use these keys").uncheck();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("a");
  await page.keyboard.press("u");
  assert.match(page.url(), /#\/$/);
}

async function focused(page: Page): Promise<unknown> {
  return await page.evaluate("document.activeElement.tagName");
}

async function chooseTheme(browser: Browser): Promise<void> {
  await using world = await openDashboardWorld(browser, () => Promise.resolve());
  const page = await world.openPage("#/", { colorScheme: "light" });
  const background = () =>
    page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  const button = page.getByRole("button", { name: /^Theme/ });
  await button.waitFor();
  const light = await background();
  await button.click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  assert.notEqual(await background(), light);
  await page.reload();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  assert.notEqual(await background(), light);
  await page.emulateMedia({ colorScheme: "dark" });
  await button.click();
  await button.click();
  await page.getByRole("button", { name: "Theme: light" }).waitFor();
  assert.equal(await background(), light);
}

/** So many views are one test. */
const VIEWS_OF_A_TEST = 2;
const walks = Array.from({ length: VIEWS.length / VIEWS_OF_A_TEST }, (_, at) => {
  const views = VIEWS.slice(at * VIEWS_OF_A_TEST, (at + 1) * VIEWS_OF_A_TEST);
  const names = views.map(({ hash }) => hash).join(", ");
  return [
    `axe finds no fault in ${names} in both themes, on a phone and on a wide screen`,
    (browser: Browser) => lookAt(browser, views),
  ] as const;
});

testInBrowser("dashboard: its views for everybody", [
  ...walks,
  ["keys lead everywhere, and rest while somebody writes or wants them off", useKeys],
  ["the theme that is chosen wins against the system's, and stays", chooseTheme],
  ["everything that it requests is in the API's description", requestNothingPrivate],
  ["axe finds no fault in the dialogs and without the service", lookAtDialogs],
]);

// Hooks run last in, first out: the browser is still open.
Deno.test.afterAll(async () => await (await varied)?.[Symbol.asyncDispose]());
