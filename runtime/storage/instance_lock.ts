// One service per state directory: a lock that dies with its holder, and the PID beside it for people and tools.
import { RuntimeError, type RuntimeErrorCode } from "../errors.ts";
import { takeLock } from "../lock_file.ts";

/** Another service holds this state directory. */
export class AlreadyRunning extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(stateDir: string) {
    super(`Inkling is already running for this workspace (state directory ${stateDir})`);
  }
}

/** Holds the lock file until disposed. The system releases it when the process dies, however that happens. */
export class InstanceLock implements Disposable {
  readonly #lock: Disposable;
  readonly #pidFile: string;

  private constructor(lock: Disposable, pidFile: string) {
    this.#lock = lock;
    this.#pidFile = pidFile;
  }

  /** Takes the lock and writes the PID file. Throws AlreadyRunning when another process holds it. */
  static take(places: { lockFile: string; pidFile: string; stateDir: string }): InstanceLock {
    const lock = takeLock(places.lockFile);
    if (lock === undefined) throw new AlreadyRunning(places.stateDir);
    try {
      Deno.writeTextFileSync(places.pidFile, `${Deno.pid}\n`, { mode: 0o600 });
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
    return new InstanceLock(lock, places.pidFile);
  }

  [Symbol.dispose](): void {
    try {
      Deno.removeSync(this.#pidFile);
    } catch (error) {
      // Somebody tidied up; the lock is what counts.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    } finally {
      this.#lock[Symbol.dispose]();
    }
  }
}
