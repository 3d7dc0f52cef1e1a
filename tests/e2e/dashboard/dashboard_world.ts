// The dashboard in a real browser over a real service: a workspace, a port, a page that is told to complain.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { SystemClock } from "../../../base/clock.ts";
import { openLogFile } from "../../../runtime/service_log/log_file.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { makeStateDir } from "../../../runtime/storage/state_dir/state_dir.ts";
import { serve, type Service } from "../../../server/mod.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

/** Far more than a loaded machine takes for one step. */
const PATIENCE_MS = 60_000;
/** The key of the service's port. */
export const API_KEY = "key";

/** A service that can be stopped and started again at its address. */
export interface DashboardWorld extends AsyncDisposable {
  workspace: TestWorkspace;
  /** The runtime of the service that runs now. */
  runtime: () => Runtime;
  /** `http://127.0.0.1:port` */
  origin: string;
  stopService(): Promise<void>;
  startService(): Promise<void>;
  /** Opens a view, in the shared context or in one with `options`. Errors of the page fail the test at its end. */
  openPage(hash: string, options?: BrowserContextOptions): Promise<Page>;
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
  const contexts: BrowserContext[] = [];
  let shared: Promise<BrowserContext> | undefined;
  const openContext = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({
      extraHTTPHeaders: { "x-api-key": API_KEY },
      ...options,
    });
    contexts.push(context);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  // Streams end with their pages, and a service that stops waits for its streams.
  opened.defer(async () => {
    // A route handler that still runs may find its page closed.
    const pages = contexts.flatMap((context) => context.pages());
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
    await Promise.all(contexts.map((context) => context.close()));
  });
  const origin = `http://127.0.0.1:${port}`;
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
    async openPage(hash, options) {
      const context = options === undefined
        ? await (shared ??= openContext({}))
        : await openContext(options);
      const page = await context.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (line) => {
        // What the network does is the test's doing; what the page does wrong (its policy broken, for one) is not.
        const isNetwork = /Failed to load resource|net::ERR|blocked by CORS policy/.test(
          line.text(),
        );
        if (line.type() === "error" && !isNetwork) complaints.push(line.text());
      });
      await page.goto(`${origin}/ui${hash}`);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await resources.disposeAsync();
      assert.deepEqual(complaints, [], "the page complained");
    },
  };
}

/** Starts a service with one agent, `worker`, that says "done". */
export const openWorkerWorld = (browser: Browser): Promise<DashboardWorld> =>
  openDashboardWorld(browser, ({ writeScript }) => writeScript("worker", [{ say: "done" }]));

/** Writes `asker`, an agent that asks for a name and repeats it. */
export const writeAsker = ({ writeScript }: TestWorkspace): Promise<void> =>
  writeScript("asker", [
    { call: [{ name: "ask_user", arguments: { question: "Which name?", kind: "input" } }] },
    { say: "Heard: {result}" },
  ]);

interface Running {
  service: Service;
  runtime: Runtime;
  log: Disposable;
}

async function startService(workspace: TestWorkspace, port: number): Promise<Running> {
  const log = openLogFile(join(workspace.stateDir, "inkling.log"), { clock: new SystemClock() });
  const runtime = await workspace.open({ log });
  const service = await serve(runtime, { tcp: { port, apiKey: API_KEY } });
  return { service, runtime, log };
}

async function stopService({ service, runtime, log }: Running): Promise<void> {
  await service.shutdown("requested");
  await runtime[Symbol.asyncDispose]();
  log[Symbol.dispose]();
}

/** A model endpoint that says half a sentence and waits to be let go on. */
export interface SlowModel extends AsyncDisposable {
  /** Front matter of an agent that is told by it. */
  frontMatter: string;
  /** Lets the reply come to its end. */
  finish(): void;
}

/** Starts such an endpoint; its reply is `halves`, the second behind `finish`. */
export function openSlowModel(halves: readonly [string, string]): SlowModel {
  const gate = Promise.withResolvers<void>();
  const chunk = (content: string, finish: string | null) =>
    new TextEncoder().encode(
      `data: ${
        JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })
      }\n\n`,
    );
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(chunk(halves[0], null));
        await gate.promise;
        controller.enqueue(chunk(halves[1], "stop"));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  return {
    frontMatter:
      `model: { provider: local, name: slow, base_url: "http://127.0.0.1:${server.addr.port}/v1" }`,
    finish: () => gate.resolve(),
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await server.shutdown();
    },
  };
}
