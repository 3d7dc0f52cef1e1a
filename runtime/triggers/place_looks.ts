// When a watched path is looked at, and at how much of it: what is due is put together, and one look follows the other. A
// folder that is new is looked at twice; what cannot be read, again and again.
import type { Clock } from "../clock.ts";
import { Rereading } from "./rereading.ts";

/** After this long a folder that appeared is looked at once more: its watch began a little later than its life. */
const SECOND_LOOK_MS = 500;

/** Who looks. Never asked for a check or a look while another one is going on. */
export interface Looker {
  /** Finds out what is at the path, and goes on with that. Whether it is what was there before: then it was not looked into. */
  check(): Promise<boolean>;
  /** Looks at everything in what the last check has found. */
  lookAtAll(): Promise<void>;
  /** Looks at these paths, if anything is there. */
  lookAt(paths: readonly string[]): Promise<void>;
  /** What cannot be read now. */
  unread(): readonly string[];
  /** Has what is there watched anew. Whether anything is there. */
  renew(): boolean;
  /** A check or a look has thrown. */
  failed(error: unknown): void;
}

/** The looks at one path. What resolves does so when nothing is due any more. */
export class PlaceLooks implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #looker: Looker;
  readonly #over = new AbortController();
  readonly #rereading: Rereading;
  #isCheckDue = false;
  #isAllDue = false;
  readonly #due = new Set<string>();
  #isRenewalDue = false;
  #working: Promise<void> | undefined;
  #secondLook: Promise<void> | undefined;

  constructor(clock: Clock, looker: Looker) {
    this.#clock = clock;
    this.#looker = looker;
    this.#rereading = new Rereading(clock, () => this.#reread());
  }

  /** Aborted when no look is wanted any more; one that takes long is to end then. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Looks whether the path is still what it was. */
  check(): Promise<void> {
    this.#isCheckDue = true;
    return this.#work();
  }

  /** The same, and looks at everything in it. */
  lookAtAll(): Promise<void> {
    this.#isAllDue = true;
    return this.#work();
  }

  lookAt(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#due.add(path);
    return this.#work();
  }

  /** Looks at folders once more, a moment later: they are new, and may just be being filled. */
  lookAgainAt(folders: readonly string[]): void {
    const before = this.#secondLook;
    this.#secondLook = (async () => {
      await this.#clock.sleep(SECOND_LOOK_MS, this.signal).catch(() => {/* It is closed. */});
      await before;
      if (!this.signal.aborted) void this.lookAt(folders);
    })();
  }

  /** Tries what cannot be read from time to time, until all can be; `renewed`: has all watched anew with the next attempt. */
  reread({ renewed }: { renewed: boolean }): void {
    this.#isRenewalDue ||= renewed;
    this.#rereading.begin();
  }

  /** No look begins any more. */
  end(): void {
    this.#over.abort();
  }

  /** Ends, and waits for the look that is going on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#working;
    await this.#secondLook;
    await this.#rereading[Symbol.asyncDispose]();
  }

  #work(): Promise<void> {
    return this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    // Not before the caller has this promise in his hands.
    await Promise.resolve();
    while (!this.signal.aborted) {
      try {
        if (this.#isCheckDue || this.#isAllDue) await this.#check();
        else if (this.#due.size > 0) await this.#look();
        else break;
      } catch (error) {
        this.#looker.failed(error);
      }
    }
    this.#working = undefined;
  }

  async #check(): Promise<void> {
    const isAllDue = this.#isAllDue;
    this.#isCheckDue = this.#isAllDue = false;
    const isSame = await this.#looker.check();
    if (!isAllDue || !isSame) return;
    this.#due.clear();
    await this.#looker.lookAtAll();
  }

  async #look(): Promise<void> {
    const paths = [...this.#due];
    this.#due.clear();
    await this.#looker.lookAt(paths);
  }

  /** Whether there is anything left to read again. */
  async #reread(): Promise<boolean> {
    await this.lookAt(this.#looker.unread());
    if (this.#isRenewalDue && this.#looker.renew()) this.#isRenewalDue = false;
    return this.#looker.unread().length > 0;
  }
}
