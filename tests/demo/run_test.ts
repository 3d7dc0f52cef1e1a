// Tests of the README's first command without a terminal, also if it is interrupted: it leaves nothing behind.
import assert from "node:assert/strict";
import denoJson from "../../deno.json" with { type: "json" };
import { createRealHome, isAlive } from "../e2e/real_process.ts";
import { RealTerminal, testInTerminal } from "../e2e/terminal/real_terminal.ts";
import { REPOSITORY } from "../support/repository.ts";
import { until } from "../support/until.ts";

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

testInTerminal(
  "the demo ends at a signal to its process at its question and its page",
  async () => {
    for (
      const [moment, answer, signal, code] of [
        [/Keep it/, false, "SIGTERM", 143],
        [/Press Enter to end/, true, "SIGHUP", 129],
      ] as const
    ) {
      await using home = await createRealHome();
      const directory = await Deno.makeTempDir({ prefix: "inkling-demo-test-" });
      const [, ...args] = denoJson.tasks.demo.command.split(" ");
      const options = { program: [Deno.execPath()], env: { TMPDIR: directory } };
      const program = args.map((arg) => arg === "demo/run.ts" ? `${REPOSITORY}/${arg}` : arg);
      await using terminal = await RealTerminal.open(home, program, options);
      if (answer) {
        await terminal.waitFor(/◆ {2}The report is in report\.md/);
        await terminal.press("Enter");
      }
      await terminal.waitFor(moment);
      await terminal.signal(signal);
      await terminal.endsWith(code);
      assert.deepEqual([...Deno.readDirSync(directory)], []);
      await Deno.remove(directory);
    }
  },
);
