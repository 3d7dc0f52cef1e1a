// Reads and changes the memory file of an agent. Other runs, other processes, a crash and symlinks cannot damage it.
// memory_document.ts parses its text.
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join } from "../../../base/plain_path.ts";
import type { Agent } from "../../agents/agent.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import type { Clock } from "../../../base/clock.ts";
import { tryLock } from "../../../base/files/lock_file.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import {
  isStillMissing,
  type MissingFile,
  rememberMissing,
} from "../../config/files/missing_file.ts";
import { toFileFailure } from "../files/file_failure.ts";
import { isWithin } from "../files/place.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { hasTooManySections, MAX_SECTIONS, MemoryDocument } from "./memory_document.ts";

/** The maximum size of a memory file in bytes. */
export const MEMORY_LIMIT_BYTES = 1024 * 1024;

const SUFFIX = ".memory.md";
const LOCK_RETRY_MS = 20;

/**
 * Returns the path of an agent's memory file: `<id>.memory.md` in the folder of the agent's file. Operations use this path,
 * not a descriptor of the folder: file tools cannot reach that folder, and a person who can swap it can also change the
 * agents.
 */
export function memoryPathOf(agent: Pick<Agent, "id" | "sourcePath">): string {
  return join(dirname(agent.sourcePath), `${agent.id}${SUFFIX}`);
}

/** The memory files that did not exist at the last check. Most agents have none, and every run checks it. */
const missingFiles = new Map<string, MissingFile>();

/**
 * Returns the names of a memory file's sections in file order. Returns none if the file does not exist. Throws ToolFailure
 * like readMemory().
 */
export async function listSections(path: string): Promise<string[]> {
  const known = missingFiles.get(path);
  if (known !== undefined && isStillMissing(known)) return [];
  missingFiles.delete(path);
  const place = await locate(path);
  const missing = place.exists ? undefined : rememberMissing(path);
  if (missing !== undefined) missingFiles.set(path, missing);
  return MemoryDocument.parse(await readText(place) ?? "").sections().map(({ name }) => name);
}

/**
 * Reads a memory file. Returns an empty memory if the file does not exist. Throws ToolFailure if the file is unreadable,
 * too big or not UTF-8, or a symlink to anything but a memory file in the same folder or below.
 */
export async function readMemory(path: string): Promise<MemoryDocument> {
  return MemoryDocument.parse(await readText(await locate(path)) ?? "");
}

/**
 * Changes a memory file with `edit` and returns the changed memory. Changes that other runs or processes make at the same
 * time are kept. Throws ToolFailure like readMemory(), and if the memory would exceed a limit; the file is then unchanged.
 */
export async function changeMemory(
  path: string,
  edit: (memory: MemoryDocument) => MemoryDocument,
  options: { clock: Clock; signal: AbortSignal },
): Promise<MemoryDocument> {
  using _lock = await lockFolder(dirname((await locate(path)).real), options);
  const place = await locate(path);
  const before = await readText(place);
  const memory = edit(MemoryDocument.parse(before ?? ""));
  const text = memory.toText();
  if (text === before) return memory;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MEMORY_LIMIT_BYTES) {
    throw new ToolFailure(
      `The memory would have ${inKilobytes(bytes.length)}; it may have ${
        inKilobytes(MEMORY_LIMIT_BYTES)
      }. Nothing was changed. Condense its sections with memory_save first.`,
    );
  }
  if (hasTooManySections(text)) {
    throw new ToolFailure(
      `The memory would have more than ${MAX_SECTIONS} sections. Nothing was changed. ` +
        "Add to an existing section.",
    );
  }
  options.signal.throwIfAborted();
  await fileWork(
    place,
    "write",
    () => writeFileAtomically(place.real, bytes, before === undefined ? { mode: 0o600 } : {}),
  );
  return memory;
}

/** The location of a memory file after its symlinks are resolved. */
interface MemoryPlace {
  real: string;
  exists: boolean;
  /** The file's name for error messages, which must not contain the host's path. */
  shown: string;
}

async function locate(path: string): Promise<MemoryPlace> {
  const shown = basename(path);
  const folder = await fileWork({ shown }, "use", () => realpath(dirname(path)));
  const entry = join(folder, shown);
  const info = await fileWork({ shown }, "use", () => lstat(entry).catch(ignoreMissing));
  if (info === undefined) return { real: entry, exists: false, shown };
  if (info.isFile()) return { real: entry, exists: true, shown };
  if (!info.isSymbolicLink()) {
    throw new ToolFailure(`Cannot use "${shown}": it is not a file. A person must move it away.`);
  }
  const target = await fileWork({ shown }, "use", () => realpath(entry));
  // A symlink must not give access to other files of the folder, such as agent definitions and the file with the keys.
  if (!isWithin(target, folder) || !target.endsWith(SUFFIX) || !(await lstat(target)).isFile()) {
    throw new ToolFailure(
      `Cannot use "${shown}": it is a symbolic link to something other than a *${SUFFIX} file of the agents folder. ` +
        "A person must remove it.",
    );
  }
  return { real: target, exists: true, shown };
}

/** Returns the file's text, or undefined if the file does not exist. */
async function readText(place: MemoryPlace): Promise<string | undefined> {
  if (!place.exists) return undefined;
  const bytes = await fileWork(place, "read", async () => {
    const { size } = await lstat(place.real);
    if (size > MEMORY_LIMIT_BYTES) {
      throw new ToolFailure(
        `Cannot read "${place.shown}": it has ${inKilobytes(size)}, more than ${
          inKilobytes(MEMORY_LIMIT_BYTES)
        }. A person must shorten it.`,
      );
    }
    return await Deno.readFile(place.real);
  });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ToolFailure(
      `Cannot read "${place.shown}": it is not UTF-8 text. A person must fix it.`,
      { cause: error },
    );
  }
  if (!hasTooManySections(text)) return text;
  throw new ToolFailure(
    `Cannot read "${place.shown}": it has more than ${MAX_SECTIONS} sections. A person must shorten it.`,
  );
}

/**
 * Locks the folder against other runs and processes. Dispose of the result to unlock it. The lock is polled, so that an abort ends
 * the wait.
 *
 * Decision: the folder itself is locked, because a lock file would stay in the user's agents folder for ever (rejected: a
 * lock file).
 */
async function lockFolder(
  folder: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Disposable> {
  for (;;) {
    const work = async () => tryLock(await Deno.open(folder));
    const lock = await fileWork({ shown: "the agents folder" }, "lock", work);
    if (lock !== undefined) return lock;
    await clock.sleep(LOCK_RETRY_MS, signal);
  }
}

async function fileWork<T>(
  { shown }: { shown: string },
  action: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileFailure(error, action, shown);
  }
}

function inKilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}
