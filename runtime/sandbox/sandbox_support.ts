// Detects the system's sandbox by starting a trial program in it.
import { runToEnd } from "../../base/programs/system_program.ts";
import type { Bubblewrap } from "./bubblewrap.ts";
import { bubblewrapCommand } from "./bubblewrap.ts";

// Decision: there is no sandbox on macOS yet, because nobody could test a profile for sandbox-exec (rejected: a profile
// that is generated from the same rules).

/** The system's sandbox, or the reason that there is none and the remedy. */
export type SandboxSupport = { bubblewrap: Bubblewrap } | {
  /** The reason, as a clause. */
  problem: string;
  /** The remedy, as a clause in the imperative. */
  remedy: string;
};

/** The paths at which bubblewrap is searched. PATH is not searched, because it could lead to any program. */
const PROGRAMS = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"]
  .concat("/run/current-system/sw/bin/bwrap");

/** The reason that programs cannot be limited to hosts, and the remedy, both as clauses. */
export const NO_BRIDGE = {
  problem: "socat is not installed",
  remedy:
    "install socat (sudo apt install socat, sudo dnf install socat, sudo pacman -S socat), then restart Inkling",
} as const;

/** The first version of Linux that counts processes per user namespace, as major and minor number. */
const COUNTING_KERNEL = [5, 14] as const;

const INSTALL =
  "install bubblewrap (sudo apt install bubblewrap, sudo dnf install bubblewrap, sudo pacman -S bubblewrap), then restart Inkling";
const ALLOW_NAMESPACES =
  "allow user namespaces: in a container by its own settings, on Ubuntu by an AppArmor profile for bwrap, elsewhere by " +
  "sudo sysctl kernel.unprivileged_userns_clone=1; then restart Inkling";

/**
 * Starts a trial program in a sandbox and returns the sandbox's abilities. If the system does not support all options,
 * tries again with fewer. The trial prints the kernel's version and the path of socat. `programs` contains the paths at
 * which bubblewrap is searched.
 */
export async function findSandbox(programs: readonly string[] = PROGRAMS): Promise<SandboxSupport> {
  if (Deno.build.os !== "linux") {
    return {
      problem: `there is none for ${Deno.build.os} yet`,
      remedy: "run Inkling on Linux, or start only programs that you trust",
    };
  }
  for (const program of programs) {
    const found = await tryProgram(program);
    if (found !== undefined) return found;
  }
  return { problem: "bubblewrap is not installed", remedy: INSTALL };
}

/**
 * Returns the abilities of bubblewrap at one path, or the reason that it does not work. Returns undefined if it does not
 * exist.
 */
async function tryProgram(program: string): Promise<SandboxSupport | undefined> {
  let said = "";
  for (const restoresSignals of [true, false]) {
    for (const disablesNamespaces of [true, false]) {
      const bubblewrap = { program, restoresSignals, disablesNamespaces, countsProcesses: false };
      const { success, stdout, stderr } = await runTrial(bubblewrap);
      if (success) {
        const [release = "", bridge = ""] = new TextDecoder().decode(stdout).split("\n");
        const found = { ...bubblewrap, countsProcesses: countsProcesses(release) };
        return { bubblewrap: bridge === "" ? found : { ...found, bridge } };
      }
      const text = new TextDecoder().decode(stderr).trim();
      if (/not found|No such file/.test(text) && text.includes(program)) return undefined;
      said = text.split("\n").at(-1) ?? "";
    }
  }
  return {
    problem: `bubblewrap cannot create one here (${said.slice(0, 300) || "no message"})`,
    remedy: ALLOW_NAMESPACES,
  };
}

async function runTrial(bubblewrap: Bubblewrap): Promise<Deno.CommandOutput> {
  const nothing = { read: [], write: [], closed: [], net: "none" as const };
  const environment = { PATH: "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin" };
  const args = ["-c", "uname -r; command -v socat || true"];
  const started = { program: "sh", args, cwd: "/", environment };
  const command = bubblewrapCommand(started, nothing, { bubblewrap, home: "/nonexistent" });
  return await runToEnd(
    ["/bin/sh", "-c", 'exec "$@"', "inkling-sandbox", command.program, ...command.args],
    { cwd: command.cwd, environment },
  );
}

function countsProcesses(release: string): boolean {
  const numbers = release.split(".").map((part) => parseInt(part));
  const [major = 0, minor = 0] = numbers;
  return major > COUNTING_KERNEL[0] || major === COUNTING_KERNEL[0] && minor >= COUNTING_KERNEL[1];
}
