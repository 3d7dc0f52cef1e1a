// A link in the service's private state folder to the open descriptors of this process. A path through the link and a
// folder's descriptor names an entry of exactly that folder, even if paths are swapped meanwhile. folder_handle.ts uses
// it.
//
// Decision: a link, because Deno has no openat and refuses paths that begin with /proc, which could show secrets of
// other processes. The link is used only with descriptors of folders that were opened by their own, allowed paths.
// Agents, tools and scripts cannot reach its folder. (rejected: paths relative to the process's folder, which Deno
// makes absolute under every set of flags but all; FFI, which would be a permission for everything; a helper process
// with all permissions, which costs memory and is no narrower)
import { join } from "node:path";

const DESCRIPTORS = "/proc/self/fd";

function linkIn(stateDir: string): string {
  return join(stateDir, "fd");
}

/**
 * Creates the link in a state folder. Deno lets only processes with full read and write permission create links. Under
 * narrower flags this does nothing, and the link of an earlier start remains in use. Does nothing on other systems than
 * Linux.
 */
export function linkDescriptors(stateDir: string): void {
  if (Deno.build.os !== "linux" || findDescriptors(stateDir) !== undefined) return;
  const link = linkIn(stateDir);
  // Created under another name and renamed, so that two simultaneous starts do not interfere.
  const fresh = `${link}-${crypto.randomUUID()}`;
  try {
    Deno.symlinkSync(DESCRIPTORS, fresh);
  } catch (error) {
    // A file system without links, or narrow flags.
    if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) {
      return;
    }
    throw error;
  }
  Deno.renameSync(fresh, link);
}

/** Returns the link of a state folder, or undefined. */
export function findDescriptors(stateDir: string): string | undefined {
  const link = linkIn(stateDir);
  try {
    return Deno.readLinkSync(link) === DESCRIPTORS ? link : undefined;
  } catch {
    // Missing, no link, or closed by Deno's flags: unusable in each case.
    return undefined;
  }
}

/** Returns a command that creates the link, for processes that may start programs but not write. */
export function descriptorLinkCommand(stateDir: string): [string, ...string[]] {
  const script = 'umask 077 && mkdir -p -- "$1" && ln -sfn -- "$2" "$3"';
  return ["/bin/sh", "-c", script, "sh", stateDir, DESCRIPTORS, linkIn(stateDir)];
}
