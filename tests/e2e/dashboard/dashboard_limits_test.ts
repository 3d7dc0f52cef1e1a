// Tests of the dashboard with hostile texts from models, and with ten thousand executions.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";
import {
  type DashboardWorld,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
} from "./dashboard_world.ts";
import { openFolds } from "./page_actions.ts";

const EVIL = [
  '<script>globalThis.owned = 1</script><img src="x" onerror="globalThis.owned = 2">',
  "[run](javascript:globalThis.owned=3) [data](data:text/html,<script>1</script>)",
  "![pixel](https://example.org/pixel.png)",
  '<a href="javascript:globalThis.owned=4">a</a> &lt;b&gt;bold&lt;/b&gt;',
  "rm\u200b -rf a\u2028b pay\u00ad100 x\u{e0041} \ufeffz a\u200fb",
  "delete \u202etxt.exe \u001b]0;title\u0007 \u001b[31mred\u001b[0m \u009b2J \u2066isolated",
].join("\n\n");

const SET_UP: WorldSetUp = {
  async prepare(workspace) {
    await Deno.writeTextFile(join(workspace.workspace, "evil.md"), EVIL);
    await workspace.writeScript("evil", [
      { say: EVIL, call: [{ name: "file_read", arguments: { path: "evil.md" } }] },
      {
        call: [{
          name: "ask_user",
          arguments: { question: EVIL, options: [EVIL.split("\n")[0], "other"] },
        }],
      },
      { say: EVIL },
    ], `description: ${JSON.stringify("<img src=x onerror=globalThis.owned=5>")}`);
    await workspace.writeScript("walker", [
      ...Array.from({ length: 120 }, (_, index) => ({
        call: [{ name: "file_glob", arguments: { pattern: `${index}*` } }],
      })),
      { say: "Arrived." },
    ], "settings: { max_tool_calls: 500, max_execution_tokens: 1000000 }");
    await workspace.writeScript("worker", [{ say: "done" }]);
  },
};

async function showText(world: DashboardWorld): Promise<void> {
  const { id } = await runToEnd(world.runtime(), "evil", { args: [EVIL], message: EVIL });
  const page = await world.openPage("#/");
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(world.origin)) foreign.push(request.url());
  });
  await page.getByText("<script>globalThis.owned").first().waitFor();
  assert.deepEqual(await unseenIn(page), []);
  // The page shows the whole text of an approval, with escaped invisible characters.
  await page.locator(".question").getByText("\\u001b[31mred\\u001b[0m").waitFor();
  await page.locator(".question").getByText("rm\\u200b -rf a\\u2028b pay\\u00ad100").waitFor();
  await page.getByRole("radio").first().check();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Nothing is running.").waitFor();
  for (const hash of ["#/agents", `#/executions/${id}`]) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.getByText(/<script>globalThis|onerror=globalThis/).first().waitFor();
  }
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await openFolds(page);
  await page.getByText("[image: pixel] (https://example.org/pixel.png)").first().waitFor();
  await page.getByText("<b>bold</b>").first().waitFor();
  await page.getByText("delete \\u202etxt.exe \\u001b]0;title\\u0007 red \\u009b2J").first()
    .waitFor();
  assert.deepEqual(await unseenIn(page), []);
  assert.equal(await page.locator("main script, main img, main b").count(), 0);
  assert.equal(await page.locator('main a[href^="javascript:"], main a[href^="data:"]').count(), 0);
  assert.equal(await page.evaluate("globalThis.owned"), undefined);
  assert.deepEqual(foreign, []);
}

/** Code points of characters that a view must show as escapes. */
const UNSEEN = [
  0x00,
  0x07,
  0x1b,
  0x9b,
  0xad,
  0x200b,
  0x200f,
  0x2028,
  0x202e,
  0x2066,
  0xfeff,
  0xe0041,
];

async function unseenIn(page: Page): Promise<unknown> {
  return await page.evaluate(`(() => {
    const shown = [document.title, document.body.textContent];
    for (const element of document.querySelectorAll("[title], [aria-label]")) {
      shown.push(element.getAttribute("title"), element.getAttribute("aria-label"));
    }
    const characters = new Set(shown.join(" "));
    return ${JSON.stringify(UNSEEN)}.filter((code) => characters.has(String.fromCodePoint(code)));
  })()`);
}

async function foldSteps(world: DashboardWorld): Promise<void> {
  const { id } = await runToEnd(world.runtime(), "walker");
  const page = await world.openPage(`#/executions/${id}`);
  // The page shows the start and the end of a long text, and a button shows the middle.
  await page.getByRole("heading", { name: "Prompt" }).waitFor();
  await page.locator(".prose").getByText("Arrived.").waitFor();
  const steps = page.locator(".step");
  assert.equal(await steps.count(), 101);
  await page.getByRole("button", { name: "Show 24 of 24 hidden steps" }).click();
  await untilSeen(async () => await steps.count() === 124, "all steps");
  await page.getByText("0*", { exact: false }).first().waitFor();
}

/** The maximum number of elements in a view. */
const MOST_ELEMENTS = 2_000;

async function elementsOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.querySelectorAll("*").length'));
}

const MANY = 10_000;

/** Copies the workspace's only execution ten thousand times, one per minute. */
async function multiply(workspace: TestWorkspace): Promise<void> {
  await workspace.run(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) " +
      "INSERT INTO executions (agent_id, display_name, status, trigger, instance_id, request, model, " +
      "started_at, finished_at, duration_ms, input_tokens, output_tokens, total_tokens, cost_usd) " +
      "SELECT agent_id, display_name, CASE WHEN i % 100 = 0 THEN 'error' ELSE status END, trigger, " +
      "instance_id, request, model, started_at - (?1 - i) * 60000, finished_at, i, 100, 10, 110, 0.01 " +
      "FROM executions, n",
    MANY - 1,
  );
}

async function pageThroughHistory(world: DashboardWorld): Promise<void> {
  await runToEnd(world.runtime(), "worker");
  await world.stopService();
  await multiply(world.workspace);
  await world.startService();
  const page = await world.openPage("#/");
  const requests: URL[] = [];
  page.on("request", (request) => requests.push(new URL(request.url())));
  const rows = page.locator(".rows tbody tr");
  await page.evaluate('location.hash = "#/history"');
  await page.getByRole("heading", { name: "History" }).waitFor();
  await untilSeen(async () => await rows.count() === 50, "a page of fifty");
  const idIn = async () => /(\d+)$/.exec(await rows.first().getByRole("link").innerText())?.[1];
  assert.equal(await idIn(), String(MANY));
  assert.ok(await elementsOf(page) < MOST_ELEMENTS);
  await page.getByRole("link", { name: "Older" }).click();
  await untilSeen(async () => await idIn() === String(MANY - 50), "the next page");
  await page.evaluate('location.hash = "#/history?page=200"');
  await untilSeen(async () => await idIn() === "50", "the last page");
  assert.equal(await page.getByRole("link", { name: "Older" }).count(), 0);
  await page.getByLabel("Status").selectOption("error");
  await untilSeen(async () => await idIn() === String(MANY - 99), "only failed ones");
  await page.evaluate('location.hash = "#/usage"');
  await page.getByRole("cell", { name: "10,000", exact: true }).first().waitFor();
  await page.evaluate('location.hash = "#/"');
  await page.getByRole("table", { name: "Recently ended" }).waitFor();
  assert.ok(await elementsOf(page) < MOST_ELEMENTS);
  const limits = requests.filter(({ pathname }) => pathname === "/executions")
    .map(({ searchParams }) => Number(searchParams.get("limit")));
  assert.ok(limits.length > 3 && limits.every((limit) => limit > 0 && limit <= 60), limits.join());
}

testInDashboard("dashboard: limits", SET_UP, [
  // This scenario comes first, because it copies the only execution.
  ["ten thousand executions are paged, never loaded as a whole", pageThroughHistory],
  ["HTML and scripts from a model, a tool or a name are shown as text", showText],
  ["a long execution shows its start and its end, and more on request", foldSteps],
]);
