// Fuzzes families of executions with random events, up to two actions in parallel. No execution may wait forever, outlive
// its parent, move illegally or end twice, and at the end of a case all have ended.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { isFinal } from "../../../runtime/executions/states.ts";
import type { HumanAnswer, HumanRequest } from "../../../runtime/executions/human_request.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { settle, TestClock } from "../../../tests/support/test_clock.ts";
import {
  createTestWorkspace,
  payloadsOf,
  type TestWorkspace,
} from "../../../tests/support/test_workspace.ts";
import { until } from "../../../tests/support/until.ts";
import { StatusMoves } from "../status_moves.ts";
import { defineTarget } from "../target.ts";

const call = (name: string, args: unknown) => ({ name, arguments: args });
const delegate = (id: string) => call("run_agent", { agent_id: id });
const ask = (question: string) => call("ask_user", { question });
const write = (path: string) => call("file_write", { path, content: path });

const AGENTS = ["top", "middle", "late", "asker"] as const;

/**
 * Writes the agents: top delegates to middle and late, then to two askers; middle delegates to two askers. Middle, late and
 * asker also ask a person.
 */
async function writeFamily(place: TestWorkspace, resumed: readonly string[]): Promise<void> {
  const lines = (id: string, ...more: string[]) =>
    [...more, ...(resumed.includes(id) ? ["on_restart: resume"] : [])].join("\n");
  await place.writeScript("top", [
    { call: [delegate("middle"), delegate("late")] },
    { call: [delegate("asker"), write("top.txt"), delegate("asker")] },
    { say: "Top.", delay_ms: 1_000 },
  ], lines("top", "agents: [middle, late, asker]", "on_pending: parallel"));
  await place.writeScript("middle", [
    { call: [delegate("asker"), delegate("asker")] },
    { call: [ask("Middle?")], delay_ms: 1_000 },
    { say: "Middle." },
  ], lines("middle", "agents: [asker]", "confirm_timeout: 20m"));
  // During the three seconds of late's first reply, its parent waits and the questions of its siblings can be answered.
  await place.writeScript("late", [
    { call: [ask("Late?")], delay_ms: 3_000 },
    { say: "Late.", delay_ms: 1_000 },
  ], lines("late"));
  await place.writeScript("asker", [
    { call: [ask("One?"), write("asker.txt")] },
    { call: [ask("Two?")], delay_ms: 1_000 },
    { say: "Asker." },
  ], lines("asker", "confirm_timeout: 10m"));
}

const ACTIONS = ["start", "answer", "answer above", "cancel", "time", "expire", "restart", "purge"];
const action = fc.record({
  what: fc.constantFrom(...ACTIONS, "answer", "answer", "answer above", "time", "time"),
  /** The index of the affected execution in the list of possible ones, modulo the list's length. */
  whom: fc.nat({ max: 20 }),
  /** True: the next action starts before this action has ended, after `turns` turns of the event loop. */
  withNext: fc.boolean(),
  turns: fc.nat({ max: 12 }),
});

class Family {
  readonly clock = new TestClock();
  readonly #place: TestWorkspace;
  runtime!: Runtime;

  constructor(place: TestWorkspace) {
    this.#place = place;
  }

  async open(): Promise<void> {
    this.runtime = await this.#place.open({ clock: this.clock });
  }

  async perform(what: string, whom: number): Promise<unknown> {
    const all = await this.#all();
    const waiting = all.filter(({ status }) => status === "waiting");
    const pick = (from: typeof all) => from[whom % Math.max(1, from.length)]?.id;
    switch (what) {
      case "start":
        return await this.runtime.run(AGENTS[whom % 2] ?? "top", {});
      case "answer":
      case "answer above": {
        const id = pick(
          what === "answer" ? waiting : waiting.filter((one) => one.parentExecutionId === null),
        );
        if (id === undefined) return;
        const request = await this.runtime.pendingRequest(id);
        const { requestId } = request;
        return await this.runtime.respond(id, { requestId, answer: answerTo(request, whom) });
      }
      case "cancel": {
        const id = pick(all.filter(({ status }) => !isFinal(status)));
        return id === undefined ? undefined : await this.runtime.cancel(id);
      }
      case "time":
        return await this.clock.advance(1_000);
      case "expire":
        return await this.clock.advance(601_000);
      case "purge":
        return await this.runtime.purgeCheckpoints({ force: true });
      case "restart":
        await this.runtime[Symbol.asyncDispose]();
        return await this.open();
    }
  }

  /** Checks that every waiting execution has a request and that no child runs after its parent has ended. */
  async look(): Promise<void> {
    await settle();
    for (const { id, status } of await this.#all()) {
      if (status === "waiting") await this.runtime.pendingRequest(id);
    }
    // Wait for the ends of the children: they follow the end of a parent after several writes to the disk, which take long
    // on a busy machine.
    await until(async () => {
      const all = await this.#all();
      const ended = new Set(all.filter(({ status }) => isFinal(status)).map(({ id }) => id));
      return all.every(({ status, parentExecutionId: parent }) =>
        isFinal(status) || parent === null || !ended.has(parent)
      );
    }, "no execution outlives its parent");
  }

  /** Answers all requests and advances the clock until all executions have ended. Then checks that each has ended once. */
  async finish(): Promise<void> {
    await until(async () => {
      await this.perform("answer", 0).catch(() => {/* Another answer was first. */});
      await this.clock.advance(1_000);
      const { running, waiting, resting } = await this.runtime.countExecutions();
      return running + waiting + resting === 0;
    }, "the end of all");
    const all = await this.#all();
    for (const { id } of all) {
      const frames = await payloadsOf(this.runtime, id);
      const types = frames.map((one) => one["event_type"]);
      assert.deepEqual(types.filter((type) => type === "complete"), ["complete"], `of ${id}`);
      assert.equal(types.at(-1), "complete");
    }
  }

  async #all() {
    return await this.runtime.listExecutions({ limit: 500, offset: 0 });
  }
}

function answerTo({ kind }: HumanRequest, whom: number): HumanAnswer {
  return kind === "confirm" ? { approved: whom % 2 === 0 } : { text: "yes" };
}

export const familyLives = defineTarget({
  name: "family-lives",
  claim: "a family of executions ends under any events, two actions at a time",
  oneIn: 100,
  cases: () =>
    fc.tuple(fc.array(action, { minLength: 4, maxLength: 25 }), fc.subarray([...AGENTS])),
  async check([actions, resumed]) {
    await using place = await createTestWorkspace();
    await writeFamily(place, resumed);
    const family = new Family(place);
    await family.open();
    using moves = new StatusMoves(join(place.stateDir, "inkling.db"));
    try {
      await family.perform("start", 0);
      let before: Promise<unknown> | undefined;
      for (const { what, whom, withNext, turns } of actions) {
        // A restart waits for the end of the previous action.
        if (what === "restart") await before;
        const doing = family.perform(what, whom).catch(isRefusal);
        before = Promise.all([before, doing]);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        if (withNext && what !== "restart") continue;
        await before;
        before = undefined;
        await family.look();
        moves.check();
      }
      await before;
      await family.finish();
      moves.check();
    } finally {
      await family.runtime[Symbol.asyncDispose]();
    }
  },
});

/** Returns if the error is a refusal that two parallel actions may get. Throws any other error. */
function isRefusal(error: unknown): void {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "conflict" && code !== "not_found" && code !== "unavailable") throw error;
}
