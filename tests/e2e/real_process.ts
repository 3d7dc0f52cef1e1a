// Runs the program in real processes with a temporary home.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../cli/context/processes.ts";
import { type Client, openSocketClient } from "../../api/client/client.ts";
import { denoDirectory } from "../support/repository.ts";
import { createTestWorkspace, type TestWorkspace } from "../support/test_workspace.ts";
import { untilGone } from "../support/until.ts";
import { scopedCommand } from "./scoped/scoped_command.ts";

/** The output and the exit code of a finished command. */
export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** The options of a command's start. */
export interface SpawnOptions {
  env?: Readonly<Record<string, string>>;
  /** "piped": the test writes the standard input. Default: the input is empty. */
  stdin?: "piped";
}

export interface RealHome extends TestWorkspace {
  /** Runs one command to its end, with an empty standard input. */
  inkling(...args: string[]): Promise<Finished>;
  /** Runs one command, and fails unless its exit code is 0. */
  succeed(...args: string[]): Promise<Finished>;
  /** Starts a command without waiting for its end. */
  spawn(args: string[], options?: SpawnOptions): Promise<Deno.ChildProcess>;
  /** Returns the program and arguments of a command, for tests that start it in another way. */
  command(args: readonly string[], options?: SpawnOptions): Promise<string[]>;
  /** Returns the environment variables that a command gets in addition to the test's. */
  environment(options?: SpawnOptions): Record<string, string>;
  /** Starts the service as a child of the test, which costs less than `start -d`, and waits until it answers. */
  startService(...args: string[]): Promise<void>;
  /** Creates a client of this home's service without starting it. */
  client(): Client;
}

/** Creates a home. Disposing kills its service. */
export async function createRealHome(
  options: {
    config?: string;
    shell?: Record<string, string>;
    command?: readonly string[];
  } = {},
): Promise<RealHome> {
  const place = await createTestWorkspace(options);
  const environment = ({ env }: SpawnOptions = {}) => ({
    ...place.shell,
    HOME: place.root,
    NO_COLOR: "1",
    DENO_DIR: denoDirectory(),
    ...env,
  });
  const command = async (args: readonly string[], more?: SpawnOptions) => {
    const surroundings = { env: environment(more), cwd: place.root };
    return [...options.command ?? await scopedCommand(args, surroundings), ...args];
  };
  const spawn = async (args: string[], more: SpawnOptions & { output?: "null" } = {}) => {
    const [program = "", ...all] = await command(args, more);
    const { stdin = "null", output = "piped" } = more;
    return new Deno.Command(program, {
      ...{ args: all, env: environment(more), cwd: place.root },
      ...{ stdin, stdout: output, stderr: output },
    }).spawn();
  };
  const client = () => openSocketClient(join(place.stateDir, "service.sock"));
  const services: Promise<Deno.CommandStatus>[] = [];
  const inkling = async (...args: string[]) => await finish(await spawn(args));
  return {
    ...place,
    spawn,
    command,
    environment,
    inkling,
    async succeed(...args) {
      const finished = await inkling(...args);
      assert.equal(finished.code, 0, `${args.join(" ")}: ${finished.stderr}`);
      return finished;
    },
    async startService(...args) {
      const { status } = await spawn(["start", "--keep-alive", ...args], { output: "null" });
      services.push(status);
      using asking = client();
      const ended = status.then(({ code }) => assert.fail(`the service ended with ${code}`));
      await Promise.race([ended, untilReady(asking)]);
      ended.catch(() => {/* The test ends the service. */});
    },
    client,
    async [Symbol.asyncDispose]() {
      await killService(place.stateDir);
      await Promise.all(services);
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Returns a function that opens one home for the tests of a file. The home is disposed after them. */
export function shareHome(open: () => Promise<RealHome>): () => Promise<RealHome> {
  let home: Promise<RealHome> | undefined;
  Deno.test.afterAll(async () => await (await home)?.[Symbol.asyncDispose]());
  return () => home ??= open();
}

/** Waits for the end of a command and returns its output. */
export async function finish(command: Pick<Deno.ChildProcess, "output">): Promise<Finished> {
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Waits until a service answers. */
export async function untilReady(client: Client): Promise<void> {
  await untilFound("the service", () => client.health().catch(() => undefined));
}

/** Kills the service of this state folder, if one runs, and waits for its end. */
export async function killService(stateDir: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(await Deno.readTextFile(join(stateDir, "inkling.pid")));
    Deno.kill(pid, "SIGKILL");
  } catch {
    return; // Without a PID file or a process with its PID there is nothing to kill.
  }
  await untilGone(pid);
}

/** Returns true if a process lives and is no zombie. */
export function isAlive(pid: number): Promise<boolean> {
  return systemProcesses.isAlive(pid);
}

/** Returns the command line of a process. */
export async function argumentsOf(pid: number): Promise<string> {
  const args = ["-ww", "-o", "args=", "-p", String(pid)];
  return new TextDecoder().decode((await new Deno.Command("ps", { args }).output()).stdout);
}

/** A time limit far above the duration of any step on a loaded machine. */
const PATIENCE_MS = 120_000;

/**
 * Calls `probe` at this interval until it returns a value, and returns the value. Throws an Error after PATIENCE_MS.
 */
export async function untilFound<T>(
  what: string,
  probe: () => T | false | undefined | Promise<T | false | undefined>,
  { everyMs = 20 }: { everyMs?: number } = {},
): Promise<T> {
  const start = performance.now();
  while (performance.now() - start < PATIENCE_MS) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`Waited in vain for ${what}`);
}
