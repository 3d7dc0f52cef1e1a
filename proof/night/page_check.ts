// Checks in a real browser that the dashboard's start page shows each item of the recap.
import type { Page } from "playwright-core";
import { createLocalClient } from "../../app/local_client.ts";
import { serve } from "../../server/mod.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import { hasChromium, openTestBrowser } from "../../tests/support/machine/browser.ts";
import type { Night } from "./night_world.ts";

const API_KEY = "key";
/** The number of next runs that the page shows. */
const SHOWN_NEXT = 5;

/** A required line of the page: the list that contains the line, and the text. */
interface ExpectedLine {
  list: string;
  texts: readonly string[];
}

/** Returns the items of the last day's recap that the page does not show, or null if no browser is installed. */
export async function findNotOnPage({ runtime, clock }: Night): Promise<string[] | null> {
  if (!hasChromium) return null;
  using client = createLocalClient(runtime);
  const recap = await client.recap();
  const service = await serve(runtime, { tcp: { port: 0, apiKey: API_KEY } });
  try {
    await using opened = await openTestBrowser();
    const context = await opened.browser.newContext({ extraHTTPHeaders: { "x-api-key": API_KEY } });
    // Set the browser's clock to the morning of the simulated night.
    await context.clock.setFixedTime(clock.now());
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${service.ports[0]}/ui#/`);
    await page.getByRole("button", { name: "24 hours" }).click();
    await page.getByRole("region", { name: "Failed" }).waitFor();
    const missing = await findMissing(page, recap);
    // Close the page before the service, because a stopping service waits for open streams.
    await context.close();
    return missing;
  } finally {
    await service.shutdown("requested");
  }
}

async function findMissing(page: Page, recap: RecapBody): Promise<string[]> {
  const missing: string[] = [];
  for (const { list, texts } of toLines(recap)) {
    const item = page.getByRole("region", { name: list, exact: true })
      .locator("li, .request, .figure");
    const all = await item.allInnerTexts();
    const isReported = all.some((reported) =>
      texts.every((text) => flat(reported).includes(flat(text)))
    );
    if (!isReported) missing.push(`${list}: ${texts.join(", ")}`);
  }
  return missing;
}

function toLines(recap: RecapBody): ExpectedLine[] {
  const { executions, failures, waiting, not_run: notRun, stopped, downtimes, next } = recap;
  const figures = [
    ["Runs", executions.total, `${executions.succeeded} succeeded`],
    ["Failed", executions.failed],
    ["Cost", `$${recap.cost_usd?.toFixed(2)}`],
    ["Did not run", notRun.reduce((sum, { count }) => sum + count, 0)],
  ];
  return [
    ...figures.map((texts) => ({ list: "Since", texts: texts.map(String) })),
    ...failures.map(({ agent_id: agent, count, last_error: error }) => ({
      list: "Failed",
      texts: [agent, `${count} failure`, error.split("\n", 1)[0] ?? ""],
    })),
    ...waiting.map(({ agent_id: agent, message }) => ({
      list: "Waiting for you",
      texts: [agent, message],
    })),
    ...notRun.map(({ agent_id: agent, count, outcome, reason }) => ({
      list: "Did not run",
      texts: [agent, `${count} ${outcome}`, reason],
    })),
    ...stopped.map(({ agent_id: agent, reason }) => ({
      list: "Not running automatically",
      texts: [agent, reason],
    })),
    ...downtimes.map(({ to }) => ({
      list: "The service was not running",
      texts: [formatClock(to)],
    })),
    ...next.slice(0, SHOWN_NEXT).map(({ agent_id: agent, at }) => ({
      list: "Next runs",
      texts: [agent, formatClock(at)],
    })),
  ];
}

/** Returns the time of day as the page writes it, in this machine's time zone, which the browser uses. */
function formatClock(timestamp: string): string {
  return new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit" })
    .format(Date.parse(timestamp));
}

/** Returns the text with ordinary spaces: browsers put narrow and non-breaking spaces into times. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
