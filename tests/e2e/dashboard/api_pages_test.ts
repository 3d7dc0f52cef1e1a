// Tests of the API documentation's pages in a browser that can reach only the service.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Browser } from "playwright-core";
import { describeApi } from "../../../api/operations/openapi.ts";
import { loadOperations } from "../../../api/routes/operations.ts";
import { testInBrowser } from "../../support/machine/browser.ts";
import { createTestService } from "../../support/test_service.ts";
import { until } from "../../support/until.ts";

const OPERATIONS = await loadOperations();

/** SHA-256 hashes of the files in the npm packages. */
const CHECKSUMS = {
  "swagger-ui-bundle.js": "e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2",
  "swagger-ui.css": "5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d",
  "redoc.standalone.js": "1320f442151c57c447d3b70c7ffc6c4f86d08464020fe34c8cc5d3164e9944f0",
};

Deno.test("server/docs_assets holds the files of the packages, unchanged", () => {
  for (const [name, checksum] of Object.entries(CHECKSUMS)) {
    const path = new URL(`../../../server/docs_assets/${name}`, import.meta.url);
    const found = createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
    assert.equal(found, checksum, name);
  }
});

/** A viewer of the API's description. */
interface Viewer {
  path: string;
  /** The described operations. Redoc draws all details of each one, so it gets a sample. */
  operations: typeof OPERATIONS;
}

const VIEWERS: readonly Viewer[] = [
  { path: "/docs", operations: OPERATIONS },
  { path: "/redoc", operations: OPERATIONS.filter((_, at) => at % 10 === 0) },
];

/** Opens a page and waits until it shows the operations. Fails on errors and on requests to other hosts. */
async function showOperations(
  browser: Browser,
  base: string,
  { path, operations }: Viewer,
): Promise<void> {
  await using context = await browser.newContext({ extraHTTPHeaders: { "x-api-key": "key" } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !/^(data|blob):/.test(url)) complaints.push(`requested: ${url}`);
  });
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  if (operations !== OPERATIONS) {
    const json = describeApi(operations, { version: "1.2.3" });
    await page.route("**/openapi.json", (route) => route.fulfill({ json }));
  }
  await page.goto(`${base}${path}`);
  const summaries = operations.map(({ summary }) => summary);
  // Waits for the last operation first, because reading the whole text repeatedly slows down the rendering.
  await page.getByText(summaries.at(-1) ?? "").first().waitFor({ state: "attached" });
  const isShown = `${
    JSON.stringify(summaries)
  }.every((it) => document.body.textContent.includes(it))`;
  await until(async () => Boolean(await page.evaluate(isShown)), `${path} shows the operations`);
  assert.deepEqual(complaints, []);
}

testInBrowser(
  "/docs and /redoc show operations and request nothing from other hosts",
  async (browser) => {
    await using on = await createTestService();
    const { ports: [port] } = await on.start({ tcp: { port: 0, apiKey: "key" } });
    for (const viewer of VIEWERS) {
      await showOperations(browser, `http://127.0.0.1:${port}`, viewer);
    }
  },
);
