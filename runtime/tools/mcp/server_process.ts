// Runs an MCP server's program in its own process group: starts it, writes its input, reads its output, and ends the group.
import { join } from "../../../base/plain_path.ts";
import { type Clock, nextTurn } from "../../../base/clock.ts";
import { describeDenied } from "../../../base/denied_permission.ts";
import { ifThere } from "../../../base/files/missing.ts";
import { unreadableReason } from "../../../base/files/unreadable.ts";
import { firstOf } from "../../../base/first_of.ts";
import {
  type ProxyRoute,
  type SandboxedProgram,
  SandboxFailure,
} from "../../sandbox/sandbox_rules.ts";
import type { ProxyGrant } from "../http/forward_proxy.ts";
import {
  endGroup,
  type ProcessGroup,
  spawnGroup,
  WatchFailure,
} from "../processes/process_group.ts";
import { type ServerConfinement, serverRules } from "./server_sandbox.ts";
import type { McpLimits } from "./mcp_limits.ts";
import { describeMissingCommand, type ServerProgram } from "./servers_file/server_definition.ts";

/** The size of the end of standard error that is kept, in bytes. */
const STDERR_BYTES = 8 * 1024;
/**
 * The time to continue reading after the program has ended, in milliseconds. A process that left the group may hold the
 * pipes open.
 */
const DRAIN_MS = 1_000;

/** Error: a server's program did not start. The message is a clause. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}

/** A function that receives output of the program. Reading pauses until its promise resolves. */
type OnChunk = (chunk: Uint8Array) => void | Promise<void>;

/** The options for starting a server's program. */
export interface ServerProcessOptions {
  clock: Clock;
  limits: McpLimits;
  confinement: ServerConfinement;
  onOutput: OnChunk;
}

/** The running program of an MCP server. */
export class ServerProcess {
  /** Resolves when the program has exited, its output was read, and its process group is empty. */
  readonly ended: Promise<void>;
  readonly #group: ProcessGroup;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #clock: Clock;
  readonly #limits: McpLimits;
  readonly #refusedHosts: Set<string>;
  #stderr = new Uint8Array();
  #isStderrCut = false;
  #status: Deno.CommandStatus | undefined;
  #ending: Promise<void> | undefined;

  /** Starts the program of an MCP server. `onOutput` receives its standard output. Throws StartFailure. */
  static async start(
    program: ServerProgram,
    options: ServerProcessOptions,
  ): Promise<ServerProcess> {
    if (program.startsInOwnFolder) makeFolder(program.cwd);
    const refusedHosts = new Set<string>();
    let grant: ProxyGrant | undefined;
    const openProxy = (hosts: readonly string[]): ProxyRoute => {
      grant = options.confinement.proxy.admit(hosts, (host) => refusedHosts.add(host));
      return grant.route;
    };
    try {
      const confined = await confine(program, { ...options, openProxy });
      const group = spawnGroup(confined.program, { ...confined, stdin: "piped" });
      return new ServerProcess(group, { ...options, refusedHosts, grant });
    } catch (error) {
      grant?.close();
      if (error instanceof StartFailure) throw error;
      if (error instanceof WatchFailure) {
        await error.released;
        throw new StartFailure(error.message, { cause: error });
      }
      throw new StartFailure(startProblem(error, program), { cause: error });
    }
  }

  private constructor(
    group: ProcessGroup,
    options: Pick<ServerProcessOptions, "clock" | "limits" | "onOutput"> & {
      refusedHosts: Set<string>;
      grant: ProxyGrant | undefined;
    },
  ) {
    this.#group = group;
    this.#refusedHosts = options.refusedHosts;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#input = group.child.stdin.getWriter();
    // This promise rejects when the pipe breaks. The write that fails rejects, too, and reports it.
    this.#input.closed.catch(() => {});
    this.ended = this.#follow(options.onOutput).finally(() => options.grant?.close());
  }

  /** A phrase for the program's end, such as `exit code 1`. Undefined while the program runs. */
  get exit(): string | undefined {
    if (this.#status === undefined) return undefined;
    const { signal, code } = this.#status;
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  }

  /**
   * The end of standard error, not redacted. It begins with a whole line, because a part of a key is not recognized as a
   * secret.
   */
  get stderr(): string {
    const text = new TextDecoder().decode(this.#stderr);
    if (!this.#isStderrCut) return text;
    const end = text.search(/[\r\n]/);
    return end < 0 ? "" : text.slice(end + 1);
  }

  /** Returns the hosts that the sandbox refused since the last call. */
  takeRefusedHosts(): string[] {
    const hosts = [...this.#refusedHosts];
    this.#refusedHosts.clear();
    return hosts;
  }

  /** Writes to the program's standard input. Rejects if the program no longer reads it. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#input.write(bytes);
  }

  /**
   * Ends the program and its process group: closes standard input, then sends SIGTERM, then SIGKILL. Resolves when all have
   * ended.
   */
  end(): Promise<void> {
    return this.#ending ??= this.#end();
  }

  /** Kills the program and its process group without waiting. */
  kill(): void {
    this.#group.signal("SIGKILL");
  }

  async #end(): Promise<void> {
    // The promise is not awaited: closing waits until the program reads its input, which it may never do.
    this.#input.close().catch(() => {});
    const within = { clock: this.#clock, ms: this.#limits.closeMs };
    if ((await firstOf(this.#group.status, { within })).kind !== "done") {
      await endGroup(this.#group, { clock: this.#clock, graceMs: this.#limits.killMs });
    }
    await this.ended;
  }

  async #follow(onOutput: OnChunk): Promise<void> {
    const output = this.#group.child.stdout.getReader();
    const errors = this.#group.child.stderr.getReader();
    const reading = Promise.all([
      // A program that closes its standard output cannot answer any more, so it is ended.
      readAll(output, onOutput).finally(() => void this.end()),
      readAll(errors, (chunk) => this.#keepStderr(chunk)),
    ]);
    this.#status = await this.#group.status;
    await firstOf(reading, { within: { clock: this.#clock, ms: DRAIN_MS } });
    await Promise.allSettled([output.cancel(), errors.cancel()]);
    await this.#input.abort().catch(() => {/* It was closed or broken before. */});
  }

  #keepStderr(chunk: Uint8Array): void {
    const joined = new Uint8Array(this.#stderr.length + chunk.length);
    joined.set(this.#stderr);
    joined.set(chunk, this.#stderr.length);
    this.#isStderrCut ||= joined.length > STDERR_BYTES;
    this.#stderr = joined.slice(-STDERR_BYTES);
  }
}

/** Reads a stream to its end. An error of the stream counts as its end. */
async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onChunk: OnChunk,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || value === undefined) return;
    await onChunk(value);
    // The pause allows other work to run: a pipe that is never empty would block it.
    await nextTurn();
  }
}

/**
 * Returns the command that runs the program in the sandbox. Returns the unchanged command if the entry disables the
 * sandbox. Throws StartFailure.
 */
async function confine(
  program: ServerProgram,
  { confinement, openProxy }: ServerProcessOptions & {
    openProxy(hosts: readonly string[]): ProxyRoute;
  },
): Promise<SandboxedProgram> {
  const { command, args, env, cwd, ownFolder, sandbox } = program;
  const started = { program: command, args, cwd, environment: env };
  if (sandbox === null) {
    if (!confinement.sandbox.isRequired) return started;
    const problem = 'its entry says "sandbox": false, and config.yaml says "sandbox: required"';
    throw new StartFailure(problem);
  }
  const ownHome = join(ownFolder, "home");
  try {
    // The folder is created before the program runs, so that the program cannot put a symlink in its place.
    if (confinement.sandbox.isWanted) makeFolder(ownHome);
    const rules = serverRules(program, sandbox, {
      ...confinement,
      ownHome,
      openProxy: () => openProxy(sandbox.net),
    });
    const confined = await confinement.sandbox.confine(started, rules);
    if (confined !== started) requireFolder(cwd);
    return confined;
  } catch (error) {
    if (error instanceof SandboxFailure) {
      const reason = error.kind === "program_missing"
        ? describeMissingCommand({ command, cwd })
        : error.message.replace(/\.$/, "");
      throw new StartFailure(reason, { cause: error });
    }
    const denied = describeDenied(error);
    if (denied === undefined) throw error;
    throw new StartFailure(`it cannot be put into the sandbox: ${denied}`, { cause: error });
  }
}

function requireFolder(path: string): void {
  if (ifThere(() => Deno.statSync(path))?.isDirectory) return;
  throw new StartFailure(`its folder ${path} does not exist`);
}

function makeFolder(path: string): void {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartFailure(`its folder ${path} cannot be created: ${unreadableReason(error)}`, {
      cause: error,
    });
  }
}

function startProblem(error: unknown, { command, cwd }: ServerProgram): string {
  if (error instanceof Deno.errors.NotFound) {
    return error.message.includes("No such cwd")
      ? `its folder ${cwd} does not exist`
      : describeMissingCommand({ command, cwd });
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return `its command ${command} may not be executed`;
  }
  const denied = describeDenied(error);
  return `its command ${command} cannot be started${denied === undefined ? "" : `: ${denied}`}`;
}
