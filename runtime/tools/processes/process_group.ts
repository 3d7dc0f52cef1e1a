// A child process that leads its own process group. The group can be ended as a whole, and ends with this process.
import type { Clock } from "../../../base/clock.ts";
import { describeDenied } from "../../../base/denied_permission.ts";
import { errorCode } from "../../../base/error_code.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { GroupWatch } from "./group_watch.ts";

/** The time between SIGTERM and SIGKILL. */
export const KILL_GRACE_MS = 2_000;

/** The start options of a process group. */
export interface ProcessGroupOptions {
  args: readonly string[];
  cwd: string;
  /** The child's whole environment; nothing is inherited. */
  environment: Readonly<Record<string, string>>;
  stdin: "null" | "piped";
}

/** A running child with piped output, the leader of its process group. */
export interface ProcessGroup {
  child: Deno.ChildProcess;
  /** The leader's exit status. The starter of a group must await it. */
  status: Promise<Deno.CommandStatus>;
  /** Signals every process of the group. An empty group is no error. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
}

/** Error: the watcher of a program cannot be started. The program is killed. */
export class WatchFailure extends Error {
  override readonly name = "WatchFailure";
  /** Resolves when the program is gone and its pipes are closed. */
  readonly released: Promise<unknown>;

  constructor(released: Promise<unknown>, options: ErrorOptions) {
    super("/bin/sh, which watches it, cannot be started", options);
    this.released = released;
  }
}

/**
 * Starts a program in its own process group and session. Throws Deno's error when the program cannot be started, and
 * WatchFailure when its watcher cannot.
 *
 * Decision: a process that leaves the group (setsid) is not tracked, because only control groups could hold it, and they need
 * rights over the machine that the service lacks (rejected: scanning /proc, which needs every permission).
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
    // The group's remaining processes end before the watcher.
    signalGroup(pid, "SIGKILL");
    await watch.end();
    return ended;
  });
  return { child, status, signal: (name) => signalGroup(pid, name) };
}

/** Starts a tool's program as spawnGroup() does. Throws ToolFailure when it cannot be started. */
export function startGroup(program: string, options: ProcessGroupOptions): ProcessGroup {
  try {
    return spawnGroup(program, options);
  } catch (error) {
    const [what, reason] = error instanceof WatchFailure
      ? [`/bin/sh, which watches ${program}`, error.cause]
      : [program, error];
    throw new ToolFailure(`Cannot start ${what}: ${reasonOf(reason)}.`, { cause: error });
  }
}

/** Ends a running group: SIGTERM, then SIGKILL after the grace time. */
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
    // The group is empty. Some systems report "not permitted" for a group of zombies.
    const isGone = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.PermissionDenied ||
      errorCode(error) === "ESRCH";
    if (!isGone) throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) {
    return "it is not installed, or its working folder does not exist";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "the operating system denies permission to execute it";
  }
  const denied = describeDenied(error);
  if (denied !== undefined) return denied;
  return error instanceof Error ? error.message : String(error);
}
