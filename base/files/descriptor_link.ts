// Creates a link in the service's private state folder to the open file descriptors of this process. A path through this
// link and a folder's descriptor names an entry of exactly that folder, even if another program swaps paths meanwhile.
// folder_handle.ts uses the link.
//
// Decision: a link, because Deno has no openat and refuses paths that begin with /proc, which could show secrets of other
// processes. The link is used only with descriptors of folders that were opened by their own, allowed paths. Agents, tools
// and scripts cannot reach the link's folder. (rejected: paths relative to the process's working folder, which Deno makes
// absolute unless it has all permissions; FFI, which would be a permission for everything; a helper process with all
// permissions, which costs memory and is no narrower)
import { join } from "../plain_path.ts";

const DESCRIPTORS = "/proc/self/fd";

function linkIn(stateDir: string): string {
  return join(stateDir, "fd");
}

/**
 * Creates the link in a state folder. Deno lets only processes with full read and write permission create links: under
 * narrower flags this does nothing, and the link of an earlier start remains in use. Works on Linux only.
 */
export function linkDescriptors(stateDir: string): void {
  if (Deno.build.os !== "linux" || findDescriptors(stateDir) !== undefined) return;
  const link = linkIn(stateDir);
  // The link is created under another name and renamed, so that two simultaneous starts do not interfere.
  const fresh = `${link}-${crypto.randomUUID()}`;
  try {
    Deno.symlinkSync(DESCRIPTORS, fresh);
  } catch (error) {
    // The file system has no links, or the permission flags are narrow.
    if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) {
      return;
    }
    throw error;
  }
  Deno.renameSync(fresh, link);
}

/**
 * Returns the path of the link to the file descriptors in a state folder; undefined if the link is missing, unreadable or
 * has another target.
 */
export function findDescriptors(stateDir: string): string | undefined {
  const link = linkIn(stateDir);
  try {
    return Deno.readLinkSync(link) === DESCRIPTORS ? link : undefined;
  } catch {
    // The link is missing, is no link, or is denied by Deno's flags.
    return undefined;
  }
}

/** Returns a command line that creates the link, for processes that may start programs but not create links. */
export function descriptorLinkCommand(stateDir: string): [string, ...string[]] {
  const script = 'umask 077 && mkdir -p -- "$1" && ln -sfn -- "$2" "$3"';
  return ["/bin/sh", "-c", script, "sh", stateDir, DESCRIPTORS, linkIn(stateDir)];
}
