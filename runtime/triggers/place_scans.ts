// When a watched path is scanned, and how much of it: what is due is put together, and one scan follows the other. A
// folder that is new is scanned twice; what cannot be read, again and again.
import { sleepUnlessAborted } from "../bounded_wait.ts";
import type { Clock } from "../clock.ts";
import { Rereading } from "./rereading.ts";

/** After this long a folder that appeared is scanned once more: its watch began a little later than its life. */
const SECOND_SCAN_MS = 500;

/** Does the scanning. Never asked for a check or a scan while another one is going on. */
export interface PlaceScanner {
  /** Finds out what is at the path, and continues with that. Whether it is what was there before: then its content was not scanned. */
  check(): Promise<boolean>;
  /** Scans everything in what the last check has found. */
  scanAll(): Promise<void>;
  /** Scans these paths, if anything is there. */
  scan(paths: readonly string[]): Promise<void>;
  /** What cannot be read now. */
  unread(): readonly string[];
  /** Has what is there watched anew. Whether anything is there. */
  renew(): boolean;
  /** A check or a scan has thrown. */
  failed(error: unknown): void;
}

/** The scans of one path. What resolves does so when nothing is due any more. */
export class PlaceScans implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #scanner: PlaceScanner;
  readonly #over = new AbortController();
  readonly #rereading: Rereading;
  #isCheckDue = false;
  #isAllDue = false;
  readonly #due = new Set<string>();
  #isRenewalDue = false;
  #working: Promise<void> | undefined;
  #secondScan: Promise<void> | undefined;

  constructor(clock: Clock, scanner: PlaceScanner) {
    this.#clock = clock;
    this.#scanner = scanner;
    this.#rereading = new Rereading(clock, () => this.#reread());
  }

  /** Aborted when no scan is wanted any more; one that takes long is to end then. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Checks whether the path is still what it was. */
  check(): Promise<void> {
    this.#isCheckDue = true;
    return this.#work();
  }

  /** The same, and scans everything in it. */
  scanAll(): Promise<void> {
    this.#isAllDue = true;
    return this.#work();
  }

  scan(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#due.add(path);
    return this.#work();
  }

  /** Scans folders once more, a moment later: they are new, and may just be being filled. */
  rescanSoon(folders: readonly string[]): void {
    const before = this.#secondScan;
    this.#secondScan = (async () => {
      await sleepUnlessAborted(this.#clock, SECOND_SCAN_MS, this.signal);
      await before;
      if (!this.signal.aborted) void this.scan(folders);
    })();
  }

  /** Tries what cannot be read from time to time, until all can be; `renewed`: has all watched anew with the next attempt. */
  reread({ renewed }: { renewed: boolean }): void {
    this.#isRenewalDue ||= renewed;
    this.#rereading.begin();
  }

  /** No scan begins any more. */
  end(): void {
    this.#over.abort();
  }

  /** Ends, and waits for the scan that is going on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#working;
    await this.#secondScan;
    await this.#rereading[Symbol.asyncDispose]();
  }

  #work(): Promise<void> {
    return this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    // Not before the caller has this promise at hand.
    await Promise.resolve();
    while (!this.signal.aborted) {
      try {
        if (this.#isCheckDue || this.#isAllDue) await this.#check();
        else if (this.#due.size > 0) await this.#scanDue();
        else break;
      } catch (error) {
        this.#scanner.failed(error);
      }
    }
    this.#working = undefined;
  }

  async #check(): Promise<void> {
    const isAllDue = this.#isAllDue;
    this.#isCheckDue = this.#isAllDue = false;
    const isSame = await this.#scanner.check();
    if (!isAllDue || !isSame) return;
    this.#due.clear();
    await this.#scanner.scanAll();
  }

  async #scanDue(): Promise<void> {
    const paths = [...this.#due];
    this.#due.clear();
    await this.#scanner.scan(paths);
  }

  /** Whether there is anything left to read again. */
  async #reread(): Promise<boolean> {
    await this.scan(this.#scanner.unread());
    if (this.#isRenewalDue && this.#scanner.renew()) this.#isRenewalDue = false;
    return this.#scanner.unread().length > 0;
  }
}
