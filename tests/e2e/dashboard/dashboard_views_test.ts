// Tests of the views: accessible in both themes, usable by keyboard, and no wider than a phone's screen.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import {
  type DashboardWorld,
  HOURLY,
  testInDashboard,
  type WorldSetUp,
} from "./dashboard_world.ts";
import { openFolds } from "./page_actions.ts";

const MARKDOWN = [
  "# Heading",
  "A **calm** answer with `code` and a [link](https://example.org).",
  "- one\n- [x] two",
  "| Name | Count |\n|---|---|\n| a | 1 |",
  "```\nconst x = 1;\n```",
  "> A quote.",
].join("\n\n");

/** Agents and executions of every kind that a view can show. */
const SET_UP: WorldSetUp = {
  async prepare(workspace) {
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
    ], `description: Sums up.\n${HOURLY}`);
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
  },
  async begin(runtime) {
    for (const id of ["digest", "remover", "chooser", "chief", "bad", "long"]) {
      await runToEnd(runtime, id);
    }
    await runToEnd(runtime, "remover", { dryRun: true });
  },
};

const VIEWS: readonly { hash: string; heading: string }[] = [
  { hash: "#/", heading: "Waiting for you" },
  { hash: "#/agents", heading: "Agents" },
  { hash: "#/agents/digest", heading: "Latest executions show all" },
  { hash: "#/executions/1", heading: "Answer" },
  { hash: "#/executions/4", heading: "Delegation" },
  { hash: "#/executions/8", heading: "Would have done" },
  { hash: "#/chat", heading: "Start a conversation" },
  { hash: "#/history", heading: "History" },
  { hash: "#/schedule", heading: "Schedule" },
  { hash: "#/usage", heading: "By agent" },
  { hash: "#/audit", heading: "Audit" },
  { hash: "#/log", heading: "Log" },
  { hash: "#/nowhere", heading: "Page not found" },
  { hash: "#/executions/999", heading: "Execution 999" },
];

async function goTo(page: Page, { hash, heading }: typeof VIEWS[number]): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
}

/** Opens each view, and checks that axe finds no problem and that the view fits a phone's width. */
async function lookAt(world: DashboardWorld, views: typeof VIEWS): Promise<void> {
  const page = await world.openPage("#/");
  for (const view of views) {
    await goTo(page, view);
    await openFolds(page);
    await expectNoFault(page, view.hash);
  }
}

async function lookAtDialogs(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/agents");
  await page.getByRole("button", { name: "Run digest" }).click();
  await page.getByRole("dialog").waitFor();
  await expectNoFault(page, "running", "dialog");
  for (const [key, name] of [["?", "Keys"], ["Control+k", "Find"]] as const) {
    await page.keyboard.press("Escape");
    await page.keyboard.press(key);
    await page.getByRole("dialog", { name }).waitFor();
    await expectNoFault(page, name, "dialog");
  }
  await page.keyboard.press("Escape");
  await goTo(page, { hash: "#/executions/2", heading: "Waiting for your answer" });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: "Ended: aborted" }).waitFor();
  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  await expectNoFault(page, "the service is lost", ".banner");
}

async function useKeys(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/");
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  await page.keyboard.press("h");
  await page.getByRole("heading", { name: "History", exact: true }).waitFor();
  // After a change of views, a screen reader continues at the view, as after loading a page.
  assert.equal(await focused(page), "MAIN");
  await page.keyboard.press("/");
  assert.equal(await focused(page), "INPUT");
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
  // A closed dialog has no role, but it is part of the page until the page has drawn its end.
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("run");
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });

  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "Reason (optional)" }).focus();
  await page.keyboard.type("unusual");
  assert.match(page.url(), /#\/$/);
  // Tab moves through the whole page and back to its start, so no element traps the focus.
  const seen: string[] = [];
  const hasSeen = (text: string) => seen.some((one) => one.includes(text));
  while (!hasSeen("Skip to the content")) {
    assert.ok(seen.length < 150, seen.join("; "));
    await page.keyboard.press("Tab");
    seen.push(String(await page.evaluate("document.activeElement.textContent")));
  }
  assert.ok(hasSeen("Approve"), seen.join("; "));
}

async function focused(page: Page): Promise<unknown> {
  return await page.evaluate("document.activeElement.tagName");
}

async function chooseTheme(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/");
  await page.emulateMedia({ colorScheme: "light" });
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
  // The page follows the system's theme again.
  await button.click();
  await button.click();
}

/** The maximum number of views that one test opens. */
const VIEWS_OF_A_TEST = 5;
const walks = Array.from({ length: Math.ceil(VIEWS.length / VIEWS_OF_A_TEST) }, (_, at) => {
  const views = VIEWS.slice(at * VIEWS_OF_A_TEST, (at + 1) * VIEWS_OF_A_TEST);
  const names = views.map(({ hash }) => hash).join(", ");
  return [
    `axe finds no fault in ${names} in both themes, on a phone and on a wide screen`,
    (world: DashboardWorld) => lookAt(world, views),
  ] as const;
});

testInDashboard("dashboard: accessible views", SET_UP, [
  ...walks,
  ["keys open every view, and are inactive in text fields", useKeys],
  ["the chosen theme overrides the system's, and is stored", chooseTheme],
  ["axe finds no fault in the dialogs and without the service", lookAtDialogs],
]);
