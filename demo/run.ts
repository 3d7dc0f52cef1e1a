// Runs the demonstration: the real service and commands in a temporary workspace, with agents that need no key. At a
// terminal, the demonstration ends by offering to open the page, until Ctrl+C. The service is stopped and the workspace
// removed even after a failure.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sourceCommand } from "../cli/self_command.ts";

const WORKSPACE = fileURLToPath(new URL("./workspace", import.meta.url));
const FILES = [
  ...["agents/editor.md", "agents/reporter.md", "agents/postbox.md", "agents/gardener.md"],
  "notes.md",
];
/** The limit of all agents together. The scripted models cost nothing, so the limit is a number of tokens. */
const BUDGET = "budget: { tokens: { per_day: 100000 } }";
/** The command to show to a reader who has only npx and no Deno. */
const COMMAND = `npx -y deno@${Deno.version.deno} task inkling`;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** True if a person watches the demonstration, which then ends with the offer of the page. */
const IS_WATCHED = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
const LOOK_MS = 100;
const LOOKS = 300;

/** Thrown if a step of the demonstration failed. */
class DemoFailure extends Error {}

const signal = Promise.withResolvers<never>();
// Prevents an unhandled rejection; the code that awaits this promise handles the signal.
signal.promise.catch(() => {});
for (const name of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
  Deno.addSignalListener(name, () => signal.reject(name));
}

/** A temporary workspace in which commands run. */
class Demo {
  readonly #root: string;
  readonly workspace: string;

  constructor(root: string) {
    this.#root = root;
    this.workspace = join(root, "workspace");
  }

  /**
   * Writes the demonstration's config.yaml, which names the workspace. The state folder of that workspace has a short path,
   * and the path of the socket in it must be short.
   */
  async configure(): Promise<void> {
    const text = `workspace: ${JSON.stringify(this.workspace)}\n${BUDGET}\n`;
    await Deno.mkdir(join(this.#root, "config"));
    await Deno.writeTextFile(join(this.#root, "config/config.yaml"), text);
  }

  async write(file: string, text: string): Promise<void> {
    await Deno.writeTextFile(join(this.workspace, file), text);
  }

  async read(file: string): Promise<string> {
    return await Deno.readTextFile(join(this.workspace, file));
  }

  /** Runs a command to its end and returns its exit code. With `asks`, the command can read from the terminal. */
  async inkling(args: string[], options: { asks?: boolean } = {}): Promise<number> {
    const shown = args.map((arg) => arg.includes(" ") ? `"${arg}"` : arg).join(" ");
    console.log(`\n$ inkling ${shown}\n`);
    const child = this.spawn(args, options.asks ? {} : { detached: true, stdin: "null" });
    // A signal does not end a running command, because the demonstration can stop the service only after its start is
    // complete.
    let isOver = false;
    signal.promise.catch((name) => {
      // A command that asks a person may wait forever, so it is ended. Ctrl+C has already reached it from the terminal.
      if (options.asks && !isOver && name !== "SIGINT") child.kill("SIGTERM");
    });
    const { code } = await child.status;
    isOver = true;
    if (code === SIGNALS.SIGINT) signal.reject("SIGINT");
    return await Promise.race([signal.promise, code]);
  }

  /** Runs a command like inkling(), but throws DemoFailure for every exit code except 0. */
  async must(args: string[]): Promise<void> {
    const code = await this.inkling(args);
    if (code !== 0) throw new DemoFailure(`"inkling ${args.join(" ")}" ended with ${code}`);
  }

  spawn(args: string[], options: Deno.CommandOptions = {}): Deno.ChildProcess {
    const [program = Deno.execPath(), ...rest] = sourceCommand();
    return new Deno.Command(program, {
      args: [...rest, ...args],
      env: {
        INKLING_CONFIG_DIR: join(this.#root, "config"),
        INKLING_STATE_DIR: join(this.#root, "state"),
      },
      ...options,
    }).spawn();
  }
}

async function runDemo(demo: Demo): Promise<void> {
  await Deno.mkdir(join(demo.workspace, "agents"), { recursive: true });
  await Deno.mkdir(join(demo.workspace, "inbox"));
  await demo.configure();
  for (const file of FILES) {
    await demo.write(file, await Deno.readTextFile(join(WORKSPACE, file)));
  }
  console.log("An agent is one Markdown file. This one is agents/reporter.md:\n");
  console.log(indent(await demo.read("agents/reporter.md")));
  await demo.must(["start", "--daemon"]);

  heading("An agent delegates to another agent, and asks a question");
  const code = await demo.inkling(["run", "editor"], { asks: IS_WATCHED });
  if (code === 4) {
    console.log("\nThe run waits for an answer. No process has to run for that. The demo answers:");
    await demo.must(["respond", "1", "--choice", "Keep it"]);
  } else if (code !== 0) throw new DemoFailure(`the editor ended with ${code}`);
  console.log("\nreport.md, which the other agent has written:\n");
  console.log(indent(await demo.read("report.md")));

  heading("A file in a watched folder starts a run");
  console.log("$ echo Hello > inbox/letter.md");
  await demo.write("inbox/letter.md", "Hello\n");
  console.log(`\npost.md, a moment later:\n\n    ${(await untilThere(demo, "post.md")).trimEnd()}`);

  heading("What has happened");
  await demo.must(["list"]);
  await untilDone(demo, ["editor", "reporter", "postbox"]);
  if (!IS_WATCHED) {
    await showAddress(demo);
    await demo.must(["stop"]);
    console.log(`\n\n${NEXT}`);
    return;
  }
  heading("An agent with a schedule asks before it writes. You can answer on the page");
  const asked = await demo.inkling(["run", "gardener"]);
  if (asked !== 4) throw new DemoFailure(`the gardener ended with ${asked}`);
  console.log(`\n\n${NEXT}`);
  await offerPage(demo);
  console.log("\nStopping the page and the service, and removing the workspace.");
}

/** Returns the text with each line indented by four spaces and at most 80 characters long. */
function indent(text: string): string {
  return text.replaceAll(/(.{1,76})(?: +|\n|$)/g, "    $1\n").trimEnd();
}

function heading(text: string): void {
  console.log(`\n\n${text}\n${"-".repeat(text.length)}`);
}

async function untilThere(demo: Demo, file: string): Promise<string> {
  for (let look = 0; look < LOOKS; look++) {
    try {
      return await demo.read(file);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    await Promise.race([signal.promise, sleep(LOOK_MS)]);
  }
  throw new DemoFailure(`no run has written ${file}`);
}

/** Waits until the executions of these agents have ended. Throws DemoFailure if one is missing or has failed. */
async function untilDone(demo: Demo, agents: readonly string[]): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const { stdout } = await demo.spawn(["logs", "--json"], { stdin: "null", stdout: "piped" })
      .output();
    const all: { agent_id: string; status: string }[] = JSON.parse(
      new TextDecoder().decode(stdout),
    );
    const own = all.filter(({ agent_id: id }) => agents.includes(id));
    const statuses = own.map(({ status }) => status);
    const isThere = agents.every((agent) => own.some(({ agent_id: id }) => id === agent));
    if (isThere && statuses.every((status) => status === "success")) return;
    if (!statuses.includes("running")) {
      throw new DemoFailure(`the executions ended with: ${statuses.join(", ")}`);
    }
    await Promise.race([signal.promise, sleep(LOOK_MS)]);
  }
  throw new DemoFailure("the executions do not end");
}

/** Serves the page for a moment and prints its address. */
async function showAddress(demo: Demo): Promise<void> {
  console.log("\n$ inkling ui --no-open\n");
  const child = demo.spawn(["ui", "--no-open", "--quiet"], {
    detached: true,
    stdin: "null",
    stdout: "piped",
  });
  try {
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value: address = "" } = await Promise.race([signal.promise, reader.read()]);
    if (!address.startsWith("http://127.0.0.1:")) throw new DemoFailure("the page has no address");
    console.log(address.trimEnd());
    await reader.cancel();
  } finally {
    child.kill("SIGINT");
    await child.status;
  }
}

/** Opens the page each time Enter is pressed. Returns at Ctrl+C, or at the end of the input. */
async function offerPage(demo: Demo): Promise<void> {
  heading("The page shows everything that has just happened, and the open question");
  console.log("Enter opens it; Ctrl+C ends everything.");
  try {
    while (await Promise.race([signal.promise, Deno.stdin.read(new Uint8Array(1_024))]) !== null) {
      await demo.must(["ui", "--background"]);
      console.log("\nEnter opens it again; Ctrl+C ends everything.");
    }
  } catch (reason) {
    if (reason !== "SIGINT") throw reason;
  }
}

const NEXT = `All of this was real except the model, a script. With a real model, run here:

  1. ${COMMAND} setup
     It asks for the workspace, the model and its key. A model on this machine
     needs no key.
  2. Write ~/inkling/agents/reporter.md like the one above, without its "model".
  3. ${COMMAND} run reporter
     ${COMMAND} ui`;

async function main(): Promise<number> {
  const root = await Deno.makeTempDir({ prefix: "inkling-demo-" });
  const demo = new Demo(root);
  try {
    await runDemo(demo);
    return 0;
  } catch (reason) {
    if (typeof reason === "string" && reason in SIGNALS) {
      return SIGNALS[reason as keyof typeof SIGNALS];
    }
    if (!(reason instanceof DemoFailure)) throw reason;
    console.error(`\nThe demo failed: ${reason.message}`);
    return 1;
  } finally {
    // If nothing runs, these commands only report that.
    const silent = { detached: true, stdin: "null", stdout: "null", stderr: "null" } as const;
    if (IS_WATCHED) await demo.spawn(["ui", "--stop"], silent).status;
    await demo.spawn(["stop"], silent).status;
    await Deno.remove(root, { recursive: true });
  }
}

Deno.exit(await main());
