import assert from "node:assert/strict";
import fc from "fast-check";
import { type Looker, PlaceLooks } from "../../runtime/triggers/place_looks.ts";
import { settle, TestClock } from "../support/test_clock.ts";

/** A looker that looks for as long as a test wants, and writes down what it is asked for. */
class PlayedLooker implements Looker {
  readonly done: string[] = [];
  /** What checks find: the same as before. */
  isSame = true;
  isThere = true;
  unreadable: string[] = [];
  /** Thrown by the next check or look. */
  failure: Error | undefined;
  /** What each check and each look waits for. */
  pause: () => Promise<void> = () => Promise.resolve();
  #isBusy = false;

  async check(): Promise<boolean> {
    await this.#do("check");
    return this.isSame;
  }

  lookAtAll(): Promise<void> {
    return this.#do("all");
  }

  lookAt(paths: readonly string[]): Promise<void> {
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
function slowLooks() {
  const [clock, looker] = [new TestClock(), new PlayedLooker()];
  const gate = Promise.withResolvers<void>();
  looker.pause = () => gate.promise;
  return { clock, looker, looks: new PlaceLooks(clock, looker), finish: () => gate.resolve() };
}

Deno.test("PlaceLooks looks once at all that came due while a look was going on", async () => {
  const { looker, looks, finish } = slowLooks();
  await using _ = looks;
  const first = looks.lookAt(["a"]);
  await settle();
  void looks.lookAt(["b", "c"]);
  void looks.lookAt(["a", "b"]);
  const last = looks.check();
  void looks.check();
  assert.deepEqual(looker.take(), ["a"]);
  finish();
  await Promise.all([first, last]);
  assert.deepEqual(looker.take(), ["check", "b c a"]);
});

Deno.test("PlaceLooks looks at everything after a check, and not again at what was due before it", async () => {
  const { looker, looks, finish } = slowLooks();
  await using _ = looks;
  void looks.lookAt(["a"]);
  const all = looks.lookAtAll();
  await settle();
  void looks.lookAt(["b"]);
  assert.deepEqual(looker.take(), ["check"]);
  finish();
  await all;
  assert.deepEqual(looker.take(), ["all"]);
});

Deno.test("PlaceLooks leaves everything to a check that has found something else, and looks at the paths that are due", async () => {
  const { looker, looks, finish } = slowLooks();
  await using _ = looks;
  looker.isSame = false;
  const all = looks.lookAtAll();
  void looks.lookAt(["a"]);
  finish();
  await all;
  assert.deepEqual(looker.take(), ["check", "a"]);
});

Deno.test("PlaceLooks looks at what comes due during a look at everything", async () => {
  const looker = new PlayedLooker();
  await using looks = new PlaceLooks(new TestClock(), looker);
  looker.pause = () => {
    if (looker.done.at(-1) === "all") void looks.lookAt(["late"]);
    return Promise.resolve();
  };
  await looks.lookAtAll();
  assert.deepEqual(looker.take(), ["check", "all", "late"]);
});

Deno.test("PlaceLooks goes on after a look that has thrown", async () => {
  const { looker, looks, finish } = slowLooks();
  await using _ = looks;
  looker.failure = new Error("disk full");
  const check = looks.check();
  void looks.lookAt(["a"]);
  finish();
  await check;
  await looks.lookAt(["b"]);
  assert.deepEqual(looker.take(), ["check", "failed: disk full", "a", "b"]);
});

Deno.test("PlaceLooks looks once more at folders that are new, half a second later", async () => {
  const [clock, looker] = [new TestClock(), new PlayedLooker()];
  await using looks = new PlaceLooks(clock, looker);
  looks.lookAgainAt(["a", "b"]);
  await clock.advance(400);
  looks.lookAgainAt(["c"]);
  await clock.advance(99);
  assert.deepEqual(looker.take(), []);
  await clock.advance(1);
  assert.deepEqual(looker.take(), ["a b"]);
  await clock.advance(400);
  assert.deepEqual(looker.take(), ["c"]);
  await clock.advance(10_000);
  assert.deepEqual(looker.take(), []);
});

Deno.test("PlaceLooks waits for the look that is going on when it ends, and does nothing after it", async () => {
  const { clock, looker, looks, finish } = slowLooks();
  looker.unreadable = ["x"];
  const first = looks.lookAt(["a"]);
  void looks.lookAt(["b"]);
  await settle();
  void looks.lookAt(["c"]);
  looks.lookAgainAt(["d"]);
  looks.reread({ renewed: true });
  let hasEnded = false;
  assert.equal(looks.signal.aborted, false);
  const ending = looks[Symbol.asyncDispose]().then(() => hasEnded = true);
  assert.equal(looks.signal.aborted, true);
  await settle();
  assert.equal(hasEnded, false);
  finish();
  await ending;
  await first;
  await looks.check();
  await looks.lookAtAll();
  looks.lookAgainAt(["e"]);
  await clock.advance(100_000);
  assert.deepEqual(looker.take(), ["a b"]);
  assert.equal(clock.sleeping, 0);
});

Deno.test("PlaceLooks reads again what cannot be read, more and more rarely, until it can", async () => {
  const [clock, looker] = [new TestClock(), new PlayedLooker()];
  await using looks = new PlaceLooks(clock, looker);
  looker.unreadable = ["a", "b"];
  looks.reread({ renewed: false });
  await clock.advance(1_999);
  assert.deepEqual(looker.take(), []);
  await clock.advance(1);
  assert.deepEqual(looker.take(), ["a b"]);
  await clock.advance(3_999);
  assert.deepEqual(looker.take(), []);
  looker.unreadable = ["b"];
  await clock.advance(1);
  assert.deepEqual(looker.take(), ["b"]);
  looker.unreadable = [];
  await clock.advance(600_000);
  assert.deepEqual(looker.take(), []);
});

Deno.test("PlaceLooks has watched anew what can be read again: once, and when there is anything", async () => {
  const [clock, looker] = [new TestClock(), new PlayedLooker()];
  await using looks = new PlaceLooks(clock, looker);
  looker.unreadable = ["a"];
  looker.isThere = false;
  looks.reread({ renewed: true });
  // Said again for something else: what is due stays due.
  looks.reread({ renewed: false });
  assert.deepEqual(looker.take(), []);
  await clock.advance(2_000);
  assert.deepEqual(looker.take(), ["a", "nothing to renew"]);
  looker.isThere = true;
  await clock.advance(4_000);
  assert.deepEqual(looker.take(), ["a", "renew"]);
  await clock.advance(8_000);
  assert.deepEqual(looker.take(), ["a"]);
});

const deed = fc.oneof(
  fc.record({ kind: fc.constant("look" as const), path: fc.constantFrom("a", "b", "c") }),
  fc.record({ kind: fc.constantFrom("check" as const, "all" as const) }),
  fc.record({ kind: fc.constant("pass" as const) }),
);

Deno.test("PlaceLooks, whatever comes due while it looks, looks at it later, and at nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 30 }), async (deeds) => {
      const looker = new PlayedLooker();
      // Each look lasts until a test lets time pass, or until the end.
      let isOver = false;
      let wake = () => {};
      looker.pause = () => isOver ? Promise.resolve() : new Promise((resolve) => wake = resolve);
      await using looks = new PlaceLooks(new TestClock(), looker);
      /** How much was done when this was asked for last. */
      const asked = new Map<string, number>();
      const asking: Promise<void>[] = [];
      for (const one of deeds) {
        if (one.kind === "pass") {
          wake();
          for (let i = 0; i < 10; i++) await Promise.resolve();
          continue;
        }
        asked.set(one.kind === "look" ? one.path : one.kind, looker.done.length);
        if (one.kind === "look") asking.push(looks.lookAt([one.path]));
        else asking.push(one.kind === "check" ? looks.check() : looks.lookAtAll());
      }
      isOver = true;
      wake();
      await Promise.all(asking);
      for (const [what, before] of asked) {
        const later = looker.done.slice(before).flatMap((done) => done.split(" "));
        const isDone = later.includes(what) || what.length === 1 && later.includes("all");
        assert.ok(isDone, `${what} in ${looker.done} from ${before}`);
      }
      const known = new Set([...asked.keys(), ...asked.has("all") ? ["check"] : []]);
      for (const done of looker.done) {
        for (const part of done.split(" ")) assert.ok(known.has(part), part);
      }
    }),
  );
});
