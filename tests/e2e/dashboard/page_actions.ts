// Actions on pages and questions about them that several tests share.
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { API_KEY, untilSeen } from "./dashboard_world.ts";

/** The options of a browser whose requests contain no key. */
export const WITHOUT_KEY: BrowserContextOptions = { extraHTTPHeaders: {} };

/** Sends a key on the log-in page. */
export async function logIn(page: Page, key = API_KEY): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Opens all collapsed sections of the view, and those within them. */
export async function openFolds(page: Page): Promise<void> {
  await untilSeen(async () =>
    await page.evaluate(`(() => {
      const folds = [...document.querySelectorAll("main .fold[aria-expanded=false]")]
        .filter((fold) => fold.checkVisibility());
      for (const fold of folds) fold.click();
      return folds.length;
    })()`) === 0, "all sections are open");
}

/** Returns a section of the page by its name. */
export function region(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

/** Returns true if the whole element is within the window. */
export async function isInSight(element: Locator): Promise<boolean> {
  const { height = 0 } = element.page().viewportSize() ?? {};
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}
