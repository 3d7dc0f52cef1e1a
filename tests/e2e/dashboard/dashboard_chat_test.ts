// Tests of chats and repeated runs in a browser.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { runToEnd } from "../../support/test_workspace.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import {
  type DashboardWorld,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
  writeAsker,
} from "./dashboard_world.ts";
import { isInSight, openFolds } from "./page_actions.ts";
import { addSlowAgent } from "./slow_agent.ts";

const message = (page: Page) => page.getByRole("textbox", { name: "Message" });

async function talk(world: DashboardWorld): Promise<void> {
  const long = Array.from({ length: 80 }, (_, index) => `- line ${index}`).join("\n");
  await using model = await addSlowAgent(world, [`Once **upon**\n\n${long}\n`, "\nThe end."]);
  const page = await world.openPage("#/chat");
  await page.setViewportSize({ width: 390, height: 740 });
  await page.getByRole("link", { name: "The Teller" }).click();
  await page.getByText("No messages yet.").waitFor();
  // The message field has the focus, so typed letters are no shortcuts.
  await page.keyboard.type("Tell me");
  await message(page).press("Shift+Enter");
  await message(page).blur();
  await page.keyboard.type("a shy nut");
  await message(page).press("Shift+Enter");
  await message(page).pressSequentially("of a dragon");
  await message(page).press("Enter");
  // The answer streams as Markdown, and Cancel is visible at every scroll position.
  await page.locator(".turn .prose strong", { hasText: "upon" }).waitFor();
  await page.getByText("line 79").waitFor();
  await page.locator(".mine").getByText("Tell me\na shy nut\nof a dragon").waitFor();
  assert.match(page.url(), /#\/chat\/teller\/[0-9a-f]{32}$/);
  const cancel = page.getByRole("button", { name: "Cancel", exact: true });
  await untilSeen(() => isInSight(cancel), "Cancel is in sight");
  await page.evaluate("scrollTo(0, 0)");
  assert.ok(await isInSight(cancel));
  assert.equal(await page.getByRole("button", { name: "Send" }).isEnabled(), false);
  const address = page.url();
  // The execution's view also shows the answer and Cancel at every scroll position.
  await page.getByRole("link", { name: /^execution \d+$/ }).click();
  await page.getByText("line 79").waitFor();
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await page.locator(".step.live .prose strong", { hasText: "upon" }).waitFor();
  assert.ok(await isInSight(cancel));
  await page.goto(address);
  await page.getByText("line 79").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled by user").waitFor();
  model.finish();
  await message(page).fill("Again");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("The end.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
  await message(page).fill("Again");
  await page.getByRole("button", { name: "Send" }).click();
  // Sending the same message again adds a turn.
  await page.locator(".turn").nth(2).waitFor();
  await untilSeen(async () => await page.getByText("The end.").count() === 2, "it answers again");
  const filter = { agentId: "teller", limit: 9, offset: 0 };
  const executions = await world.runtime().listExecutions(filter);
  assert.equal(executions.length, 3);
  assert.deepEqual(new Set(executions.map(({ sessionId }) => sessionId)).size, 1);
  assert.deepEqual(new Set(executions.map(({ trigger }) => trigger)), new Set(["chat"]));
}

async function goBetween(world: DashboardWorld): Promise<void> {
  const runtime = world.runtime();
  await runToEnd(runtime, "talker", { message: "First talk", sessionId: "one / two?" });
  await runToEnd(runtime, "talker", { message: "Second talk", sessionId: "three" });
  await runToEnd(runtime, "talker", { message: "No talk" });
  const page = await world.openPage("#/chat/talker");
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByRole("link", { name: "First talk" }).waitFor();
  assert.deepEqual(
    (await list.getByRole("listitem").allInnerTexts()).map((text) => text.split("\n")[0]),
    ["Second talk", "First talk"],
  );
  await list.getByRole("link", { name: "First talk" }).click();
  await page.locator(".turn .mine").getByText("First talk").waitFor();
  await page.reload();
  await page.locator(".turn .mine").getByText("First talk").waitFor();
  assert.equal(await page.locator(".turn").count(), 1);
  await message(page).fill("Third");
  await message(page).press("Enter");
  await page.locator(".turn").nth(1).waitFor();
  await untilSeen(
    async () =>
      (await runtime.listExecutions({ sessionId: "one / two?", limit: 5, offset: 0 })).length === 2,
    "the turn belongs to the conversation",
  );
  await list.getByRole("link", { name: "New conversation" }).click();
  await page.getByText("No messages yet.").waitFor();
  await message(page).fill("Fresh");
  await message(page).press("Enter");
  await list.getByRole("link", { name: "Fresh" }).waitFor();
  assert.equal(
    await list.locator("[aria-current=page]").innerText().then((text) => text.split("\n")[0]),
    "Fresh",
  );
  await page.goBack();
  await page.getByText("No messages yet.").waitFor();

  // The conversation contains the question and its form.
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Find" }).getByRole("combobox").fill("chat with asker");
  await page.getByRole("option", { name: "Chat with asker" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "asker" }).waitFor();
  await message(page).fill("Do ask");
  await message(page).press("Enter");
  await page.getByRole("textbox", { name: "Your answer" }).fill("Ada");
  assert.equal(await page.getByRole("button", { name: "Cancel" }).count(), 1);
  await page.getByRole("textbox", { name: "Your answer" }).press("Control+Enter");
  await page.locator(".turn").getByText("Heard: Ada").waitFor();
}

async function runAgain(world: DashboardWorld): Promise<void> {
  const runtime = world.runtime();
  const asked = { args: ["a\nb", " c "], message: "Do\nit", context: "Soon" };
  const { id } = await runToEnd(runtime, "worker", asked);
  const page = await world.openPage(`#/executions/${id}`);
  const next = async (at: number) => {
    await page.waitForURL(new RegExp(`#/executions/${at}$`));
    return await runtime.getExecution(at);
  };
  await page.getByRole("button", { name: "Run again", exact: true }).click();
  const again = await next(id + 1);
  assert.deepEqual({ args: again.args, message: again.message, context: again.context }, asked);
  assert.deepEqual([again.trigger, again.sessionId], ["manual", null]);
  await page.getByRole("button", { name: "Run again with changes" }).click();
  const dialog = page.getByRole("dialog");
  assert.deepEqual(JSON.parse(await dialog.getByLabel("Arguments").inputValue()), asked.args);
  assert.equal(await dialog.getByLabel("Message").inputValue(), "Do\nit");
  assert.equal(await dialog.getByLabel("Context").inputValue(), "Soon");
  await dialog.getByLabel("Arguments").fill('["a", 1]');
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await dialog.getByRole("alert").getByText("JSON list of texts").waitFor();
  await dialog.getByLabel("Arguments").fill('["a"]');
  await dialog.getByLabel("Message").fill("Do it now");
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  const changed = await next(id + 2);
  assert.deepEqual([changed.args, changed.message, changed.context], [["a"], "Do it now", "Soon"]);

  // Running a turn again adds a turn to the conversation.
  await runToEnd(runtime, "worker", { message: "Hello", sessionId: "talk" });
  await page.evaluate(`location.hash = "#/executions/${id + 3}"`);
  await page.getByRole("link", { name: "talk", exact: true }).waitFor();
  await page.getByRole("button", { name: "Run again", exact: true }).click();
  const { trigger, sessionId, message } = await next(id + 4);
  assert.deepEqual([trigger, sessionId, message], ["chat", "talk", "Hello"]);
}

async function lookWithAxe(world: DashboardWorld): Promise<void> {
  await using _model = await addSlowAgent(world, ["Once **upon**", " a time."]);
  const runtime = world.runtime();
  for (const id of ["bad", "doer"]) {
    await runToEnd(runtime, id, { message: `A word ${"and another ".repeat(20)}`, sessionId: "s" });
  }
  await runtime.run("teller", { message: "Hello", sessionId: "s" });
  const page = await world.openPage("#/");
  for (
    const [id, text] of [["bad", "no luck"], ["doer", "Allow file_write?"], ["teller", "upon"]]
  ) {
    const hash = `#/chat/${id}/s`;
    await page.evaluate(`location.hash = "${hash}"`);
    await page.getByText(`${text}`).first().waitFor();
    await page.getByText("Loading …").first().waitFor({ state: "detached" });
    await openFolds(page);
    await expectNoFault(page, hash, id === "doer" ? undefined : "main");
  }
}

const SET_UP: WorldSetUp = {
  async prepare(workspace) {
    await workspace.writeScript("talker", [{ say: "You said: {message}" }]);
    await workspace.writeScript("worker", [{ say: "done" }]);
    await workspace.writeScript("bad", [{ fail: "no luck" }]);
    await workspace.writeScript("doer", [
      { call: [{ name: "file_write", arguments: { path: "a.md", content: "x\n" } }] },
      { say: "Done" },
    ]);
    await writeAsker(workspace);
  },
};

testInDashboard("dashboard: chat, and running again", SET_UP, [
  ["conversations are listed, have addresses, and contain their questions", goBetween],
  ["an execution is run again unchanged, and with changes", runAgain],
  ["a conversation streams, is canceled, and continues, on a phone", talk],
  ["axe finds no fault in the chat, in both themes and widths", lookWithAxe],
]);
