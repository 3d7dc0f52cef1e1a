// The real program in real processes, with a home of its own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../cli/service/processes.ts";
import { type Client, openSocketClient } from "../../api/client/client.ts";
import { denoDirectory } from "../support/repository.ts";
import { createTestWorkspace, type TestWorkspace } from "../support/test_workspace.ts";
import { scopedCommand } from "./scoped/scoped_command.ts";

/** What a finished command printed, and its exit code. */
export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** What a command is started with beside its arguments. */
export interface SpawnOptions {
  env?: Readonly<Record<string, string>>;
  /** Nothing is on it unless told otherwise. */
  stdin?: "piped";
}

export interface RealHome extends TestWorkspace {
  /** Runs one command to its end, with nothing on stdin. */
  inkling(...args: string[]): Promise<Finished>;
  /** The same, and fails unless the exit code is 0. */
  succeed(...args: string[]): Promise<Finished>;
  /** Starts a command and leaves it running. */
  spawn(args: string[], options?: SpawnOptions): Promise<Deno.ChildProcess>;
  /** Program, flags and arguments of a command, for who starts it in a way of its own. */
  command(args: readonly string[], options?: SpawnOptions): Promise<string[]>;
  /** The variables that a command is started with, beside those of this process. */
  environment(options?: SpawnOptions): Record<string, string>;
  /** A client of this home's service; nothing is started by it. */
  client(): Client;
}

/** A workspace whose service, if a test leaves one behind, is killed with it. */
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
  const spawn = async (args: string[], more: SpawnOptions = {}) => {
    const [program = "", ...all] = await command(args, more);
    return new Deno.Command(program, {
      args: all,
      env: environment(more),
      cwd: place.root,
      stdin: more.stdin ?? "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  };
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
    client: () => openSocketClient(join(place.stateDir, "service.sock")),
    async [Symbol.asyncDispose]() {
      await killService(place.stateDir);
      await place[Symbol.asyncDispose]();
    },
  };
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

/** Kills the service that left its PID in this state directory, if there is one, and waits until it is gone. */
export async function killService(stateDir: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(await Deno.readTextFile(join(stateDir, "inkling.pid")));
    Deno.kill(pid, "SIGKILL");
  } catch {
    return; // No PID file, or nobody behind it: nothing to kill.
  }
  while (await isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Whether a process still does anything: a zombie does not. */
export function isAlive(pid: number): Promise<boolean> {
  return systemProcesses.isAlive(pid);
}

/** The command line of a process. */
export async function argumentsOf(pid: number): Promise<string> {
  const args = ["-ww", "-o", "args=", "-p", String(pid)];
  return new TextDecoder().decode((await new Deno.Command("ps", { args }).output()).stdout);
}

/** A port of this machine that nobody listens on. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Far more than a loaded machine takes for anything here: only a failure waits so long. */
const PATIENCE_MS = 120_000;

/** Waits until the probe finds something, and returns it. Throws Error where it finds nothing for two minutes. */
export async function untilFound<T>(
  what: string,
  probe: () => T | false | undefined | Promise<T | false | undefined>,
): Promise<T> {
  const start = performance.now();
  while (performance.now() - start < PATIENCE_MS) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Waited in vain for ${what}`);
}
