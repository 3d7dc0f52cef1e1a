// A browser without a network looks at pages and reports, as JSON, what it saw. A program of its own, because the
// driver of the browser wants every permission: deno run -A docs_browser.ts <chromium> <key> <address>...
import { chromium } from "playwright-core";

/** What the browser tells of one page. */
export interface PageReport {
  address: string;
  text: string;
  /** Failed requests, errors on the console, exceptions. */
  complaints: string[];
  requests: string[];
}

async function look(executable: string, key: string, addresses: string[]): Promise<PageReport[]> {
  const browser = await chromium.launch({
    executablePath: executable,
    // Names lead nowhere: what is not the service fails, and shows.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
  const context = await browser.newContext({ extraHTTPHeaders: { "x-api-key": key } });
  const reports: PageReport[] = [];
  for (const address of addresses) {
    const page = await context.newPage();
    const report: PageReport = { address, text: "", complaints: [], requests: [] };
    page.on("request", (request) => report.requests.push(request.url()));
    page.on("requestfailed", (request) => report.complaints.push(`failed: ${request.url()}`));
    page.on("console", (line) => {
      if (line.type() === "error") report.complaints.push(line.text());
    });
    page.on("pageerror", (error) => report.complaints.push(String(error)));
    await page.goto(address);
    await page.waitForLoadState("networkidle");
    report.text = await page.locator("body").innerText();
    reports.push(report);
    await page.close();
  }
  await browser.close();
  return reports;
}

if (import.meta.main) {
  const [executable = "", key = "", ...addresses] = Deno.args;
  console.log(JSON.stringify(await look(executable, key, addresses)));
}
