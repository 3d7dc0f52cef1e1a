// The properties of the machine that `doctor` reads: free space, sandbox and file access. Tests replace them.
import { accessSync, constants, statfsSync } from "node:fs";
import { findSandbox, type SandboxSupport } from "../../runtime/sandbox/sandbox_support.ts";

/** The machine under examination. */
export interface Machine {
  /** Returns the free bytes on the file system of `path` that the current user may use. */
  freeBytes(path: string): number;
  /** Returns true if the current user may read or write `path`, or if Deno's flags prevent the check. */
  mayAccess(path: string, mode: "read" | "write"): boolean;
  findSandbox(): Promise<SandboxSupport>;
}

/** The real machine. */
export const SYSTEM_MACHINE: Machine = {
  findSandbox: () => findSandbox(),
  freeBytes(path) {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  },
  mayAccess(path, mode) {
    try {
      accessSync(path, mode === "read" ? constants.R_OK : constants.W_OK);
      return true;
    } catch (error) {
      // The check of Deno's flags reports this path.
      if (error instanceof Deno.errors.NotCapable) return true;
      return false;
    }
  },
};
