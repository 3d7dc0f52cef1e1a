// Tests a whole journey in a browser: from an empty workspace to a scheduled agent with a test case, a budget and an
// approval by a second person. The first person has no mouse, the second one no keyboard except for the key of the log-in.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Role } from "../../../runtime/vocabulary/rights.ts";
import { testInBrowser } from "../../support/machine/browser.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { type DashboardWorld, openDashboardWorld, untilSeen } from "./dashboard_world.ts";

/** The lines that the person adds to the template: the model of this test, and the rule of approvals. */
const FIELDS = [
  "model: { provider: demo, name: script }",
  "confirm: [memory_save]",
  "approvals: 2",
].join("\n");
const SIZES = { section: "sizes", content: "photos: 3 GB" };
const STEPS = [{ call: [{ name: "memory_save", arguments: SIZES }] }, {
  say: "All backups are good.",
}];
const SCRIPT = `\n\`\`\`demo\n${JSON.stringify(STEPS)}\n\`\`\`\n`;
/** The largest number of presses of Tab to an element. */
const MOST_TABS = 150;

/** Presses Tab until the element has the focus. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor();
  // The element is searched for once, because a search by role reads the whole page.
  let element = await target.elementHandle();
  for (let tabs = 0; tabs <= MOST_TABS;) {
    const state = await element?.evaluate((it) => [it.isConnected, it.matches(":focus")]);
    if (state?.[1]) return;
    if (state?.[0]) {
      tabs++;
      await target.page().keyboard.press("Tab");
    } else element = await target.elementHandle();
  }
  assert.fail(`Tab does not reach ${target}`);
}

async function press(target: Locator): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press("Enter");
}

/** Enters a text as a whole, as when it is pasted. */
async function write(field: Locator, text: string): Promise<void> {
  await tabTo(field);
  await field.page().keyboard.insertText(text);
}

/** Adds a text at the end of the first line of the editor, and another one at its end. */
async function edit(text: Locator, first: string, last: string): Promise<void> {
  await tabTo(text);
  const { keyboard } = text.page();
  await keyboard.press("Control+Home");
  await keyboard.press("End");
  await keyboard.insertText(first);
  await keyboard.press("Control+End");
  await keyboard.insertText(last);
}

async function approveByKeys(page: Page): Promise<void> {
  await page.locator("[data-request]").waitFor();
  await untilSeen(async () => {
    await page.keyboard.press("j");
    return await page.locator("[data-request]:focus").count() > 0;
  }, "j goes to the question");
  await page.keyboard.press("y");
  // A call that may send or delete something needs a second press.
  await page.getByText("Press y again to approve memory_save.").waitFor();
  await page.keyboard.press("y");
}

/** Opens a view for a person, who logs in with a key of a role. */
async function enter(world: DashboardWorld, name: string, role: Role): Promise<Page> {
  const keys = await world.runtime().keys();
  const person = { name, role, agents: null, lifeMs: null };
  const key = await keys.add(person, { via: "terminal" });
  const page = await world.openPage("#/", { extraHTTPHeaders: {} });
  await write(page.getByLabel("API key"), key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Now", exact: true }).or(
    page.getByText("No agents yet").first(),
  ).first().waitFor();
  return page;
}

async function makeAgent(page: Page): Promise<void> {
  await page.keyboard.press("a");
  await expectNoFault(page, "no agents", "main");
  await press(page.getByRole("link", { name: "Files and gallery" }));
  await press(page.getByRole("link", { name: "backup-check" }));
  const text = page.getByRole("textbox", { name: /^Text of / });
  await text.getByText(/Checks every morning/).waitFor();
  await write(page.getByRole("textbox", { name: "Name" }), "backups");
  await edit(text, `\n${FIELDS}`, SCRIPT);
  await page.getByText("No problems.").or(page.getByRole("list", { name: "Problems" })).first()
    .waitFor();
  // The new agent is tried before it is saved. A dry run needs no approval.
  const trial = page.getByRole("region", { name: "Try" });
  await press(trial.getByRole("button", { name: "Try", exact: true }));
  await trial.getByText("All backups are good.").waitFor();
  await press(page.getByRole("button", { name: "Save", exact: true }));
  const dialog = page.getByRole("dialog", { name: "Save New agent" });
  await press(dialog.getByRole("button", { name: "Save", exact: true }));
  await page.waitForURL(/#\/edit\/agent\/backups$/);
  await press(page.getByRole("button", { name: "Switch on" }));
  await page.getByRole("button", { name: "Switch off" }).waitFor();
  await press(page.locator("main").getByRole("link", { name: "Agent", exact: true }));
}

async function seeAgent(page: Page): Promise<void> {
  await page.getByText("every day at 08:30").first().waitFor();
  await page.locator(".figure", { hasText: "Next runs" }).waitFor();
  await page.getByRole("region", { name: "Budgets" }).getByText("of 200k tokens").waitFor();
  await page.getByText(/^Changed last by ada on the page /).waitFor();
  const tools = page.getByRole("table", { name: "Tools" });
  await tools.getByRole("row", { name: /memory_save.*asks/ }).waitFor();
  await press(page.getByRole("button", { name: /Tests \d+ cases?$/ }));
  await page.getByRole("button", { name: /backups\/too-small$/ }).waitFor();
  await expectNoFault(page, "the new agent", "main");
}

testInBrowser(
  "dashboard: from nothing to an agent that a second person approves",
  async (browser) => {
    await using world = await openDashboardWorld(browser, () => Promise.resolve());
    const ada = await enter(world, "ada", "author");
    await makeAgent(ada);
    await seeAgent(ada);
    await press(ada.getByRole("button", { name: "Run", exact: true }));
    const dialog = ada.getByRole("dialog");
    await press(dialog.getByRole("button", { name: "Run", exact: true }));
    await ada.waitForURL(/#\/executions\/\d+$/);
    await approveByKeys(ada);
    await ada.getByText("You have approved. Another person must approve, too.").waitFor();
    await expectNoFault(ada, "an approval of the first person", "[data-request]");

    const bob = await enter(world, "bob", "operator");
    await bob.getByText("photos: 3 GB").waitFor();
    await expectNoFault(bob, "the question of the second person", "[data-request]");
    // An operator may not change the arguments or the agent.
    assert.equal(await bob.getByRole("button", { name: /Edit arguments|Always/ }).count(), 0);
    await bob.getByRole("button", { name: "Approve", exact: true }).click();
    await ada.getByText("All backups are good.").first().waitFor();
    await bob.getByText("Nothing is running.").waitFor();
    const memory = join(world.workspace.agentsDir, "backups.memory.md");
    assert.match(await Deno.readTextFile(memory), /photos: 3 GB/);

    const audit = ada.getByRole("navigation", { name: "Views" }).getByRole("link", {
      name: "Audit",
    });
    await press(audit);
    const changes = ada.getByRole("table", { name: "Changes" });
    for (const name of ["ada", "bob"]) {
      await changes.getByRole("row", {
        name: new RegExp(`^answered a question: backups, .* ${name} on the page`),
      }).waitFor();
    }
    await changes.getByRole("row", { name: /^changed a file: .*backups\.md .* ada on the page/ })
      .first().waitFor();
  },
);
