import assert from "node:assert/strict";
import fc from "fast-check";
import { type PlaceScanner, PlaceScans } from "../../runtime/triggers/place_scans.ts";
import { settle, TestClock } from "../support/test_clock.ts";

/** A scanner that takes as long as a test wants, and writes down what it is asked for. */
class PlayedScanner implements PlaceScanner {
  readonly done: string[] = [];
  /** What checks find: the same as before. */
  isSame = true;
  isThere = true;
  unreadable: string[] = [];
  /** Thrown by the next check or scan. */
  failure: Error | undefined;
  /** What each check and each scan waits for. */
  pause: () => Promise<void> = () => Promise.resolve();
  #isBusy = false;

  async check(): Promise<boolean> {
    await this.#do("check");
    return this.isSame;
  }

  scanAll(): Promise<void> {
    return this.#do("all");
  }

  scan(paths: readonly string[]): Promise<void> {
    return this.#do(paths.join(" "));
  }

  unread(): readonly string[] {
    return this.unreadable;
  }

  renew(): boolean {
    this.done.push(this.isThere ? "renew" : "nothing to renew");
    return this.isThere;
  }

  failed(error: unknown): void {
    assert.ok(error instanceof Error);
    this.done.push(`failed: ${error.message}`);
  }

  /** What was done since this was asked for last. */
  take(): string[] {
    return this.done.splice(0);
  }

  async #do(what: string): Promise<void> {
    assert.ok(!this.#isBusy, `${what} begins while something else is going on`);
    this.done.push(what);
    this.#isBusy = true;
    await this.pause();
    this.#isBusy = false;
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

/** Looks whose first one goes on until `finish`. */
function slowScans() {
  const [clock, scanner] = [new TestClock(), new PlayedScanner()];
  const gate = Promise.withResolvers<void>();
  scanner.pause = () => gate.promise;
  return { clock, scanner, scans: new PlaceScans(clock, scanner), finish: () => gate.resolve() };
}

Deno.test("PlaceScans scans once all that came due while a scan was going on", async () => {
  const { scanner, scans, finish } = slowScans();
  await using _ = scans;
  const first = scans.scan(["a"]);
  await settle();
  void scans.scan(["b", "c"]);
  void scans.scan(["a", "b"]);
  const last = scans.check();
  void scans.check();
  assert.deepEqual(scanner.take(), ["a"]);
  finish();
  await Promise.all([first, last]);
  assert.deepEqual(scanner.take(), ["check", "b c a"]);
});

Deno.test("PlaceScans scans everything after a check, and not again at what was due before it", async () => {
  const { scanner, scans, finish } = slowScans();
  await using _ = scans;
  void scans.scan(["a"]);
  const all = scans.scanAll();
  await settle();
  void scans.scan(["b"]);
  assert.deepEqual(scanner.take(), ["check"]);
  finish();
  await all;
  assert.deepEqual(scanner.take(), ["all"]);
});

Deno.test("PlaceScans leaves everything to a check that has found something else, and scans the paths that are due", async () => {
  const { scanner, scans, finish } = slowScans();
  await using _ = scans;
  scanner.isSame = false;
  const all = scans.scanAll();
  void scans.scan(["a"]);
  finish();
  await all;
  assert.deepEqual(scanner.take(), ["check", "a"]);
});

Deno.test("PlaceScans scans what comes due during a scan of everything", async () => {
  const scanner = new PlayedScanner();
  await using scans = new PlaceScans(new TestClock(), scanner);
  scanner.pause = () => {
    if (scanner.done.at(-1) === "all") void scans.scan(["late"]);
    return Promise.resolve();
  };
  await scans.scanAll();
  assert.deepEqual(scanner.take(), ["check", "all", "late"]);
});

Deno.test("PlaceScans goes on after a scan that has thrown", async () => {
  const { scanner, scans, finish } = slowScans();
  await using _ = scans;
  scanner.failure = new Error("disk full");
  const check = scans.check();
  void scans.scan(["a"]);
  finish();
  await check;
  await scans.scan(["b"]);
  assert.deepEqual(scanner.take(), ["check", "failed: disk full", "a", "b"]);
});

Deno.test("PlaceScans scans once more folders that are new, half a second later", async () => {
  const [clock, scanner] = [new TestClock(), new PlayedScanner()];
  await using scans = new PlaceScans(clock, scanner);
  scans.rescanSoon(["a", "b"]);
  await clock.advance(400);
  scans.rescanSoon(["c"]);
  await clock.advance(99);
  assert.deepEqual(scanner.take(), []);
  await clock.advance(1);
  assert.deepEqual(scanner.take(), ["a b"]);
  await clock.advance(400);
  assert.deepEqual(scanner.take(), ["c"]);
  await clock.advance(10_000);
  assert.deepEqual(scanner.take(), []);
});

Deno.test("PlaceScans waits for the scan that is going on when it ends, and does nothing after it", async () => {
  const { clock, scanner, scans, finish } = slowScans();
  scanner.unreadable = ["x"];
  const first = scans.scan(["a"]);
  void scans.scan(["b"]);
  await settle();
  void scans.scan(["c"]);
  scans.rescanSoon(["d"]);
  scans.reread({ renewed: true });
  let hasEnded = false;
  assert.equal(scans.signal.aborted, false);
  const ending = scans[Symbol.asyncDispose]().then(() => hasEnded = true);
  assert.equal(scans.signal.aborted, true);
  await settle();
  assert.equal(hasEnded, false);
  finish();
  await ending;
  await first;
  await scans.check();
  await scans.scanAll();
  scans.rescanSoon(["e"]);
  await clock.advance(100_000);
  assert.deepEqual(scanner.take(), ["a b"]);
  assert.equal(clock.sleeping, 0);
});

Deno.test("PlaceScans reads again what cannot be read, more and more rarely, until it can", async () => {
  const [clock, scanner] = [new TestClock(), new PlayedScanner()];
  await using scans = new PlaceScans(clock, scanner);
  scanner.unreadable = ["a", "b"];
  scans.reread({ renewed: false });
  await clock.advance(1_999);
  assert.deepEqual(scanner.take(), []);
  await clock.advance(1);
  assert.deepEqual(scanner.take(), ["a b"]);
  await clock.advance(3_999);
  assert.deepEqual(scanner.take(), []);
  scanner.unreadable = ["b"];
  await clock.advance(1);
  assert.deepEqual(scanner.take(), ["b"]);
  scanner.unreadable = [];
  await clock.advance(600_000);
  assert.deepEqual(scanner.take(), []);
});

Deno.test("PlaceScans has watched anew what can be read again: once, and when there is anything", async () => {
  const [clock, scanner] = [new TestClock(), new PlayedScanner()];
  await using scans = new PlaceScans(clock, scanner);
  scanner.unreadable = ["a"];
  scanner.isThere = false;
  scans.reread({ renewed: true });
  // Said again for something else: what is due stays due.
  scans.reread({ renewed: false });
  assert.deepEqual(scanner.take(), []);
  await clock.advance(2_000);
  assert.deepEqual(scanner.take(), ["a", "nothing to renew"]);
  scanner.isThere = true;
  await clock.advance(4_000);
  assert.deepEqual(scanner.take(), ["a", "renew"]);
  await clock.advance(8_000);
  assert.deepEqual(scanner.take(), ["a"]);
});

const deed = fc.oneof(
  fc.record({ kind: fc.constant("look" as const), path: fc.constantFrom("a", "b", "c") }),
  fc.record({ kind: fc.constantFrom("check" as const, "all" as const) }),
  fc.record({ kind: fc.constant("pass" as const) }),
);

Deno.test("PlaceScans, whatever comes due while it scans, is scanned later, and nothing else is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 30 }), async (deeds) => {
      const scanner = new PlayedScanner();
      // Each look lasts until a test lets time pass, or until the end.
      let isOver = false;
      let wake = () => {};
      scanner.pause = () => isOver ? Promise.resolve() : new Promise((resolve) => wake = resolve);
      await using scans = new PlaceScans(new TestClock(), scanner);
      /** How much was done when this was asked for last. */
      const asked = new Map<string, number>();
      const asking: Promise<void>[] = [];
      for (const one of deeds) {
        if (one.kind === "pass") {
          wake();
          for (let i = 0; i < 10; i++) await Promise.resolve();
          continue;
        }
        asked.set(one.kind === "look" ? one.path : one.kind, scanner.done.length);
        if (one.kind === "look") asking.push(scans.scan([one.path]));
        else asking.push(one.kind === "check" ? scans.check() : scans.scanAll());
      }
      isOver = true;
      wake();
      await Promise.all(asking);
      for (const [what, before] of asked) {
        const later = scanner.done.slice(before).flatMap((done) => done.split(" "));
        const isDone = later.includes(what) || what.length === 1 && later.includes("all");
        assert.ok(isDone, `${what} in ${scanner.done} from ${before}`);
      }
      const known = new Set([...asked.keys(), ...asked.has("all") ? ["check"] : []]);
      for (const done of scanner.done) {
        for (const part of done.split(" ")) assert.ok(known.has(part), part);
      }
    }),
  );
});
