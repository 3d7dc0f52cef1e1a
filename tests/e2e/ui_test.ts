// `inkling ui` as a real process, before a real service, and with a real browser where there is one.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { testInBrowser } from "../support/browser.ts";
import { createRealHome, type RealHome, untilFound } from "./real_process.ts";

/** The command, running. */
interface RunningUi extends AsyncDisposable {
  /** With the one-time token. */
  readonly address: string;
  readonly origin: string;
  /** Presses Ctrl+C; what the command printed, and its exit code. */
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

/** Opens the address as a browser does and returns its cookie. */
async function enter({ address }: RunningUi): Promise<string> {
  const response = await fetch(address, { redirect: "manual" });
  await response.body?.cancel();
  assert.equal(response.status, 303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

Deno.test("ui starts the service, lets one browser in, passes streams on live, and ends with 130", async () => {
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
    await (await call("/agents/daily/run", { method: "POST", body: "{}" }))
      .json();
  // The stream is still open: what arrives arrives as it happens.
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
  // The service lives on, and its log knows no token.
  using client = home.client();
  const { log_file } = await client.info();
  const token = new URL(ui.address).searchParams.get("token") ?? "";
  assert.ok(!(await Deno.readTextFile(log_file)).includes(token));
});

Deno.test("ui tells a browser when the service is gone, and works on with the next one", async () => {
  await using home = await createRealHome();
  await using ui = await startUi(home, ["--no-open"]);
  const cookie = await enter(ui);
  const info = () => fetch(`${ui.origin}/info`, { headers: { cookie } });
  const first = await (await info()).json();
  await home.inkling("stop");
  const gone = await info();
  assert.equal(gone.status, 502);
  assert.match((await gone.json()).detail, /^The service does not answer/);
  await home.inkling("start", "-d");
  const second = await (await info()).json();
  assert.notEqual(second.pid, first.pid);
});

testInBrowser("ui in a real browser", [
  ["the address that it prints shows the dashboard", async (browser) => {
    await using home = await createRealHome();
    await using ui = await startUi(home, ["--no-open"]);
    const page = await browser.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (line) => {
      if (line.type() === "error") complaints.push(line.text());
    });
    page.on("request", (request) => requests.push(request.url()));
    // A service that was just started answers when it can.
    page.setDefaultTimeout(60_000);
    await page.goto(ui.address);
    await page.getByText("Nothing is running.").waitFor();
    assert.equal(page.url(), `${ui.origin}/ui`);
    assert.deepEqual(complaints, []);
    // The token went to its own address alone.
    const token = new URL(ui.address).searchParams.get("token") ?? "";
    assert.deepEqual(requests.filter((url) => url.includes(token)), [ui.address]);
    assert.ok(requests.every((url) => url.startsWith(`${ui.origin}/`) || url.startsWith("data:")));
    assert.equal((await ui.end()).code, 130);
    await page.getByText("Connection lost.").first().waitFor();
    await page.context().close();
  }],
  [
    "the file that it has opened shows the dashboard, and its arguments hold no token",
    async (browser) => {
      await using home = await createRealHome();
      const opener = join(home.root, "bin/xdg-open");
      await Deno.mkdir(dirname(opener));
      await Deno.writeTextFile(opener, `#!/bin/sh\nprintf %s "$*" > ${home.root}/opened\n`);
      await Deno.chmod(opener, 0o755);
      const surroundings = { DISPLAY: ":0", PATH: `${dirname(opener)}:${Deno.env.get("PATH")}` };
      await using ui = await startUi(home, [], surroundings);
      const opened = await untilFound(
        "what was opened",
        () => Deno.readTextFile(join(home.root, "opened")).catch(() => undefined),
      );
      assert.match(opened, /^file:\/\/\/\S+\.html$/);
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(opened);
      await page.getByText("Nothing is running.").waitFor();
      assert.equal(page.url(), `${ui.origin}/ui`);
      await page.context().close();
    },
  ],
]);
