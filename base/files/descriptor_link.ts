// A link in the service's private state folder to the descriptors that this process has open: a path through it and a
// folder's descriptor names an entry of that very folder, whatever is swapped meanwhile. held_folder.ts uses it.
//
// Decision: a link, because Deno has no openat, and refuses paths that begin with /proc: they could show secrets of other
// processes. Through it only the numbers of folders are used that were opened by their own, allowed paths, and it lies where
// neither agents, tools nor scripts reach (rejected: paths relative to the process's folder, which Deno makes absolute under
// every set of flags but all; FFI, which would be a permission for everything; a helper process with all permissions, which
// costs memory and is no narrower).
import { join } from "node:path";

const DESCRIPTORS = "/proc/self/fd";

function linkIn(stateDir: string): string {
  return join(stateDir, "fd");
}

/**
 * Makes the link in a state folder. Deno lets only those make links who may read and write everything: under narrower flags
 * nothing happens, and a link that an earlier start made stays of use. There is none where there is no Linux.
 */
export function linkDescriptors(stateDir: string): void {
  if (Deno.build.os !== "linux" || findDescriptors(stateDir) !== undefined) return;
  const link = linkIn(stateDir);
  // Beside it and renamed: two starts at once do not hinder each other.
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

/** The link of a state folder; undefined where there is none. */
export function findDescriptors(stateDir: string): string | undefined {
  const link = linkIn(stateDir);
  try {
    return Deno.readLinkSync(link) === DESCRIPTORS ? link : undefined;
  } catch {
    // Not there, or no link, or closed by Deno's flags: it cannot be used, for whatever reason.
    return undefined;
  }
}

/** A program and its arguments that make the link, for who may start programs and write nothing. */
export function descriptorLinkCommand(stateDir: string): [string, ...string[]] {
  const script = 'umask 077 && mkdir -p -- "$1" && ln -sfn -- "$2" "$3"';
  return ["/bin/sh", "-c", script, "sh", stateDir, DESCRIPTORS, linkIn(stateDir)];
}
