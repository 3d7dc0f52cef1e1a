// Tests that the README's first command leaves nothing behind: without a terminal, at a terminal, and after an
// interruption.
import assert from "node:assert/strict";
import { join } from "node:path";
import denoJson from "../../deno.json" with { type: "json" };
import { isAlive } from "../e2e/real_process.ts";
import { testInTerminal } from "../e2e/terminal/real_terminal.ts";
import { REPOSITORY } from "../support/repository.ts";
import { until } from "../support/until.ts";
import { WatchedDemo } from "./watched_demo.ts";

/** A running demo with its own temporary folder. Disposing kills it. */
class RunningDemo implements AsyncDisposable {
  readonly directory: string;
  readonly child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  stdout = "";

  private constructor(directory: string) {
    this.directory = directory;
    const [, ...args] = denoJson.tasks.demo.command.split(" ");
    this.child = new Deno.Command(Deno.execPath(), {
      args,
      cwd: REPOSITORY,
      env: { TMPDIR: directory, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#reading = this.#read();
  }

  static async start(): Promise<RunningDemo> {
    return new RunningDemo(await Deno.makeTempDir({ prefix: "inkling-demo-test-" }));
  }

  async #read(): Promise<void> {
    for await (const text of this.child.stdout.pipeThrough(new TextDecoderStream())) {
      this.stdout += text;
    }
  }

  /** Waits for the demo's end and returns its exit code. Fails if a process or file remains. */
  async ended(): Promise<number> {
    const { code } = await this.child.status;
    await this.#reading;
    assert.deepEqual([...Deno.readDirSync(this.directory)].map(({ name }) => name), []);
    const pid = Number(/running \(PID (\d+)\)/.exec(this.stdout)?.[1] ?? 0);
    if (pid > 0) assert.equal(await isAlive(pid), false, "the service runs on");
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }
}

Deno.test("the demo runs to its end without a person and leaves nothing behind", async () => {
  await using demo = await RunningDemo.start();
  assert.equal(await demo.ended(), 0, demo.stdout);
  const story = [
    ...["This one is agents/reporter.md", "$ inkling run editor"],
    ...['$ inkling respond 1 --choice "Keep it"', "Your answer: Keep it.", "# Report on notes.md"],
    ...["$ echo Hello > inbox/letter.md", "- A letter has arrived."],
    ...["$ inkling ui --no-open\n\nhttp://127.0.0.1:", "Inkling has stopped"],
  ];
  const next = ["run reporter", "ui"];
  const command = `npx -y deno@${Deno.version.deno} task inkling`;
  const parts = [...story, ...next.map((words) => `${command} ${words}`)];
  const places = parts.map((part) => demo.stdout.indexOf(part));
  assert.deepEqual(places, places.toSorted((a, b) => a - b), demo.stdout);
  assert.ok(!places.includes(-1), demo.stdout);
  const long = demo.stdout.split("\n").filter((line) => line.length > 80);
  // Without a terminal, paths and calls are not shortened. All other lines must be short.
  assert.deepEqual(long.filter((line) => !/(\/\S{30,}|^→ .*)$/.test(line)), []);
});

Deno.test("the demo cleans up after a signal during its start", async () => {
  await using demo = await RunningDemo.start();
  const moment = "$ inkling start";
  await until(() => demo.stdout.includes(moment), moment);
  demo.child.kill("SIGINT");
  assert.equal(await demo.ended(), 130, demo.stdout);
});

testInTerminal("the demo ends at a signal to its process at its question", async () => {
  await using demo = await WatchedDemo.start();
  await demo.terminal.waitFor(/● Keep it/);
  await demo.terminal.signal("SIGTERM");
  await demo.endsWith(143);
});

testInTerminal(
  "the demo opens the page at each Enter, with a schedule, a watch, a question and a budget, and Ctrl+C ends everything",
  async () => {
    await using demo = await WatchedDemo.start(async (home) => {
      const bin = join(home.root, "bin");
      await Deno.mkdir(bin);
      const opener = `#!/bin/sh\nprintf '%s\\n' "$1" >> ${home.root}/opened\n`;
      await Deno.writeTextFile(join(bin, "xdg-open"), opener, { mode: 0o755 });
      return { DISPLAY: ":0", PATH: `${bin}:${Deno.env.get("PATH")}` };
    });
    const shown = await demo.untilOffer();
    assert.deepEqual(wordsOf(await readTerminalPicture()).difference(wordsOf(shown)), new Set());
    const pid = Number(/Inkling is running \(PID (\d+)\)/.exec(shown)?.[1]);
    const first = await demo.openPage();
    // The first page stays open: its cookie is used below, after the second Enter in the terminal has opened another page.
    const cookie = await enter(first);
    const second = await demo.openPage();
    await enter(second);
    const opened = (await Deno.readTextFile(join(demo.home.root, "opened"))).trim().split("\n");
    assert.equal(opened.length, 2);
    for (const file of opened) assert.match(file, /^file:\/\/\/\S+\.html$/);

    const get = async (path: string) =>
      await (await fetch(first.origin + path, { headers: { cookie } })).json();
    const agents: { id: string; trigger_type: string }[] = await get("/agents");
    const triggers = Object.fromEntries(agents.map((one) => [one.id, one.trigger_type]));
    assert.deepEqual([triggers["gardener"], triggers["postbox"]], ["schedule", "watch"]);
    const executions = JSON.stringify(await get("/executions?status=waiting"));
    assert.match(executions, /"agent_id":"gardener"/);
    assert.match(JSON.stringify(await get("/budgets")), /100000/);

    await demo.terminal.press("C-c");
    assert.match(await demo.endsWith(0), /Stopping the page and the service/);
    assert.equal(await isAlive(pid), false, "the service runs on");
    await assert.rejects(fetch(first.origin), TypeError);
  },
);

/** Returns the text of the README's picture of the terminal. */
async function readTerminalPicture(): Promise<string> {
  const svg = await Deno.readTextFile(join(REPOSITORY, "docs/pictures/terminal-light.svg"));
  return svg.replaceAll(/<style>[^]*<\/style>|<[^>]*>/g, " ").replaceAll(/&\w+;/g, " ");
}

/** Returns the words of a text, without units and parts of words before an ellipsis. */
function wordsOf(text: string): Set<string> {
  return new Set(text.match(/\p{L}{3,}(?![\p{L}…])/gu) ?? []);
}

/** Opens a link of the page as a browser does, and returns the cookie. */
async function enter(address: URL): Promise<string> {
  const response = await fetch(address, { redirect: "manual" });
  await response.body?.cancel();
  assert.equal(response.status, 303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}
