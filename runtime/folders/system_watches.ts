// Opens the watches of the operating system, one per folder, with workarounds for Deno's watch on Linux.
//
// Decision: a folder that contains links to folders is watched as a list of its real folders. A recursive watch follows
// links. The system has only one watch per folder, even if several paths lead to it. So a watch that follows a link takes
// the events of that folder from all other watches, and ends them when it closes (measured with Deno 2.9.6 on Linux). When
// such a link is created later, all watches are reopened.
//
// Decision: a folder that contains a named pipe is not watched. Deno's watch opens the path of an event. A pipe without a
// writer blocks it, and then opening or closing any watch would block the whole service. So a probe precedes each opening
// and closing: the watch must report an event. If it does not, new pipes are opened for a moment, which unblocks the watch.
import { join } from "../../base/plain_path.ts";
import { sleepUnlessAborted, untilAborted } from "../../base/bounded_wait.ts";
import { SystemClock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";

/** The event source of one watched folder. */
export interface FolderEventSource extends AsyncIterable<Deno.FsEvent> {
  /** Closes the watch. The iteration ends when the watch is closed. */
  close(): void;
  /** True if the watch is a list of folders, which must be reopened to include new subfolders. */
  readonly isListed?: boolean;
}

/** A function that opens the watch of a folder. Throws or rejects if the system cannot watch it. */
export type OpenFolderEvents = (
  folder: string,
  options: { recursive: boolean },
) => FolderEventSource | Promise<FolderEventSource>;

/** The maximum wait for the event of a probe. It usually arrives within milliseconds, on a busy machine within a second. */
const ANSWER_MS = 3_000;
/** The time for which a closed watch may be active. */
const CLOSING_MS = 300;

/** The properties of a folder that its watch depends on. */
export interface Survey {
  /** The folder and its subfolders, without links. */
  folders: string[];
  /** True if the folder contains links to folders. */
  hasLinks: boolean;
  pipes: string[];
}

interface Probe {
  watch: Deno.FsWatcher;
  answer: PromiseWithResolvers<void>;
}

/**
 * Returns the properties of a folder and its subfolders. Ignores unreadable parts, for which the watch reports the error.
 */
export async function surveyFolder(
  root: string,
  { recursive }: { recursive: boolean },
): Promise<Survey> {
  const found: Survey = { folders: [root], hasLinks: false, pipes: [] };
  for (const folder of found.folders) {
    const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
    for (const { name, isFile, isDirectory, isSymlink } of entries) {
      if (isFile) continue;
      const path = join(folder, name);
      if (isDirectory && recursive) found.folders.push(path);
      if (isDirectory) continue;
      const info = await Deno.stat(path).catch(() => undefined);
      if (isSymlink && recursive && info?.isDirectory) found.hasLinks = true;
      if (info?.isFifo) found.pipes.push(path);
    }
  }
  return found;
}

/** Opens and checks Deno's watches. */
export class SystemWatches implements AsyncDisposable {
  /** The system's clock, used also if the service has another clock. */
  readonly #clock = new SystemClock();
  readonly #over = new AbortController();
  /** A watch of the probe folder, whose events show that watches work; undefined before the first watch. */
  #probe: Probe | undefined;
  readonly #probeFolder: string;
  /** The open watches. */
  readonly #open = new Map<
    Deno.FsWatcher,
    { folder: string; recursive: boolean; closed: AbortController }
  >();
  /** True if watching is blocked and the pipe that blocks it is gone. */
  #isStuck = false;
  #last: Promise<unknown> = Promise.resolve();

  /** Creates the watches. `probeFolder` is an absolute path; the folder is created at the first watch. */
  constructor(probeFolder: string) {
    this.#probeFolder = probeFolder;
  }

  /** Opens the watch of a folder, as OpenFolderEvents describes. */
  async open(folder: string, { recursive }: { recursive: boolean }): Promise<FolderEventSource> {
    if (Deno.build.os !== "linux") return Deno.watchFs(folder, { recursive });
    const { folders, hasLinks, pipes: [pipe] } = await surveyFolder(folder, { recursive });
    if (pipe !== undefined) {
      throw new Error(`the named pipe ${pipe} would stall the watch; keep named pipes elsewhere`);
    }
    return await this.#safely(() => {
      const watch = hasLinks
        ? Deno.watchFs(folders, { recursive: false })
        : Deno.watchFs(folder, { recursive });
      const closed = new AbortController();
      this.#open.set(watch, { folder, recursive, closed });
      return {
        close: () => {
          closed.abort();
          void this.#safely(() => this.#end(watch)).catch(
            () => {/* Stuck: it stays until the process ends. */},
          );
        },
        isListed: hasLinks,
        [Symbol.asyncIterator]: () => eventsUntil(watch, closed.signal),
      };
    });
  }

  /** Checks that events arrive. If they do not, unblocks Deno's watching. */
  async check(): Promise<void> {
    if (this.#probe === undefined) return;
    await this.#safely(() => {}).catch(
      () => {/* Stuck: all watches have ended. Reopening them reports that. */},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Watching must not be blocked here, because closing a watch would then block the whole process.
    await this.check();
    this.#over.abort();
    await this.#last;
    for (const watch of [...this.#open.keys()]) this.#end(watch);
    if (this.#probe !== undefined && !this.#isStuck) this.#probe.watch.close();
  }

  /**
   * Runs `work`, which opens or closes a watch, when watching responds to a probe. Otherwise the change would block the
   * process. Changes run one at a time.
   */
  #safely<T>(work: () => T): Promise<T> {
    const result = this.#last.then(async () => {
      this.#probe ??= this.#openProbe();
      if (!this.#isStuck && !await this.#responds()) await this.#free();
      if (this.#isStuck) {
        throw new Error("a named pipe has stalled the watch, and is gone; restart the service");
      }
      return work();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  #openProbe(): Probe {
    Deno.mkdirSync(this.#probeFolder, { recursive: true });
    const watch = Deno.watchFs(this.#probeFolder, { recursive: false });
    const probe = { watch, answer: Promise.withResolvers<void>() };
    void (async () => {
      for await (const _event of watch) probe.answer.resolve();
    })();
    return probe;
  }

  /** Returns true if the probe watch reports an event in time. */
  async #responds(): Promise<boolean> {
    const probe = this.#probe;
    if (probe === undefined || this.#over.signal.aborted) return true;
    probe.answer = Promise.withResolvers<void>();
    const seconds = this.#clock.now() / 1_000;
    await Deno.utime(this.#probeFolder, seconds, seconds);
    const within = { clock: this.#clock, ms: ANSWER_MS };
    return (await firstOf(probe.answer.promise, { within, signal: this.#over.signal })).kind !==
      "late";
  }

  /**
   * Unblocks watching by opening all pipes in watched folders. They stay open while the watches of their folders are
   * closed, because closing a pipe is an event, too.
   */
  async #free(): Promise<void> {
    const held: Deno.FsFile[] = [];
    const ended: Deno.FsWatcher[] = [];
    for (const [watch, { folder, recursive }] of this.#open) {
      const { pipes } = await surveyFolder(folder, { recursive });
      // On Linux, opening a pipe for reading and writing never blocks. A pipe that cannot be opened is probably not the
      // cause and is skipped.
      const opened = await Promise.all(
        pipes.map((path) => Deno.open(path, { read: true, write: true }).catch(() => undefined)),
      );
      held.push(...opened.filter((file) => file !== undefined));
      if (pipes.length > 0) ended.push(watch);
    }
    this.#isStuck = !await this.#responds();
    for (const watch of this.#isStuck ? this.#open.keys() : ended) this.#end(watch);
    await sleepUnlessAborted(this.#clock, CLOSING_MS, this.#over.signal);
    for (const file of held) file.close();
  }

  #end(watch: Deno.FsWatcher): void {
    this.#open.get(watch)?.closed.abort();
    if (!this.#open.delete(watch) || this.#isStuck) return;
    try {
      watch.close();
    } catch (error) {
      // The watch has already ended.
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }
}

async function* eventsUntil(
  watch: Deno.FsWatcher,
  signal: AbortSignal,
): AsyncGenerator<Deno.FsEvent> {
  const events = watch[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const next = await untilAborted(events.next(), signal).catch((error) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (next === undefined || next.done) return;
    yield next.value;
  }
}

/** Returns the reason why a folder cannot be watched, and the remedy. */
export function describeWatchFailure(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (!/watch limit|no space left|too many open files|EMFILE|ENOSPC/i.test(reason)) {
    return reason.replace(/\.?$/, ".");
  }
  const files = "the limit of open files (ulimit -n)";
  if (Deno.build.os !== "linux") return `the system has no file watches left; raise ${files}.`;
  const watches =
    "sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024";
  // The system has the same error for too many watchers of the user and too many open files of the process.
  const orFiles = /too many open files|EMFILE/i.test(reason) ? `, or raise ${files}` : "";
  return `the system has no file watches left; raise the limit with: ${watches}${orFiles}.`;
}
