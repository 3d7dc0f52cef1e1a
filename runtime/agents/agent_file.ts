// Reads the bytes of an agent file, which parse_agent.ts parses.
import type { Clock } from "../../base/clock.ts";
import { stampFile } from "../config/files/file_stamp.ts";
import { unreadableReason } from "../../base/files/unreadable.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { idOfFileName, isMisnamedAgentFile } from "./agent_id.ts";
import { MAX_AGENT_FILE_BYTES } from "./parse_agent.ts";
import { basename } from "../../base/plain_path.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** The time in milliseconds after a change in which a file may still be being written. */
const QUIET_MS = 200;

/** The bytes of an agent file with the file's stamp (see stampFile), or the reason why it cannot be read. */
export type AgentFileContent =
  | { bytes: Uint8Array<ArrayBuffer>; stamp: string | undefined }
  | { diagnostic: Diagnostic };

/** A file that seems to be being written, and the time in milliseconds until it should be read again. */
export interface UnsettledFile {
  unsettledMs: number;
}

/** Reads an agent file. Returns undefined if it does not exist, and a diagnostic if it cannot be read. Never throws. */
export function readAgentFile(path: string): Promise<AgentFileContent | undefined>;
/**
 * Reads an agent file, or returns "unchanged" if its stamp still equals `known`. Returns UnsettledFile for a file that
 * changed just before or during the read, by the file system's clock.
 */
export function readAgentFile(
  path: string,
  options: { known: string | undefined; fileClock: Pick<Clock, "now"> },
): Promise<AgentFileContent | UnsettledFile | "unchanged" | undefined>;
export async function readAgentFile(
  path: string,
  options?: { known: string | undefined; fileClock: Pick<Clock, "now"> },
): Promise<AgentFileContent | UnsettledFile | "unchanged" | undefined> {
  try {
    const info = await Deno.stat(path);
    // Only a regular file is opened, because opening a named pipe would wait forever.
    if (!info.isFile) {
      return path.endsWith("/") ? { diagnostic: diagnoseMisnamed(path) } : undefined;
    }
    if (isMisnamedAgentFile(basename(path))) return { diagnostic: diagnoseMisnamed(path) };
    const stamp = stampFile(info);
    if (stamp !== undefined && stamp === options?.known) return "unchanged";
    const unsettledMs = options === undefined ? 0 : unsettledMsOf(info, options.fileClock.now());
    if (unsettledMs > 0) return { unsettledMs };
    if (info.size > MAX_AGENT_FILE_BYTES) return broken(path, "The file is over 4 MB");
    const bytes = await Deno.readFile(path);
    const isOther = options !== undefined && !isSameVersion(info, await Deno.stat(path));
    return isOther ? { unsettledMs: QUIET_MS } : { bytes, stamp };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      return broken(path, `The file cannot be read: ${unreadableReason(error)}`);
    }
    if (!await isLink(path)) return undefined;
    return broken(path, "The file cannot be read: the link leads nowhere");
  }
}

/**
 * Returns the warning for a file that is ignored because of its name (see isMisnamedAgentFile). A path that ends with a
 * slash is a subfolder.
 */
export function diagnoseMisnamed(path: string): Diagnostic {
  const id = idOfFileName(basename(path));
  const [message, hint] = path.endsWith("/")
    ? ["The folder is ignored: agents are files of the agents folder itself", "move its files up"]
    : /\.ya?ml$/i.test(path)
    ? [
      "The file is ignored: an agent is a Markdown file",
      `write ${id}.md: settings between two lines ---, and the task below`,
    ]
    : ["The file is ignored: the name of an agent file ends with .md", `rename it to ${id}.md`];
  return { ...errorAtStart(path, message), severity: "warning", hint };
}

/**
 * Returns the time in milliseconds until a file counts as completely written. Ignores a modification time far in the
 * future.
 */
function unsettledMsOf({ mtime }: Deno.FileInfo, now: number): number {
  const age = mtime === null ? QUIET_MS : now - mtime.getTime();
  return age <= -QUIET_MS ? 0 : Math.max(0, QUIET_MS - age);
}

function isSameVersion(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtime?.getTime() === b.mtime?.getTime();
}

/**
 * Returns true for a broken link. The caller reports such a link, but not a file that was deleted after the folder was
 * listed.
 */
async function isLink(path: string): Promise<boolean> {
  return (await Deno.lstat(path).catch(ignoreMissing))?.isSymlink ?? false;
}

function broken(path: string, message: string): { diagnostic: Diagnostic } {
  return { diagnostic: errorAtStart(path, message) };
}
