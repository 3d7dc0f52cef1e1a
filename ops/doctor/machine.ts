// The parts of the machine that an examination reads and tests replace: free space, sandbox and file access.
import { accessSync, constants, statfsSync } from "node:fs";
import { findSandbox, type SandboxSupport } from "../../runtime/sandbox/sandbox_support.ts";

/** The machine under examination. */
export interface Machine {
  /** Returns the bytes that this user may still write to the file system of a path. */
  freeBytes(path: string): number;
  /** Returns true when this user may do so, or when Deno's flags prevent the check. */
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
      // The check of the agents' permissions reports paths that Deno's flags refuse.
      if (error instanceof Deno.errors.NotCapable) return true;
      return false;
    }
  },
};
