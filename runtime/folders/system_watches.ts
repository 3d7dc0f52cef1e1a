// The watches of the operating system, each folder watched once, and what Deno's watch cannot do on Linux worked around.
//
// Decision: a folder in which links lead to folders is watched as a list of its real folders. A recursive watch follows
// links, and the system knows one watch for a folder, however many paths lead there: the last one takes its events away from
// all others, and ends them when it goes (measured with Deno 2.9.6 on Linux). Who comes upon such a link later begins all
// watches anew.
//
// Decision: a folder with a named pipe in it is not watched. Deno's watch opens what an event names, a pipe without a writer
// blocks it, and then opening or closing any watch would block the whole service. So before either the watch is asked for an
// event; where none comes, the pipes that came meanwhile are opened for a moment, which lets it go on.
import { join } from "node:path";
import { sleepUnlessAborted, untilAborted } from "../../base/bounded_wait.ts";
import { SystemClock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";

/** The events of one watched folder. */
export interface FolderEventSource extends AsyncIterable<Deno.FsEvent> {
  /** Ends the watch; the iteration ends when that has taken effect. */
  close(): void;
  /** Whether new folders in it have to be watched by beginning anew. */
  readonly isListed?: boolean;
}

/** Begins to watch a folder. Throws, or rejects, where the system cannot. */
export type OpenFolderEvents = (
  folder: string,
  options: { recursive: boolean },
) => FolderEventSource | Promise<FolderEventSource>;

/** An event comes within a few milliseconds; on a busy machine, up to a second. */
const ANSWER_MS = 3_000;
/** So long after a watch is closed, its end may not have taken effect. */
const CLOSING_MS = 300;

/** What a folder holds that matters to its watch. */
export interface Survey {
  /** The folder and the real folders in it. */
  folders: string[];
  /** Whether links in it lead to folders. */
  hasLinks: boolean;
  pipes: string[];
}

interface Probe {
  watch: Deno.FsWatcher;
  answer: PromiseWithResolvers<void>;
}

/** Walks through a folder. What cannot be read is left to the watch. */
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

/** Deno's watches. */
export class SystemWatches implements AsyncDisposable {
  /** Measures how long the system takes, whatever clock the service has. */
  readonly #clock = new SystemClock();
  readonly #over = new AbortController();
  /** A folder of its own, whose events show that watching works; undefined: nothing was watched yet. */
  #probe: Probe | undefined;
  readonly #probeFolder: string;
  /** What is watched. */
  readonly #open = new Map<
    Deno.FsWatcher,
    { folder: string; recursive: boolean; closed: AbortController }
  >();
  /** Nothing lets the watch go on: what blocks it is gone. */
  #isStuck = false;
  #last: Promise<unknown> = Promise.resolve();

  /** `probeFolder` (absolute) is made when it is needed. */
  constructor(probeFolder: string) {
    this.#probeFolder = probeFolder;
  }

  /** Watches a folder: see OpenFolderEvents. */
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

  /** Finds out whether events still come, and sees to it where they do not. */
  async check(): Promise<void> {
    if (this.#probe === undefined) return;
    await this.#safely(() => {}).catch(
      () => {/* Stuck: all watches have ended, which is told where they are opened anew. */},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // To close what a pipe has stalled would block the whole process.
    await this.check();
    this.#over.abort();
    await this.#last;
    for (const watch of [...this.#open.keys()]) this.#end(watch);
    if (this.#probe !== undefined && !this.#isStuck) this.#probe.watch.close();
  }

  /** Does something to the watches that blocks unless they respond. One after the other. */
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

  /** Whether the watch tells of an event that is made for it. */
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

  /** Lets the watch go on: all pipes are open while their watches are closed, since closing a pipe is an event, too. */
  async #free(): Promise<void> {
    const held: Deno.FsFile[] = [];
    const ended: Deno.FsWatcher[] = [];
    for (const [watch, { folder, recursive }] of this.#open) {
      const { pipes } = await surveyFolder(folder, { recursive });
      // On Linux opening for both never blocks. What may not be opened, or is gone, may not be what blocks.
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
      // It ended by itself.
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

/** Why a folder cannot be watched, and what a person can do about it. */
export function describeWatchFailure(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (!/watch limit|no space left|too many open files|EMFILE|ENOSPC/i.test(reason)) {
    return reason.replace(/\.?$/, ".");
  }
  const files = "the limit of open files (ulimit -n)";
  if (Deno.build.os !== "linux") return `the system has no file watches left; raise ${files}.`;
  const watches =
    "sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024";
  // The same error for too many watchers of the user and too many files of the process.
  const orFiles = /too many open files|EMFILE/i.test(reason) ? `, or raise ${files}` : "";
  return `the system has no file watches left; raise the limit with: ${watches}${orFiles}.`;
}
