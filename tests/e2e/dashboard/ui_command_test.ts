// Tests of `inkling ui` as a process with a real service, and with a browser if one is installed.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { testInBrowser as test } from "../../support/machine/browser.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { createRealHome, type RealHome, untilFound } from "../real_process.ts";

/** A running `inkling ui`. */
interface RunningUi extends AsyncDisposable {
  /** The printed address, which contains the one-time token. */
  readonly address: string;
  readonly origin: string;
  /** Presses Ctrl+C. Returns the printed text and the exit code. */
  end(): Promise<{ code: number; stdout: string }>;
}

async function startUi(
  home: RealHome,
  args: string[],
  surroundings: Record<string, string> = {},
): Promise<RunningUi> {
  const child = await home.spawn(["ui", ...args], { env: surroundings });
  const read = async (stream: ReadableStream<Uint8Array>, take: (text: string) => void) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
  };
  let stdout = "";
  let stderr = "";
  const reading = Promise.all([
    read(child.stdout, (text) => stdout += text),
    read(child.stderr, (text) => stderr += text),
  ]);
  let hasEnded = false;
  const ended = child.status.finally(() => hasEnded = true);
  const end = async () => {
    if (!hasEnded) child.kill("SIGINT");
    const { code } = await ended;
    await reading;
    return { code, stdout };
  };
  const address = await untilFound("the address", () => {
    if (hasEnded) throw new Error(`It ended without one: ${stderr}`);
    return Promise.resolve(/^(http:\S+)\n/.exec(stdout)?.[1]);
  }).catch((cause) => {
    if (!hasEnded) child.kill("SIGKILL");
    throw new Error(`No address came; it says: ${stderr}`, { cause });
  });
  return {
    address,
    origin: new URL(address).origin,
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}

/** Opens the address like a browser and returns its cookie. */
async function enter({ address }: Pick<RunningUi, "address">): Promise<string> {
  const response = await fetch(address, { redirect: "manual" });
  await response.body?.cancel();
  assert.equal(response.status, 303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

Deno.test("ui starts the service, admits one browser, forwards streams live, and ends with 130", async () => {
  await using home = await createRealHome();
  await home.writeScript("daily", [{ say: "Done." }]);
  await using ui = await startUi(home, ["--no-open"]);
  const cookie = await enter(ui);
  const second = await fetch(ui.address, { redirect: "manual" });
  assert.equal(second.status, 403);
  await second.body?.cancel();

  const call = (path: string, init: RequestInit = {}) =>
    fetch(ui.origin + path, { ...init, headers: { cookie, "content-type": "application/json" } });
  const events = (await call("/events/stream")).body?.pipeThrough(new TextDecoderStream());
  const reader = events?.getReader();
  const { execution_id: id } =
    await (await call("/agents/daily/run", { method: "POST", body: "{}" })).json();
  // The stream is still open, and each event arrives at once.
  let seen = "";
  while (!seen.includes("event: execution_completed")) seen += (await reader?.read())?.value ?? "";
  assert.match(seen, /event: execution_started/);
  await reader?.cancel();
  const frames = await (await call(`/executions/${id}/stream`)).text();
  assert.match(frames, /^event: meta\ndata: .*\nid: \d+\n\n/);
  assert.match(frames, /event: complete\ndata: .*"status":"success"/);

  const { code, stdout } = await ui.end();
  assert.equal(code, 130);
  assert.equal(stdout, `${ui.address}\n`);
  await assert.rejects(fetch(ui.origin), TypeError);
  // The service keeps running after `ui`, and its log contains no token.
  using client = home.client();
  const { log_file } = await client.info();
  const token = new URL(ui.address).searchParams.get("token") ?? "";
  assert.ok(!(await Deno.readTextFile(log_file)).includes(token));
});

Deno.test("ui --background serves the page in the background until --stop", async () => {
  await using home = await createRealHome();
  // Stops the background page, even if the test fails.
  await using _end = { [Symbol.asyncDispose]: async () => void await home.inkling("ui", "--stop") };
  const { code, stdout } = await home.inkling("ui", "--no-open", "--background");
  assert.equal(code, 0);
  const address = stdout.trim();
  const { origin } = new URL(address);
  const cookie = await enter({ address });
  const info = await fetch(`${origin}/info`, { headers: { cookie } });
  assert.ok(Number.isInteger((await info.json()).pid));
  const stopped = await home.inkling("ui", "--stop");
  assert.equal(stopped.code, 0);
  assert.match(stopped.stdout, /^Stopped serving the page/);
  await assert.rejects(fetch(origin), TypeError);
});

/** Opens a page in a new context, with a longer time limit for a loaded machine. */
async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  return await context.newPage();
}

test("ui: the opened file shows the dashboard; a used link shows instructions", async (browser) => {
  await using home = await createRealHome();
  const opener = join(home.root, "bin/xdg-open");
  await Deno.mkdir(dirname(opener));
  await Deno.writeTextFile(opener, `#!/bin/sh\nprintf %s "$*" > ${home.root}/opened\n`);
  await Deno.chmod(opener, 0o755);
  const surroundings = { DISPLAY: ":0", PATH: `${dirname(opener)}:${Deno.env.get("PATH")}` };
  await using ui = await startUi(home, [], surroundings);
  const opened = await untilFound(
    "the opened file",
    async () => await Deno.readTextFile(join(home.root, "opened")).catch(() => "") || undefined,
  );
  // The opened file, not an argument, contains the token, because other users can read a program's arguments.
  assert.match(opened, /^file:\/\/\/\S+\.html$/);
  const page = await openPage(browser);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(opened);
  await page.getByText("Nothing is running.").waitFor();
  assert.equal(page.url(), `${ui.origin}/ui`);
  assert.deepEqual(complaints, []);
  const isOurs = (url: string) => url.startsWith(`${ui.origin}/`) || url.startsWith("data:");
  assert.ok(requests.every((url) => url === opened || isOurs(url)), requests.join());

  const other = await openPage(browser, { bypassCSP: true });
  await other.goto(ui.address);
  await other.getByRole("heading", { name: "This link has been used" }).waitFor();
  await expectNoFault(other, "a refusal", ":root");
  await other.context().close();
  await home.inkling("stop");
  await page.getByText("Connection lost.").first().waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "The service does not answer" }).waitFor();
  await page.context().close();
  assert.equal((await ui.end()).code, 130);
});
