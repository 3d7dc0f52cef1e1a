// Looks from time to time whether what is watched is still what it was. The system reports most folders that are replaced, but
// not all: one whose parent is moved away and made anew goes unreported, and of many events at once some get lost, that of the
// folder's own removal among them (measured with Deno 2.9.6).
import type { Clock } from "../clock.ts";
import { folderIdentity } from "../files/folder_identity.ts";
import { isMissing } from "./missing.ts";

const CHECK_MS = 2_000;

/** What distinguishes two folders at one path; undefined where that is unknown. */
export function identityAt(folder: string): string | undefined {
  try {
    return folderIdentity(Deno.lstatSync(folder));
  } catch (error) {
    return isMissing(error) ? "missing" : undefined;
  }
}

/** Checks that continue for as long as there is anything to check. */
export class IdentityChecks implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #check: () => Promise<void>;
  #over = new AbortController();
  #working: Promise<void> | undefined;

  /** `check` must not throw. */
  constructor(clock: Clock, check: () => Promise<void>) {
    this.#clock = clock;
    this.#check = check;
  }

  /** Whether checks are wanted from now on. */
  keepUp(isWanted: boolean): void {
    if (!isWanted) {
      this.#over.abort();
      this.#working = undefined;
    } else if (this.#working === undefined) {
      this.#over = new AbortController();
      this.#working = this.#work(this.#over.signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const working = this.#working;
    this.keepUp(false);
    await working;
  }

  async #work(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#clock.sleep(CHECK_MS, over).catch(() => {/* Nothing is left to check. */});
      if (!over.aborted) await this.#check();
    }
  }
}
