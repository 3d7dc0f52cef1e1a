// The lock of a state directory, which one service at a time holds. The system releases it when the process ends. A PID
// file shows the holder to people and tools.
import type { Directories } from "../../config/directories.ts";
import { stateFilesOf } from "../../config/places.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import { takeLock } from "../../../base/files/lock_file.ts";
import { ifThere } from "../../../base/files/missing.ts";
import { makeStateDir } from "./state_dir.ts";

/** Error: another service holds this state directory. */
export class AlreadyRunning extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(stateDir: string) {
    const pid = readPid(stateDir);
    const process = pid === undefined ? "" : `PID ${pid}, `;
    super(
      `Inkling is already running for this workspace (${process}state directory ${stateDir}). ` +
        'Stop it with "inkling stop", or, if config.yaml now names another workspace, with "inkling stop -w <its folder>"',
    );
  }
}

/**
 * Acquires the lock of a state directory and writes the PID file. The dispose releases the lock, and the system does so when
 * the process ends. Throws AlreadyRunning if another process holds the lock.
 */
export function lockStateDir(stateDir: string): Disposable {
  const { lockFile, pidFile } = stateFilesOf(stateDir);
  using held = new DisposableStack();
  if (held.use(takeLock(lockFile)) === undefined) throw new AlreadyRunning(stateDir);
  Deno.writeTextFileSync(pidFile, `${Deno.pid}\n`, { mode: 0o600 });
  // The PID file may be missing, because a person removed it. Only the lock decides.
  held.defer(() => void ifThere(() => Deno.removeSync(pidFile)));
  return held.move();
}

/**
 * Creates and locks the state directories, and `others`. Returns the locks, which must be released after everything that writes to the
 * directories. Throws StateDirUnusable and AlreadyRunning.
 */
export async function lockStateDirs(
  { stateDir, ownStateDir }: Pick<Directories, "stateDir" | "ownStateDir">,
  ...others: readonly string[]
): Promise<Disposable> {
  using locks = new DisposableStack();
  for (const dir of new Set([stateDir, ownStateDir, ...others])) {
    await makeStateDir(dir);
    locks.use(lockStateDir(dir));
  }
  return locks.move();
}

/** Returns the PID of the holder; undefined if the file cannot be read, for example while it is written. */
function readPid(stateDir: string): string | undefined {
  try {
    return /^\d+$/.exec(Deno.readTextFileSync(stateFilesOf(stateDir).pidFile).trim())?.[0];
  } catch {
    // Without a PID, only the message is less precise: the lock itself decides.
    return undefined;
  }
}
