// The pages of the API's documentation, in a real browser that has no network but the service.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Browser, BrowserContext } from "playwright-core";
import { OPERATIONS } from "../../server/operations/operations.ts";
import { testInBrowser } from "../support/machine/browser.ts";
import { createTestService } from "../support/test_service.ts";
import { until } from "../support/until.ts";

/** What the pages load is what the packages hold. */
const CHECKSUMS = {
  "swagger-ui-bundle.js": "e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2",
  "swagger-ui.css": "5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d",
  "redoc.standalone.js": "1320f442151c57c447d3b70c7ffc6c4f86d08464020fe34c8cc5d3164e9944f0",
};

Deno.test("server/docs_assets holds the files of the packages, unchanged", () => {
  for (const [name, checksum] of Object.entries(CHECKSUMS)) {
    const path = new URL(`../../server/docs_assets/${name}`, import.meta.url);
    const found = createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
    assert.equal(found, checksum, name);
  }
});

/** What a browser reports of one page. */
interface PageReport {
  /** Failed requests, errors on the console, exceptions. */
  complaints: string[];
  requests: string[];
}

/** Opens a page, waits until it shows every operation, and closes it. */
async function openPage(context: BrowserContext, address: string): Promise<PageReport> {
  const page = await context.newPage();
  const report: PageReport = { complaints: [], requests: [] };
  page.on("request", (request) => report.requests.push(request.url()));
  page.on("requestfailed", (request) => report.complaints.push(`failed: ${request.url()}`));
  page.on("console", (line) => {
    if (line.type() === "error") report.complaints.push(line.text());
  });
  page.on("pageerror", (error) => report.complaints.push(String(error)));
  await page.goto(address);
  // Polling the text of a whole page would slow down its rendering.
  const last = page.getByText(OPERATIONS.at(-1)?.summary ?? "").first();
  await last.waitFor({ state: "attached" });
  await until(async () => {
    const text = await page.locator("body").innerText();
    return OPERATIONS.every(({ summary }) => text.includes(summary));
  }, `${address} shows every operation`);
  await page.close();
  return report;
}

async function showOperations(browser: Browser, path: string): Promise<void> {
  await using on = await createTestService();
  const { ports: [port] } = await on.start({ tcp: { port: 0, apiKey: "key" } });
  const base = `http://127.0.0.1:${port}`;
  const context = await browser.newContext({ extraHTTPHeaders: { "x-api-key": "key" } });
  context.setDefaultTimeout(60_000);
  try {
    const { complaints, requests } = await openPage(context, `${base}${path}`);
    assert.deepEqual(complaints, []);
    const isForeign = (url: string) => !url.startsWith(base) && !/^(data|blob):/.test(url);
    assert.deepEqual(requests.filter(isForeign), []);
  } finally {
    await context.close();
  }
}

testInBrowser("the documentation shows every operation and requests nothing from other hosts", [
  ["/docs", (browser) => showOperations(browser, "/docs")],
  ["/redoc", (browser) => showOperations(browser, "/redoc")],
]);
