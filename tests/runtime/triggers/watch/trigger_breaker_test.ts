import assert from "node:assert/strict";
import {
  type ChangeOrigin,
  FROM_OUTSIDE,
  MAX_CHAIN,
  TriggerBreaker,
} from "../../../../runtime/triggers/watch/trigger_breaker.ts";
import { TestClock } from "../../../support/test_clock.ts";

/** A simulated run queue that asks the breaker about changes and starts one run for each change. */
class Firing {
  readonly clock = new TestClock();
  readonly breaker = new TriggerBreaker(this.clock);
  #lastId = 0;

  /** Simulates a run that writes a file with a tool. The file starts the next run. */
  writeNext(path: string, agent: string): string | undefined {
    this.clock.jump(10_000);
    return this.fire(path, { agent, origin: { previous: this.#lastId, continues: true } });
  }

  /** Returns the reason if the change is refused. Otherwise simulates a run that ends after `forMs`. */
  fire(
    path: string,
    options: { forMs?: number; agent?: string; origin?: ChangeOrigin } = {},
  ): string | undefined {
    const { forMs = 0, agent = "a", origin = this.breaker.originOf(path) } = options;
    const reason = this.breaker.refusal(agent, { path, origin });
    if (reason !== undefined) return reason;
    const executionId = this.begin(path, { agent, origin });
    this.clock.jump(forMs);
    this.breaker.ended(executionId);
    return undefined;
  }

  /** Records the start of a run that does not end. Returns its execution id. */
  begin(path: string, options: { agent: string; origin?: ChangeOrigin }): number {
    const { agent, origin = this.breaker.originOf(path) } = options;
    const executionId = ++this.#lastId;
    this.breaker.started(agent, { executionId, path, origin });
    return executionId;
  }

  /** Simulates a run during which a path changes. The change starts the next run. */
  causeNext(path: string, agent = "a"): string | undefined {
    return this.fire(path, { forMs: 10_000, agent });
  }
}

function times(count: number, work: (i: number) => string | undefined): (string | undefined)[] {
  return Array.from({ length: count }, (_, i) => work(i));
}

Deno.test("TriggerBreaker refuses a path that fires more than 20 times a minute", () => {
  const firing = new Firing();
  const quickly = () => firing.fire("/a", { origin: FROM_OUTSIDE });
  assert.deepEqual(times(20, quickly), Array(20).fill(undefined));
  assert.match(quickly() ?? "", /^\/a fired more than 20 times within a minute$/);
  assert.equal(firing.fire("/b", { origin: FROM_OUTSIDE }), undefined, "another path");
  assert.equal(firing.fire("/a", { origin: FROM_OUTSIDE, agent: "b" }), undefined, "another agent");
  firing.clock.jump(60_000);
  const slowly = () => {
    firing.clock.jump(3_001);
    return quickly();
  };
  assert.ok(times(100, slowly).every((one) => one === undefined), "20 times a minute");
});

Deno.test("TriggerBreaker refuses runs that each cause the next run, with five paths in turn", () => {
  const firing = new Firing();
  const outcomes = times(MAX_CHAIN + 6, (i) => firing.causeNext(`/${i % 5}`));
  const first = outcomes.findIndex((one) => one !== undefined);
  assert.ok(first >= MAX_CHAIN && first < MAX_CHAIN + 5, `refused at ${first}`);
  assert.match(outcomes[first] ?? "", /more than 20 runs in a row/);
});

Deno.test("TriggerBreaker detects a loop although every third change is an unrelated new file", () => {
  const firing = new Firing();
  const outcomes = times(
    60,
    (i) => i % 3 === 2 ? firing.fire(`/new/${i}`, { forMs: 1 }) : firing.causeNext("/a"),
  );
  assert.ok(outcomes.some((one) => one !== undefined));
});

Deno.test("TriggerBreaker counts many writes of one run as one link of its chain", () => {
  const firing = new Firing();
  firing.fire("/split", { agent: "splitter" });
  const origin = { previous: 1, continues: true };
  for (let i = 0; i < 500; i++) {
    assert.equal(firing.fire(`/part-${i}`, { agent: "worker", origin, forMs: 100 }), undefined);
  }
});

Deno.test("TriggerBreaker starts a new chain after a person's answer", () => {
  const firing = new Firing();
  for (let i = 0; i < 60; i++) {
    assert.equal(firing.writeNext(`/${i}`, i % 2 === 0 ? "ping" : "pong"), undefined);
    firing.breaker.resumed(i + 1);
  }
});

Deno.test("TriggerBreaker counts two simultaneous loops separately", () => {
  const firing = new Firing();
  const running = ["/a", "/b"].map((path) => ({ path, id: firing.begin(path, { agent: path }) }));
  for (let round = 1; round < MAX_CHAIN; round++) {
    for (const one of running) {
      // Both runs are open while the path of this loop's file changes.
      const origin = firing.breaker.originOf(one.path);
      const change = { path: one.path, origin };
      assert.equal(firing.breaker.refusal(one.path, change), undefined, `round ${round}`);
      firing.breaker.ended(one.id);
      one.id = firing.begin(one.path, { agent: one.path, origin });
      firing.clock.jump(10_000);
    }
  }
  assert.match(firing.fire("/a", { agent: "/a" }) ?? "", /more than 20 runs in a row/);
  assert.match(firing.fire("/b", { agent: "/b" }) ?? "", /more than 20 runs in a row/);
});

Deno.test("TriggerBreaker.reset() restarts all counts", () => {
  const firing = new Firing();
  times(25, () => firing.causeNext("/a"));
  assert.ok(firing.causeNext("/a") !== undefined);
  firing.breaker.reset("a");
  assert.deepEqual(times(19, () => firing.causeNext("/a")), Array(19).fill(undefined));
  for (let i = 0; i < 20; i++) firing.fire("/q", { origin: FROM_OUTSIDE });
  assert.ok(firing.fire("/q", { origin: FROM_OUTSIDE }) !== undefined);
  firing.breaker.reset("other");
  assert.ok(firing.fire("/q", { origin: FROM_OUTSIDE }) !== undefined);
  firing.breaker.reset("a");
  assert.equal(firing.fire("/q", { origin: FROM_OUTSIDE }), undefined);
});

Deno.test("TriggerBreaker refuses no change because the clock was set back", () => {
  const firing = new Firing();
  for (let i = 0; i < 20; i++) firing.fire("/a", { origin: FROM_OUTSIDE });
  firing.clock.jump(-3_600_000);
  assert.equal(firing.fire("/a", { origin: FROM_OUTSIDE }), undefined);
});
