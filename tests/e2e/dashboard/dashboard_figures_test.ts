// Tests of statuses, charts, daily schedules, many agents and wide screens in a browser.
import assert from "node:assert/strict";
import { runToEnd } from "../../support/test_workspace.ts";
import {
  type DashboardWorld,
  HOURLY,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
} from "./dashboard_world.ts";
import { region } from "./page_actions.ts";
import { addSlowAgent } from "./slow_agent.ts";

const FIGURES: WorldSetUp = {
  async prepare({ writeScript }) {
    await writeScript("success", [{ say: "fine" }]);
    await writeScript("error", [{ fail: "no luck" }]);
    await writeScript("waiting", [
      { call: [{ name: "ask_user", arguments: { question: "Which?", kind: "input" } }] },
      { say: "Done" },
    ]);
    const usage = { input: 900, output: 100 };
    await writeScript("cheap", [{ say: "x", usage, cost_usd: 0.004 }]);
    await writeScript("dear", [{ say: "x", usage, cost_usd: 1.5 }]);
    await writeScript("free", [{ say: "x" }]);
    await writeScript("hourly", [{ say: "tick" }], HOURLY);
  },
};

async function filterHistory(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/history");
  await page.getByText("No executions match this filter.").waitFor();
  await using _model = await addSlowAgent(world, ["Once upon", " a time."], {
    id: "running",
    lines: "",
  });
  const runtime = world.runtime();
  for (const id of ["success", "error", "waiting"]) await runToEnd(runtime, id);
  await runtime.run("running", {});
  const looks = await Promise.all(
    ["success", "error", "waiting", "running"].map(async (status) => {
      const mark = page.locator(`.rows .status.${status}`);
      await mark.waitFor();
      assert.equal(await mark.innerText(), status);
      const look = await page.evaluate(
        `(({ color, clipPath }) => [color, clipPath])(getComputedStyle(document.querySelector(` +
          `".rows .status.${status}"), "::before"))`,
      );
      return look as [string, string];
    }),
  );
  assert.equal(new Set(looks.map(([color]) => color)).size, 4);
  assert.equal(new Set(looks.map(([, shape]) => shape)).size, 4);
  const rows = page.locator(".rows tbody tr");
  const untilRows = (count: number, what: string) =>
    untilSeen(async () => await rows.count() === count, what);
  await page.getByLabel("Trigger").selectOption("schedule");
  await page.getByText("No executions match this filter.").waitFor();
  await page.getByLabel("Trigger").selectOption("manual");
  await untilRows(4, "all are by hand");
  await page.getByLabel("Status").selectOption("error");
  await untilRows(1, "one has failed");
  assert.match(page.url(), /#\/history\?status=error&trigger=manual$/);
  await page.getByLabel("Status").selectOption("");
  await page.getByLabel("Agent").selectOption("success");
  await untilRows(1, "one is of this agent");
  await rows.getByText("fine").waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByText("no luck").waitFor();
  await page.getByLabel("From").fill("2020-01-01");
  await page.waitForURL(/\?status=error&trigger=manual&from=2020-01-01$/);
  await page.reload();
  await page.getByText("no luck").waitFor();
  assert.equal(await page.getByLabel("Trigger").inputValue(), "manual");
  await page.getByLabel("Status").selectOption("");
  await untilRows(4, "all again");
  const search = page.getByRole("searchbox", { name: "Search" });
  await search.fill("NO LUCK");
  // The list renders again when an execution ends, and keeps the text in its fields.
  await runtime.run("success", {});
  await untilRows(5, "the list is live");
  assert.equal(await search.inputValue(), "NO LUCK");
  await search.press("Enter");
  await untilRows(1, "one has this text");
  assert.match(page.url(), /q=NO\+LUCK/);
  await page.getByLabel("To").fill("2020-01-31");
  await page.getByText("No executions match this filter.").waitFor();
  await page.getByLabel("To").fill("");
  await page.getByText("no luck").waitFor();
  await page.getByRole("link", { name: "Clear" }).click();
  await untilRows(5, "without a filter");
  await rows.getByRole("link", { name: "error" }).click();
  await page.getByRole("heading", { name: "Ended: error" }).waitFor();
}

async function readTheUsage(world: DashboardWorld): Promise<void> {
  for (const id of ["cheap", "cheap", "dear", "free"]) await runToEnd(world.runtime(), id);
  const page = await world.openPage("#/usage?days=7");
  const chart = page.getByRole("slider", { name: "Cost per day" });
  const today = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short" })
    .format(new Date());
  assert.equal(
    await chart.getAttribute("aria-valuetext"),
    `${today}: $1.5080; dear $1.5000, cheap $0.0080`,
  );
  const readout = page.locator(".chart").filter({ has: chart }).locator(".readout");
  assert.equal(await readout.innerText(), await chart.getAttribute("aria-valuetext"));
  await chart.press("ArrowLeft");
  await untilSeen(
    async () => /: \$0\.0000$/.test(await readout.innerText()),
    "the day before is described",
  );
  await chart.press("End");
  await untilSeen(async () => (await readout.innerText()).startsWith(today), "today is told again");
  await chart.locator("g").first().hover();
  await untilSeen(
    async () => /: \$0\.0000$/.test(await readout.innerText()),
    "the pointer is followed",
  );
  assert.deepEqual(await page.locator(".axis").first().locator("span").allInnerTexts(), [
    ...["$2.00", "$1.50", "$1.00", "$0.50", "$0.00"],
  ]);

  const table = page.getByRole("table", { name: "Usage by agent" });
  const column = async (number: number) =>
    await table.locator(`tbody tr > :nth-child(${number})`).allInnerTexts();
  // The page sorts agents without usage, too.
  const order = async () =>
    (await column(1)).map((text) => text.replace(/\W/g, ""))
      .filter((name) => ["cheap", "dear", "free"].includes(name)).join();
  const header = (name: string) => table.getByRole("columnheader", { name });
  assert.equal(await header("Tokens").getAttribute("aria-sort"), "descending");
  await header("Cost").getByRole("button").press("Enter");
  await untilSeen(async () => await order() === "dear,cheap,free", "the dearest comes first");
  assert.equal(await header("Cost").getAttribute("aria-sort"), "descending");
  assert.equal(await header("Tokens").getAttribute("aria-sort"), null);
  await header("Cost").getByRole("button").press("Enter");
  await untilSeen(async () => (await order()).startsWith("free,cheap"), "the cheapest comes first");
  await header("Agent").getByRole("button").click();
  await untilSeen(async () => await order() === "cheap,dear,free", "by name");
  const decimals = (await column(5)).filter((text) => text.includes("$"))
    .map((text) => text.split(".")[1]?.length);
  assert.deepEqual(new Set(decimals), new Set([4]));
  await page.getByRole("button", { name: "Cost as figures" }).click();
  const figures = region(page, "Cost as figures").getByRole("row");
  assert.match(await figures.last().innerText(), /^All days[^]*\$1\.5080$/);
  assert.match(await figures.nth(1).innerText(), /\$1\.5080$/);
}

/** The number of agents with a schedule, of seventeen agents. */
const SCHEDULED = 8;

async function seeManyAgents(world: DashboardWorld): Promise<void> {
  const runtime = world.runtime();
  const description = `description: ${"Says in many words what it does. ".repeat(6)}`;
  for (let n = (await runtime.listAgents()).length; n < 17; n++) {
    // One of the earlier agents already has a schedule.
    const trigger = n > 17 - SCHEDULED ? 'schedule, cron: "0 0 1 1 *"' : "manual";
    const lines = `${description}\ntrigger: { type: ${trigger} }`;
    await world.workspace.writeScript(`agent-${n}`, [{ say: "fine" }], lines);
  }
  await runtime.reloadAgents();
  await runToEnd(runtime, "success");
  const page = await world.openPage("#/agents");
  await page.setViewportSize({ width: 1_920, height: 1_080 });
  const rows = page.locator(".agents > li");
  await untilSeen(async () => await rows.count() === 17, "all agents are listed");
  await rows.locator(".status.success").first().waitFor();
  const box = await rows.last().boundingBox();
  assert.ok(box !== null && box.y + box.height <= 1_080, `the last row ends at ${box?.y}`);
  await page.getByLabel("Trigger").selectOption("schedule");
  await untilSeen(async () => await rows.count() === SCHEDULED, "the list follows");
  // Every view uses the full width of the page.
  const width = 2_560;
  await page.setViewportSize({ width, height: 1_080 });
  for (const view of ["", "agents", "history", "schedule", "usage"]) {
    await page.evaluate(`location.hash = "#/${view}"`);
    const widest = page.locator("main > :is(.now, .agents, ul, div)").first();
    await widest.waitFor();
    const used = (await widest.boundingBox())?.width ?? 0;
    assert.ok(used >= 0.9 * width, `${view} uses ${used} of ${width}`);
  }
}

async function readTheSchedule(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/schedule", { timezoneId: "Europe/Berlin" });
  await page.getByRole("slider", { name: /0 runs, 0 skipped, 0 missed; next/ }).waitFor();
  assert.equal(await page.getByText("No runs in this period.").count(), 0);
  // The mark of the last run is drawn completely.
  const [job, day] = await Promise.all(
    [".job", ".day-line"].map((part) => page.locator(part).boundingBox()),
  );
  assert.ok(job && day && day.x >= job.x + 6 && day.x + day.width + 6 <= job.x + job.width);
  const upcoming = page.locator(".day-line .mark-upcoming");
  assert.ok(await upcoming.count() >= 11);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused: no trigger starts a run.").waitFor();
  assert.equal((await world.runtime().scheduler()).status, "paused");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  // The page shows that another client paused the scheduler, and that it resumed.
  await world.runtime().pauseScheduler();
  await page.getByText("Paused: no trigger starts a run.").waitFor();
  await world.runtime().resumeScheduler();
  await page.getByText("Paused: no trigger starts a run.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Earlier" }).click();
  await page.getByRole("button", { name: "Earlier" }).click();
  await untilSeen(async () => await upcoming.count() === 0, "the list follows");

  await page.evaluate('location.hash = "#/log"');
  await page.getByRole("heading", { name: "Log", exact: true }).waitFor();
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const slot = (hours: number, execution_id: number | null, outcome = "run") => ({
    ...{ scheduled_for: ago(hours), outcome, execution_id, count: 1 },
    reason: outcome === "run" ? null : "still running",
  });
  // Responses with the slots of several hours.
  await page.route("**/agents/hourly/slots*", (route) =>
    route.fulfill({
      json: [slot(1, 4), slot(2, null, "skipped"), slot(3, 3), slot(4, 2), slot(5, 1)],
    }));
  await page.route("**/executions?*", (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.get("trigger") !== "schedule") return route.continue();
    const error = (status: string) => status === "error" ? "no luck today" : null;
    const statuses = ["running", "waiting", "error", "success"];
    return route.fulfill({
      json: statuses.map((status, index) => ({ id: 4 - index, status, error: error(status) })),
    });
  });
  await page.evaluate('location.hash = "#/schedule"');
  const line = page.getByRole("slider", {
    name: /^4 runs \(1 failed, 1 waiting, 1 running\), 1 skipped, 0 missed; next/,
  });
  await line.waitFor();
  await page.getByText(/ to .*, Europe\/Berlin$/).waitFor();
  await page.getByText("(Asia/Tokyo)").waitFor();
  const readout = page.locator(".job .readout");
  const told = (text: RegExp) =>
    untilSeen(async () => text.test(await readout.innerText()), `${text} is told`);
  // Arrow keys move from the newest mark to older ones, and show each reason.
  await line.focus();
  await told(/: running$/);
  await line.press("ArrowLeft");
  await told(/: skipped, still running$/);
  assert.match(await line.getAttribute("aria-valuetext") ?? "", /: skipped, still running$/);
  await line.press("ArrowLeft");
  await told(/: waiting$/);
  // The pointer shows the reason of a mark.
  await page.locator(".mark-failed path").last().hover();
  await told(/: failed, no luck today$/);
  const shapes = await page.locator(".day-line .mark:not(.mark-upcoming) path")
    .evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  assert.equal(new Set(shapes).size, 5);
  // A table lists the same entries.
  await page.getByRole("button", { name: "5 entries" }).click();
  await page.getByRole("cell", { name: "still running" }).waitFor();
  await page.getByRole("cell", { name: "no luck today" }).waitFor();
  await line.focus();
  await line.press("Home");
  await told(/: success$/);
  await line.press("Enter");
  await page.waitForURL(/#\/executions\/1$/);
}

testInDashboard("dashboard: charts and schedules", FIGURES, [
  [
    "the history shows statuses in word, color and shape, is filtered, and stays live",
    filterHistory,
  ],
  [
    "the usage view has an axis, a description of each day, and sortable columns",
    readTheUsage,
  ],
  [
    "the schedules view pauses all triggers, and shows the reason of each outcome",
    readTheSchedule,
  ],
  ["seventeen agents fit one screen, and the views fill wide screens", seeManyAgents],
]);
