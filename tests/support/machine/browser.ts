// Starts and drives the system's Chromium for tests.
import fs from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserType, LaunchOptions } from "playwright-core";

/**
 * The paths of headless and full Chromium. The headless one is preferred: it takes half of the processor time, because it
 * draws no windows, bars and menus.
 */
export const CHROMIUM_PATHS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;
const CHROMIUM = CHROMIUM_PATHS.find(isThere);

export const hasChromium = CHROMIUM !== undefined;

/** A person's steps in a browser, with the expected result as a sentence. */
export type Scenario = readonly [name: string, play: (browser: Browser) => Promise<void>];

/** The browser that all tests of this thread share, after the first of them has started. */
let opened: Promise<TestBrowser> | undefined;
let closesBrowser = false;

/**
 * Registers a test, or one test for each scenario. The tests share a browser, because its start takes longer than most
 * tests.
 */
export function testInBrowser(name: string, play: Scenario[1] | readonly Scenario[]): void {
  if (typeof play !== "function") {
    for (const [sentence, one] of play) testInBrowser(`${name}: ${sentence}`, one);
    return;
  }
  if (!closesBrowser) Deno.test.afterAll(async () => await (await opened)?.[Symbol.asyncDispose]());
  closesBrowser = true;
  Deno.test({
    name,
    ignore: !hasChromium,
    fn: async () => await play((await (opened ??= openTestBrowser())).browser),
    // The connection to the shared browser stays open after the test.
    sanitizeOps: false,
    sanitizeResources: false,
  });
}

/** A running browser. */
export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
}

/**
 * A script that starts Chromium with umask 022. Test files are threads of one process: two threads that open a socket at
 * once may leave its umask at 177, and Chromium crashes with that umask.
 */
const LAUNCHER = `#!/bin/sh\numask 022\nexec ${CHROMIUM} "$@"\n`;

/** Starts a browser. It resolves no host names and reaches only 127.0.0.1. */
export async function openTestBrowser(): Promise<TestBrowser> {
  const chromium = await loadDriver();
  await using opened = new AsyncDisposableStack();
  const browser = await chromium.launch(await launchOptions(opened));
  opened.defer(() => browser.close());
  const close = opened.move();
  return { browser, [Symbol.asyncDispose]: () => close.disposeAsync() };
}

/** Returns the options to start a browser. `opened` removes the folder that they name. */
async function launchOptions(opened: AsyncDisposableStack): Promise<LaunchOptions> {
  const folder = await Deno.makeTempDir({ prefix: "inkling-browser-" });
  opened.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.chmod(folder, 0o700);
  const launcher = join(folder, "chromium");
  await Deno.writeTextFile(launcher, LAUNCHER);
  await Deno.chmod(launcher, 0o700);
  return {
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
  };
}

/** Loads the driver in a program with all permissions, because the driver reads files below /proc while it loads. */
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

function isThere(path: string): boolean {
  return fs.existsSync(path);
}
