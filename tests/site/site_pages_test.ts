// Tests of the documentation site in a browser that can reach only the service: axe, search, theme, copy buttons, and the
// content security policy.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { testInBrowser } from "../support/machine/browser.ts";
import { expectNoFault } from "../support/machine/expect_no_fault.ts";
import { createTestService } from "../support/test_service.ts";

/** Opens the site. Fails on errors, refused resources, and requests to other hosts. */
async function onSite(
  browser: Browser,
  visit: (page: Page, base: string) => Promise<void>,
): Promise<void> {
  await using on = await createTestService();
  const { ports: [port] } = await on.start({ tcp: { port: 0, apiKey: "key" } });
  const base = `http://127.0.0.1:${port}/docs/guide/`;
  await using context = await browser.newContext({
    extraHTTPHeaders: { "x-api-key": "key" },
    permissions: ["clipboard-read", "clipboard-write"],
    colorScheme: "light",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith("data:")) complaints.push(`requested: ${url}`);
  });
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await visit(page, base);
  assert.deepEqual(complaints, []);
}

testInBrowser("site", [
  [
    "axe finds no fault in its pages, and the search finds a section, whose link opens the page there",
    (browser) =>
      onSite(browser, async (page, base) => {
        await page.goto(base);
        await expectNoFault(page, "the first page");
        await page.keyboard.press("/");
        await page.keyboard.type("catch_up missed");
        const first = page.locator("#search li a").first();
        await first.waitFor();
        assert.match(await page.locator("#search p").textContent() ?? "", /^\d+ results$/);
        await expectNoFault(page, "the search", "#search");
        await page.getByRole("link", { name: /^Triggers: Schedules/ }).click();
        await page.waitForURL(`${base}triggers.html#schedules`);
        assert.match(await page.title(), /^Triggers/);
        await expectNoFault(page, "the tables of the reference", "main table:first-of-type");
        await page.goto(`${base}file-examples-my-own-tools.html`);
        await expectNoFault(page, "the file of an example", "main");
      }),
  ],
  [
    "the chosen theme applies to all pages, and a button copies code",
    (browser) =>
      onSite(browser, async (page, base) => {
        await page.goto(`${base}every-morning.html`);
        const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
        const light = await background();
        await page.getByRole("button", { name: "Dark" }).click();
        const dark = await background();
        assert.notEqual(dark, light);
        await page.getByRole("link", { name: /^Next:/ }).click();
        await page.waitForURL(`${base}when-a-file-arrives.html`);
        assert.equal(await background(), dark);
        await page.getByRole("button", { name: "Copy" }).nth(1).click();
        await page.getByRole("button", { name: "Copied" }).waitFor();
        assert.match(
          String(await page.evaluate("navigator.clipboard.readText()")),
          /^inkling validate letters\n/,
        );
      }),
  ],
]);
