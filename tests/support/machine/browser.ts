// A real browser for tests: the system's Chromium, started and driven from here.
import fs from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserType } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

export const hasChromium = await Deno.stat(CHROMIUM).then(() => true, () => false);

/** The name of a test that needs the browser, or why it is skipped. */
function browserTest(name: string): { name: string; ignore: boolean } {
  return hasChromium
    ? { name, ignore: false }
    : { name: `${name} (skipped: there is no ${CHROMIUM})`, ignore: true };
}

/** What a person does in a browser, under a sentence that says what is to be seen. */
export type Scenario = readonly [name: string, play: (browser: Browser) => Promise<void>];

/** One test with a step for each scenario: they share a browser, whose start takes longer than most of them. */
export function testInBrowser(name: string, scenarios: readonly Scenario[]): void {
  Deno.test({
    ...browserTest(name),
    async fn(t) {
      await using opened = await openTestBrowser();
      for (const [sentence, play] of scenarios) {
        await t.step({
          name: sentence,
          fn: () => play(opened.browser),
          // The connection to the browser outlives a step; that nothing is left open the test as a whole shows.
          sanitizeOps: false,
          sanitizeResources: false,
        });
      }
    },
  });
}

/** A browser that runs. */
export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
}

/**
 * Test files are threads of one process and share its umask: two that open a socket at once may leave it at 177, and the
 * browser dies of that.
 */
const LAUNCHER = `#!/bin/sh\numask 022\nexec ${CHROMIUM} "$@"\n`;

/** Starts a browser that resolves no name: it reaches 127.0.0.1 and nothing else. */
export async function openTestBrowser(): Promise<TestBrowser> {
  const chromium = await loadDriver();
  const folder = await Deno.makeTempDir({ prefix: "inkling-browser-" });
  await Deno.chmod(folder, 0o700);
  const launcher = join(folder, "chromium");
  await Deno.writeTextFile(launcher, LAUNCHER);
  await Deno.chmod(launcher, 0o700);
  const browser = await chromium.launch({
    executablePath: launcher,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: 120_000,
  });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * The driver looks at files below /proc while it is loaded, which a program may only do that may do everything. It only
 * wants to know whether they exist.
 */
async function loadDriver(): Promise<BrowserType> {
  const { existsSync } = fs;
  fs.existsSync = (path) => {
    try {
      return existsSync(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) return false;
      throw error;
    }
  };
  try {
    const { chromium } = await import("playwright-core");
    return chromium;
  } finally {
    fs.existsSync = existsSync;
  }
}
