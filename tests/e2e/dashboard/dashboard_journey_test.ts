// Tests a whole journey in a browser: from an empty workspace to a scheduled agent with a test case, a budget and an
// approval by a second person. It is made once with the mouse only, and once with the keyboard only. The first time also
// checks the accessibility of its views.
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

/** The ways in which a person uses a page. Texts are entered as a whole, as when they are pasted. */
interface Hand {
  press(target: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** Adds a text at the end of the first line of the editor, and another one at its end. */
  edit(text: Locator, first: string, last: string): Promise<void>;
  /** Opens the list of agents, and the question that waits. */
  goToAgents(page: Page): Promise<void>;
  approve(page: Page): Promise<void>;
  /** Checks the accessibility of a view. */
  check(page: Page, where: string, part: string): Promise<void>;
}

const MOUSE: Hand = {
  press: (target) => target.click(),
  async write(field, text) {
    await field.click();
    await field.page().keyboard.insertText(text);
  },
  async edit(text, first, last) {
    const lines = text.locator(".cm-line");
    const endOf = async (line: Locator, added: string) => {
      const box = await line.boundingBox();
      assert.ok(box !== null);
      await line.click({ position: { x: box.width - 5, y: box.height - 5 } });
      await text.page().keyboard.insertText(added);
    };
    await endOf(lines.first(), first);
    const editor = text.page().locator("[data-editor]");
    await untilSeen(async () => {
      await text.page().mouse.wheel(0, 10_000);
      const [box, line] = await Promise.all([editor.boundingBox(), lines.last().boundingBox()]);
      return box !== null && line !== null && line.y + line.height <= box.y + box.height;
    }, "the last line is scrolled into view");
    await endOf(lines.last(), last);
  },
  goToAgents: (page) =>
    page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Agents" }).click(),
  approve: (page) => page.getByRole("button", { name: "Approve", exact: true }).click(),
  check: expectNoFault,
};

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

const KEYBOARD: Hand = {
  async press(target) {
    await tabTo(target);
    await target.page().keyboard.press("Enter");
  },
  async write(field, text) {
    await tabTo(field);
    await field.page().keyboard.insertText(text);
  },
  async edit(text, first, last) {
    await tabTo(text);
    const { keyboard } = text.page();
    await keyboard.press("Control+Home");
    await keyboard.press("End");
    await keyboard.insertText(first);
    await keyboard.press("Control+End");
    await keyboard.insertText(last);
  },
  goToAgents: (page) => page.keyboard.press("a"),
  async approve(page) {
    await page.locator("[data-request]").waitFor();
    await untilSeen(async () => {
      await page.keyboard.press("j");
      return await page.locator("[data-request]:focus").count() > 0;
    }, "j goes to the question");
    await page.keyboard.press("y");
    // A call that may send or delete something needs a second press.
    await page.getByText("Press y again to approve memory_save.").waitFor();
    await page.keyboard.press("y");
  },
  check: () => Promise.resolve(),
};

/** Opens a view for a person, who logs in with a key of a role. */
async function enter(world: DashboardWorld, hand: Hand, name: string, role: Role): Promise<Page> {
  const keys = await world.runtime().keys();
  const person = { name, role, agents: null, lifeMs: null };
  const key = await keys.add(person, { via: "terminal" });
  const page = await world.openPage("#/", { extraHTTPHeaders: {} });
  await hand.write(page.getByLabel("API key"), key);
  await hand.press(page.getByRole("button", { name: "Log in" }));
  await page.getByRole("heading", { name: "Now", exact: true }).or(
    page.getByText("No agents yet").first(),
  ).first().waitFor();
  return page;
}

async function makeAgent(page: Page, hand: Hand): Promise<void> {
  await hand.goToAgents(page);
  await hand.check(page, "no agents", "main");
  await hand.press(page.getByRole("link", { name: "Files and gallery" }));
  await hand.press(page.getByRole("link", { name: "backup-check" }));
  const text = page.getByRole("textbox", { name: /^Text of / });
  await text.getByText(/Checks every morning/).waitFor();
  await hand.write(page.getByRole("textbox", { name: "Name" }), "backups");
  await hand.edit(text, `\n${FIELDS}`, SCRIPT);
  await page.getByText("No problems.").or(page.getByRole("list", { name: "Problems" })).first()
    .waitFor();
  // The new agent is tried before it is saved. A dry run needs no approval.
  const trial = page.getByRole("region", { name: "Try" });
  await hand.press(trial.getByRole("button", { name: "Try", exact: true }));
  await trial.getByText("All backups are good.").waitFor();
  await hand.press(page.getByRole("button", { name: "Save", exact: true }));
  const dialog = page.getByRole("dialog", { name: "Save New agent" });
  await hand.press(dialog.getByRole("button", { name: "Save", exact: true }));
  await page.waitForURL(/#\/edit\/agent\/backups$/);
  await hand.press(page.getByRole("button", { name: "Switch on" }));
  await page.getByRole("button", { name: "Switch off" }).waitFor();
  await hand.press(page.locator("main").getByRole("link", { name: "Agent", exact: true }));
}

async function seeAgent(page: Page, hand: Hand): Promise<void> {
  await page.getByText("every day at 08:30").first().waitFor();
  await page.locator(".figure", { hasText: "Next runs" }).waitFor();
  await page.getByRole("region", { name: "Budgets" }).getByText("of 200k tokens").waitFor();
  await page.getByText(/^Changed last by ada on the page /).waitFor();
  const tools = page.getByRole("table", { name: "Tools" });
  await tools.getByRole("row", { name: /memory_save.*asks/ }).waitFor();
  await hand.press(page.getByRole("button", { name: /Tests \d+ cases?$/ }));
  await page.getByRole("button", { name: /backups\/too-small$/ }).waitFor();
  await hand.check(page, "the new agent", "main");
}

async function travel(world: DashboardWorld, hand: Hand): Promise<void> {
  const ada = await enter(world, hand, "ada", "author");
  await makeAgent(ada, hand);
  await seeAgent(ada, hand);
  await hand.press(ada.getByRole("button", { name: "Run", exact: true }));
  const dialog = ada.getByRole("dialog");
  await hand.press(dialog.getByRole("button", { name: "Run", exact: true }));
  await ada.waitForURL(/#\/executions\/\d+$/);
  await hand.approve(ada);
  await ada.getByText("You have approved. Another person must approve, too.").waitFor();
  await hand.check(ada, "an approval of the first person", "[data-request]");

  const bob = await enter(world, hand, "bob", "operator");
  await bob.getByText("photos: 3 GB").waitFor();
  await hand.check(bob, "the question of the second person", "[data-request]");
  // An operator may not change the arguments or the agent.
  assert.equal(await bob.getByRole("button", { name: /Edit arguments|Always/ }).count(), 0);
  await hand.approve(bob);
  await ada.getByText("All backups are good.").first().waitFor();
  await bob.getByText("Nothing is running.").waitFor();
  const memory = join(world.workspace.agentsDir, "backups.memory.md");
  assert.match(await Deno.readTextFile(memory), /photos: 3 GB/);

  const audit = ada.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Audit" });
  await hand.press(audit);
  const changes = ada.getByRole("table", { name: "Changes" });
  for (const name of ["ada", "bob"]) {
    await changes.getByRole("row", {
      name: new RegExp(`^answered a question: backups, .* ${name} on the page`),
    }).waitFor();
  }
  await changes.getByRole("row", { name: /^changed a file: .*backups\.md .* ada on the page/ })
    .first().waitFor();
}

for (const [name, hand] of [["mouse", MOUSE], ["keyboard", KEYBOARD]] as const) {
  testInBrowser(
    `dashboard: from nothing to an agent that a second person approves, with the ${name} only`,
    async (browser) => {
      await using world = await openDashboardWorld(browser, () => Promise.resolve());
      await travel(world, hand);
    },
  );
}
