// A real browser for tests: the system's Chromium, started and driven from here.
import fs from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserType, LaunchOptions } from "playwright-core";

/** The first takes half of the processor time of the second, which also runs the windows, bars and menus of a browser. */
export const CHROMIUM_PATHS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;
const CHROMIUM = CHROMIUM_PATHS.find(isThere);

export const hasChromium = CHROMIUM !== undefined;

/** A person's steps in a browser, each with a sentence about the expected result. */
export type Scenario = readonly [name: string, play: (browser: Browser) => Promise<void>];

/** The browser of this thread's tests, once the first of them has begun. */
let opened: Promise<TestBrowser> | undefined;
let closesBrowser = false;

/** Registers a test, or one for each scenario. They share a browser, whose start takes longer than most of them. */
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
    // The connection to the browser outlives a test.
    sanitizeOps: false,
    sanitizeResources: false,
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

/** Starts a browser. It resolves no name: it reaches 127.0.0.1 and nothing else. */
export async function openTestBrowser(): Promise<TestBrowser> {
  const chromium = await loadDriver();
  await using opened = new AsyncDisposableStack();
  const browser = await chromium.launch(await launchOptions(opened));
  opened.defer(() => browser.close());
  const close = opened.move();
  return { browser, [Symbol.asyncDispose]: () => close.disposeAsync() };
}

/** The options to start a browser; the folder is removed with `opened`. */
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

/** The driver reads files below /proc while it is loaded, which only a program with all permissions may do. */
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
