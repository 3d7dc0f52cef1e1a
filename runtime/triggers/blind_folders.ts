// Folders that cannot be watched: looked at from time to time instead, logged once, tried again later.
import type { Clock } from "../clock.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { isSameFolder, type WatchedFolder } from "./watch_cover.ts";

const POLL_MS = 2_000;
/** A large folder takes long to look through: then it is left alone for this many times as long, a minute at most. */
const REST_FACTOR = 10;
const RETRY_MS = 60_000;

/** What is done about folders that cannot be watched. */
export interface BlindFoldersPorts {
  clock: Clock;
  log: ServiceLog;
  /** Looks through a folder; resolves when that is done. */
  look: (folder: WatchedFolder) => Promise<void>;
  /** It is time to try to watch again. */
  retry: () => Promise<void>;
}

/** The folders that cannot be watched now. */
export class BlindFolders implements AsyncDisposable {
  readonly #ports: BlindFoldersPorts;
  readonly #over = new AbortController();
  #folders: (WatchedFolder & { retryAt: number })[] = [];
  #looking: Promise<void> | undefined;
  /** Logged once, until all folders can be watched again. */
  #isTold = false;

  constructor(ports: BlindFoldersPorts) {
    this.#ports = ports;
  }

  /** Whether it makes sense to try to watch this folder. */
  mayTry(folder: WatchedFolder): boolean {
    const known = this.#folders.find((one) => isSameFolder(one, folder));
    return known === undefined || known.retryAt <= this.#ports.clock.now();
  }

  /** Takes care of a folder whose watch failed. */
  add({ folder, recursive }: WatchedFolder, error: unknown): void {
    const { clock, log } = this.#ports;
    // Gone a moment before it was to be watched: its listeners notice that as soon as they look.
    const isGone = error instanceof Deno.errors.NotFound;
    if (!isGone && !this.#isTold) {
      this.#isTold = true;
      log.write(
        "warn",
        `Cannot watch ${folder}: ${describe(error)} Such folders are looked at every ` +
          `${POLL_MS / 1_000} seconds instead, and tried again every minute.`,
      );
    }
    const retryAt = clock.now() + (isGone ? 0 : RETRY_MS);
    this.#keep((one) => !isSameFolder(one, { folder, recursive }));
    this.#folders.push({ folder, recursive, retryAt });
    this.#looking ??= this.#look();
  }

  /** A folder is watched now. */
  remove(folder: WatchedFolder): void {
    this.#keep((one) => !isSameFolder(one, folder));
    if (this.#folders.length > 0 || !this.#isTold) return;
    this.#isTold = false;
    this.#ports.log.write("info", "All folders can be watched again");
  }

  /** Leaves alone what nobody wants any more. */
  keepOnly(isWanted: (folder: WatchedFolder) => boolean): void {
    this.#keep(isWanted);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#looking;
  }

  #keep(isKept: (folder: WatchedFolder) => boolean): void {
    this.#folders = this.#folders.filter(isKept);
  }

  async #look(): Promise<void> {
    const { clock, look, retry } = this.#ports;
    for (let restMs = POLL_MS; this.#folders.length > 0;) {
      await clock.sleep(restMs, this.#over.signal).catch(() => {/* It ends. */});
      if (this.#over.signal.aborted) return;
      const start = clock.now();
      if (this.#folders.some((folder) => this.mayTry(folder))) await retry();
      await Promise.all(this.#folders.map(look));
      restMs = Math.min(RETRY_MS, Math.max(POLL_MS, REST_FACTOR * (clock.now() - start)));
    }
    this.#looking = undefined;
  }
}

/** Why, and what a person can do about it. */
function describe(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (!/watch limit|no space left|too many open files|EMFILE|ENOSPC/i.test(reason)) {
    return `${reason.replace(/\.?$/, ".")}`;
  }
  const files = "the limit of open files (ulimit -n)";
  if (Deno.build.os !== "linux") return `the system has no file watches left; raise ${files}.`;
  const watches =
    "sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024";
  // The same error for too many watchers of the user and too many files of the process.
  const orFiles = /too many open files|EMFILE/i.test(reason) ? `, or raise ${files}` : "";
  return `the system has no file watches left; raise the limit with: ${watches}${orFiles}.`;
}
