// Runs the dashboard in a browser with a real service on a port, and records the page's errors.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { SystemClock } from "../../../base/clock.ts";
import { openLogFile } from "../../../runtime/service_log/log_file.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { makeStateDir } from "../../../runtime/storage/state_dir/state_dir.ts";
import { serve, type Service } from "../../../server/mod.ts";
import { loadOperations } from "../../../api/routes/operations.ts";
import { testInBrowser } from "../../support/machine/browser.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

const OPERATIONS = await loadOperations();

/** The time limit of one step in milliseconds, also on a loaded machine. */
const PATIENCE_MS = 60_000;
/** The API key of the service's port. */
export const API_KEY = "key";

/** A schedule that is not due during a test. */
const MINUTE = (new Date().getMinutes() + 20) % 60;
/** Front matter of an agent with a schedule. */
export const HOURLY =
  `trigger: { type: schedule, cron: "${MINUTE} * * * *", timezone: "Asia/Tokyo" }`;

/** A service that a test can stop and restart at the same address. */
export interface DashboardWorld extends AsyncDisposable {
  workspace: TestWorkspace;
  /** Returns the runtime of the running service. */
  runtime: () => Runtime;
  /** The origin: `http://127.0.0.1:port`. */
  origin: string;
  stopService(): Promise<void>;
  startService(): Promise<void>;
  /**
   * Opens a view, or an empty page for null, in the shared browser context or in one with `options`. Reuses the first page of the shared context after
   * its release, because loading a page takes fifteen times as long. Page errors and undocumented requests fail the last
   * test.
   */
  openPage(hash: string | null, options?: BrowserContextOptions): Promise<Page>;
  /** Releases the reused page and closes the other pages. */
  releasePages(): Promise<void>;
}

/**
 * Polls the page's state until it is as expected. Polls only twenty times a second, because each check costs the browser as
 * much as a click.
 */
export function untilSeen(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  return until(async () => {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return false;
  }, what);
}

/** The preparation of a service before a test opens a page. */
export interface WorldSetUp {
  /** Writes agents before the service reads them. */
  prepare: (workspace: TestWorkspace) => Promise<void>;
  /** Starts runs after the service has read the agents. */
  begin?: (runtime: Runtime) => Promise<void>;
}

/** A scenario with its name. */
export type DashboardScenario = readonly [
  name: string,
  play: (world: DashboardWorld) => Promise<void>,
];

/**
 * Registers a test for each scenario. The scenarios share a service, so each one checks only its own effects. After a
 * failed scenario the next one gets a new service.
 */
export function testInDashboard(
  name: string,
  { prepare, begin }: WorldSetUp,
  scenarios: readonly DashboardScenario[],
): void {
  let opened: Promise<DashboardWorld> | undefined;
  let left = scenarios.length;
  const open = async (browser: Browser) => {
    const world = await openDashboardWorld(browser, prepare);
    await begin?.(world.runtime());
    return world;
  };
  const close = async () => {
    const world = await opened;
    opened = undefined;
    await world?.[Symbol.asyncDispose]();
  };
  testInBrowser(
    name,
    scenarios.map(([sentence, play]) => [sentence, async (browser) => {
      let isDone = false;
      try {
        const world = await (opened ??= open(browser));
        await play(world);
        await world.releasePages();
        isDone = true;
      } finally {
        left--;
        if (left === 0 || !isDone) await close();
      }
    }]),
  );
  // The hook also runs if a filter omits the last scenario. Hooks run in reverse order, so the browser is still open.
  Deno.test.afterAll(close);
}

/** Starts a service for pages of a browser. `prepare` writes agents before the service reads them. */
export async function openDashboardWorld(
  browser: Browser,
  prepare: (workspace: TestWorkspace) => Promise<void>,
): Promise<DashboardWorld> {
  await using opened = new AsyncDisposableStack();
  const workspace = opened.use(await createTestWorkspace());
  await prepare(workspace);
  await makeStateDir(workspace.stateDir);
  const complaints: string[] = [];
  let running = await startService(workspace, 0);
  let isRunning = true;
  const port = running.service.ports[0] ?? 0;
  const stop = async () => {
    if (!isRunning) return;
    isRunning = false;
    await stopService(running);
  };
  opened.defer(stop);
  const origin = `http://127.0.0.1:${port}`;
  const contexts: BrowserContext[] = [];
  const requests = new Set<string>();
  let shared: Promise<BrowserContext> | undefined;
  const openContext = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({
      extraHTTPHeaders: { "x-api-key": API_KEY },
      // Animations are off, because each frame costs time.
      reducedMotion: "reduce",
      ...options,
    });
    contexts.push(context);
    context.setDefaultTimeout(PATIENCE_MS);
    context.on("request", (request) => {
      const { pathname } = new URL(request.url());
      const isOurs = request.url().startsWith(origin) &&
        !/^\/(ui|login|logout|sign-in\/callback)\b/.test(pathname);
      if (isOurs) requests.add(`${request.method()} ${pathname}`);
    });
    return context;
  };
  let reused: Page | undefined;
  let isTaken = false;
  const releasePages = async () => {
    const pages = contexts.flatMap((context) => context.pages());
    // A route handler may run while its page closes.
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
    await Promise.all(pages.filter((page) => page !== reused).map((page) => page.close()));
    isTaken = false;
    if (reused === undefined) return;
    for (const event of ["request", "response"]) reused.removeAllListeners(event);
    await reused.keyboard.press("Escape");
    await reused.mouse.move(0, 0);
    await reused.setViewportSize({ width: 1_280, height: 720 });
    await reused.emulateMedia({ colorScheme: null });
    await reused.evaluate('location.hash = "#/nowhere"');
  };
  // Pages are closed first: a stopping service waits for its streams, which end with their pages.
  opened.defer(async () => {
    await releasePages();
    await Promise.all(contexts.map((context) => context.close()));
  });
  const resources = opened.move();
  return {
    workspace,
    runtime: () => running.runtime,
    origin,
    stopService: stop,
    async startService() {
      running = await startService(workspace, port);
      isRunning = true;
    },
    releasePages,
    async openPage(hash, options) {
      if (hash !== null && options === undefined && reused !== undefined && !isTaken) {
        isTaken = true;
        if (reused.url().startsWith(`${origin}/ui`)) {
          await reused.evaluate(`location.hash = ${JSON.stringify(hash)}`);
        } else await reused.goto(`${origin}/ui${hash}`);
        return reused;
      }
      const context = options === undefined
        ? await (shared ??= openContext({}))
        : await openContext(options);
      const page = await context.newPage();
      if (options === undefined && reused === undefined) {
        reused = page;
        isTaken = true;
      }
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (line) => {
        // Network errors are caused by the test. Other errors, such as violations of the content security policy, are the
        // page's.
        const isNetwork = /Failed to load resource|net::ERR|blocked by CORS policy/.test(
          line.text(),
        );
        if (line.type() === "error" && !isNetwork) complaints.push(line.text());
      });
      if (hash !== null) await page.goto(`${origin}/ui${hash}`);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await resources.disposeAsync();
      assert.deepEqual(complaints, [], "the page complained");
      const isDescribed = (request: string) => DESCRIBED.some((known) => known.test(request));
      const strange = [...requests].filter((request) => !isDescribed(request));
      assert.deepEqual(strange, [], "the page requests only what the API describes");
    },
  };
}

/** Writes `asker`, an agent that asks for a name and repeats it. */
export const writeAsker = ({ writeScript }: TestWorkspace): Promise<void> =>
  writeScript("asker", [
    { call: [{ name: "ask_user", arguments: { question: "Which name?", kind: "input" } }] },
    { say: "Heard: {result}" },
  ]);

const DESCRIBED = OPERATIONS.map(({ method, path }) =>
  new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
);

interface Running {
  service: Service;
  runtime: Runtime;
  log: Disposable;
}

async function startService(workspace: TestWorkspace, port: number): Promise<Running> {
  const log = openLogFile(join(workspace.stateDir, "inkling.log"), { clock: new SystemClock() });
  const settings = await workspace.settings();
  const runtime = await workspace.open({
    log,
    settings,
    authoring: async () =>
      (await import("../../../ops/authoring/editor_support.ts")).openAuthoring(settings),
  });
  const service = await serve(runtime, { tcp: { port, apiKey: API_KEY } });
  return { service, runtime, log };
}

async function stopService({ service, runtime, log }: Running): Promise<void> {
  await service.shutdown("requested");
  await runtime[Symbol.asyncDispose]();
  log[Symbol.dispose]();
}
