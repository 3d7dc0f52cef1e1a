// Starts a program as the leader of its own process group. The group can be ended as a whole, and ends when the service's
// process ends.
import type { Clock } from "../clock.ts";
import { errorCode } from "../error_code.ts";
import { firstOf } from "../first_of.ts";

/** The options for starting a program in a process group. */
export interface ProcessGroupOptions {
  args: readonly string[];
  cwd: string;
  /** The program's environment variables. It inherits no others. */
  environment: Readonly<Record<string, string>>;
  stdin: "null" | "piped";
}

/** A running program with piped output, and the process group that it leads. */
export interface ProcessGroup {
  child: Deno.ChildProcess;
  /**
   * The program's exit status. The function that started the group must await it, because that kills the rest of the group.
   */
  status: Promise<Deno.CommandStatus>;
  /** Sends a signal to every process of the group. Does nothing if the group is empty. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
}

/** Error: the watcher of a program cannot be started. The program was killed. */
export class WatchFailure extends Error {
  override readonly name = "WatchFailure";
  /** Resolves when the program has ended and its pipes are closed. */
  readonly released: Promise<unknown>;

  constructor(released: Promise<unknown>, options: ErrorOptions) {
    super("/bin/sh, which watches it, cannot be started", options);
    this.released = released;
  }
}

/**
 * Starts a program in its own process group and session. Throws Deno's error if the program cannot be started, and
 * WatchFailure if its watcher cannot.
 *
 * Decision: a process that leaves the group (setsid) is not tracked. Only control groups could track it, and they need
 * rights over the machine that the service lacks (rejected: scanning /proc, which needs all of Deno's permissions).
 */
export function spawnGroup(program: string, options: ProcessGroupOptions): ProcessGroup {
  const { args, cwd, environment, stdin } = options;
  const child = new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { ...environment },
    clearEnv: true,
    stdin,
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const { pid } = child;
  let watch: GroupWatch;
  try {
    watch = new GroupWatch(pid);
  } catch (error) {
    signalGroup(pid, "SIGKILL");
    const input = stdin === "piped" ? [child.stdin.abort()] : [];
    const pipes = [...input, child.stdout.cancel(), child.stderr.cancel()];
    throw new WatchFailure(Promise.allSettled([...pipes, child.status]), { cause: error });
  }
  const status = child.status.then(async (ended) => {
    // The remaining processes of the group are killed before the watcher ends.
    signalGroup(pid, "SIGKILL");
    await watch.end();
    return ended;
  });
  return { child, status, signal: (name) => signalGroup(pid, name) };
}

/**
 * Ends a process group with SIGTERM, and with SIGKILL if the program still runs after `graceMs`. Returns the program's exit
 * status.
 */
export async function endGroup(
  group: ProcessGroup,
  { clock, graceMs }: { clock: Clock; graceMs: number },
): Promise<Deno.CommandStatus> {
  group.signal("SIGTERM");
  const ended = await firstOf(group.status, { within: { clock, ms: graceMs } });
  if (ended.kind !== "done") group.signal("SIGKILL");
  return await group.status;
}

function signalGroup(leader: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    Deno.kill(-leader, name);
  } catch (error) {
    // These errors mean that the group is empty. For a group of zombies, some systems report "not permitted".
    const isGone = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.PermissionDenied ||
      errorCode(error) === "ESRCH";
    if (!isGone) throw error;
  }
}

/**
 * The watcher's shell script. It waits for the end of its standard input, then kills the group. Only the service holds the
 * other end, and never writes to it.
 */
const SCRIPT = 'read _; kill -9 "-$1"';

/**
 * The watcher of one process group: a small process in a group of its own. Between the start of a program and the start of
 * its watcher, the program is not watched.
 *
 * Decision: a separate process watches, because it must outlive the service. Rejected: relying on the programs to end with
 * their standard input, because some ignore it; storing process ids for the next start, because another process may get
 * the same id.
 */
class GroupWatch {
  readonly #watcher: Deno.ChildProcess;

  /** Starts the watcher of the group that `leader` leads. Throws Deno's error if the shell cannot be started. */
  constructor(leader: number) {
    this.#watcher = new Deno.Command("/bin/sh", {
      args: ["-c", SCRIPT, "inkling-watch", String(leader)],
      cwd: "/",
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      // In a group of its own, the watcher does not get Ctrl+C. Only the service gets it, and ends its programs.
      detached: true,
    }).spawn();
  }

  /** Ends the watcher without killing the group. Call it when the group is empty. */
  async end(): Promise<void> {
    try {
      this.#watcher.kill("SIGKILL");
    } catch (error) {
      // The watcher has ended already.
      const isGone = error instanceof TypeError || error instanceof Deno.errors.NotFound ||
        errorCode(error) === "ESRCH";
      if (!isGone) throw error;
    }
    await this.#watcher.status;
    // The input is closed last, because the watcher kills the group when its input ends.
    await this.#watcher.stdin.abort().catch(() => {/* The other end is gone. */});
  }
}
