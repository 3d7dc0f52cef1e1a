// Talks to systemd or launchd: starts, stops and describes the unit of the service.
import { join } from "../../../base/plain_path.ts";
import { runToEnd } from "../../../base/programs/system_program.ts";
import type { CliApp } from "../../context/app.ts";
import { commandFailed } from "../../context/exit.ts";
import { SYSTEM_FOLDER, userFolder, userName } from "./installed_unit.ts";
import type { UnitKind, UnitScope } from "./unit.ts";

/** The service manager of this machine or of this user. */
export interface UnitManager {
  readonly kind: UnitKind;
  readonly scope: UnitScope;
  /** The path of the service's unit file. */
  readonly file: string;
  /** Returns the reason why the manager does not answer, or undefined if the manager answers. */
  findProblem(): Promise<string | undefined>;
  /** Starts the unit in the file, or restarts it if it runs, and lets it start with the machine. Throws CommandFailure. */
  activate(): Promise<void>;
  /**
   * Lets the unit run while its user is logged out. If the system refuses that, returns the command that root must type.
   */
  keepAfterLogout(): Promise<string | undefined>;
  /** Stops the unit, turns off its start with the machine, and removes its file. Throws CommandFailure. */
  remove(): Promise<void>;
  /** The states in the manager's own words: `active`, `enabled`. */
  describe(): Promise<{ active: string; enabled: string }>;
}

/** The result of a program. */
interface Outcome {
  isSuccess: boolean;
  /** The last line of the program's standard output, and of its standard error. */
  said: string;
  complaint: string;
}

/** The parts of the command line that a manager needs. */
export type ManagerSurroundings = Pick<CliApp, "environment" | "clock">;

/** Opens the manager. Starts no program. */
export function openUnitManager(
  surroundings: ManagerSurroundings,
  { kind, scope }: { kind: UnitKind; scope: UnitScope },
): UnitManager {
  return kind === "systemd" ? openSystemd(surroundings, scope) : openLaunchd(surroundings);
}

function openSystemd({ environment }: ManagerSurroundings, scope: UnitScope): UnitManager {
  const name = "inkling.service";
  const isUser = scope === "user";
  const words = isUser ? ["systemctl", "--user"] : ["systemctl"];
  // A shell of su or of cron does not have this variable, and systemctl needs it.
  const runtime = { XDG_RUNTIME_DIR: `/run/user/${Deno.uid() ?? 0}` };
  const ask = (...args: string[]) => run([...words, ...args], { ...runtime, ...environment });
  const tell = async (...args: string[]) => requireSuccess(await ask(...args), [...words, ...args]);
  const file = join(isUser ? userFolder(environment) : SYSTEM_FOLDER, name);
  return {
    ...{ kind: "systemd", scope, file },
    async findProblem() {
      const { isSuccess, complaint } = await ask("show-environment");
      return isSuccess ? undefined : `systemd does not answer (${complaint})`;
    },
    async activate() {
      await tell("daemon-reload");
      await tell("enable", name);
      await tell("restart", name);
    },
    async keepAfterLogout() {
      if (!isUser) return undefined;
      const user = userName(environment);
      const command = ["loginctl", "enable-linger", ...(user === "" ? [] : [user])];
      const { isSuccess } = await run([...command, "--no-ask-password"], environment);
      return isSuccess ? undefined : `sudo ${command.join(" ")}`;
    },
    async remove() {
      await tell("disable", "--now", name);
      await Deno.remove(this.file);
      await tell("daemon-reload");
    },
    async describe() {
      const [active, enabled] = [await ask("is-active", name), await ask("is-enabled", name)];
      return { active: active.said || "unknown", enabled: enabled.said || "unknown" };
    },
  };
}

/**
 * The maximum number of attempts to load a unit. launchd ends an unloaded unit in the background, and loads no new unit
 * before that end.
 */
const BOOTSTRAP_TRIES = 20;
const BOOTSTRAP_WAIT_MS = 500;

function openLaunchd({ environment, clock }: ManagerSurroundings): UnitManager {
  const domain = `gui/${Deno.uid() ?? 0}`;
  const unit = `${domain}/inkling`;
  const file = join(environment["HOME"] ?? "/", "Library/LaunchAgents/inkling.plist");
  const ask = (...args: string[]) => run(["launchctl", ...args], environment);
  return {
    ...{ kind: "launchd", scope: "user", file },
    async findProblem() {
      const { isSuccess, complaint } = await ask("print", domain);
      return isSuccess ? undefined : `launchd does not answer (${complaint})`;
    },
    async activate() {
      await ask("bootout", unit);
      await ask("enable", unit);
      const bootstrap = ["bootstrap", domain, file];
      let outcome = await ask(...bootstrap);
      for (let tries = 1; !outcome.isSuccess && tries < BOOTSTRAP_TRIES; tries++) {
        await clock.sleep(BOOTSTRAP_WAIT_MS);
        outcome = await ask(...bootstrap);
      }
      requireSuccess(outcome, ["launchctl", ...bootstrap]);
    },
    keepAfterLogout: () => Promise.resolve(undefined),
    async remove() {
      // The command `bootout` fails for a unit that is not loaded.
      await ask("bootout", unit);
      await Deno.remove(this.file);
    },
    async describe() {
      const { isSuccess } = await ask("print", unit);
      return isSuccess
        ? { active: "loaded", enabled: "enabled" }
        : { active: "not loaded", enabled: "unknown" };
    },
  };
}

/** Throws CommandFailure for a program that failed. */
function requireSuccess({ isSuccess, complaint }: Outcome, command: readonly string[]): void {
  if (isSuccess) return;
  throw commandFailed(`"${command.join(" ")}" failed: ${complaint}`);
}

/** Runs a program to its end. A missing program is a failure. */
async function run(
  [program = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  try {
    const { success, stdout, stderr } = await runToEnd([program, ...args], { environment });
    const [said, complaint] = [lastLine(stdout), lastLine(stderr)];
    return { isSuccess: success, said, complaint: complaint || said || "no reason was given" };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { isSuccess: false, said: "", complaint: `${program} is not installed` };
  }
}

function lastLine(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trim().split("\n").at(-1)?.trim() ?? "";
}
