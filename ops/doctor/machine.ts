// What an examination asks of the machine and tests bring themselves: free space, a sandbox, and whether this user may use a file.
import { accessSync, constants, statfsSync } from "node:fs";
import { findSandbox, type SandboxSupport } from "../../runtime/sandbox/sandbox_support.ts";

/** The machine as it is looked at. */
export interface Machine {
  /** Bytes that this user may still write to the file system of a path. */
  freeBytes(path: string): number;
  /** Whether this user may do so; true where Deno's flags leave it open. */
  mayAccess(path: string, wish: "read" | "write"): boolean;
  findSandbox(): Promise<SandboxSupport>;
}

/** This machine. */
export const SYSTEM_MACHINE: Machine = {
  findSandbox: () => findSandbox(),
  freeBytes(path) {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  },
  mayAccess(path, wish) {
    try {
      accessSync(path, wish === "read" ? constants.R_OK : constants.W_OK);
      return true;
    } catch (error) {
      // What the flags of Deno refuse is told by the check of the agents' permissions.
      if (error instanceof Deno.errors.NotCapable) return true;
      return false;
    }
  },
};
