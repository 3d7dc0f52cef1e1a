// One service per state directory: a lock that dies with its holder, and the PID beside it for people and tools.
import { RuntimeError, type RuntimeErrorCode } from "../errors.ts";

/** Another service holds this state directory. */
export class AlreadyRunning extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(stateDir: string) {
    super(`Inkling is already running for this workspace (state directory ${stateDir})`);
  }
}

/** Holds the lock file until disposed. The system releases it when the process dies, however that happens. */
export class InstanceLock implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #pidFile: string;

  private constructor(file: Deno.FsFile, pidFile: string) {
    this.#file = file;
    this.#pidFile = pidFile;
  }

  /** Takes the lock and writes the PID file. Throws AlreadyRunning when another process holds it. */
  static take(places: { lockFile: string; pidFile: string; stateDir: string }): InstanceLock {
    const file = Deno.openSync(places.lockFile, {
      read: true,
      write: true,
      create: true,
      mode: 0o600,
    });
    try {
      if (!file.tryLockSync(true)) throw new AlreadyRunning(places.stateDir);
      Deno.writeTextFileSync(places.pidFile, `${Deno.pid}\n`, { mode: 0o600 });
    } catch (error) {
      file.close();
      throw error;
    }
    return new InstanceLock(file, places.pidFile);
  }

  [Symbol.dispose](): void {
    // The lock file stays: removing it would let two processes lock two files of the same name.
    try {
      Deno.removeSync(this.#pidFile);
    } catch (error) {
      // Somebody tidied up; the lock is what counts.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    } finally {
      // A process that is just being started still has a copy of this file: closing ours alone would leave the lock
      // with it until it runs its own program.
      this.#file.unlockSync();
      this.#file.close();
    }
  }
}
