// Runs a random tree of delegation under random budgets. Eight parallel runs call a model that keeps a bill, instances die
// during calls, other instances continue, and people may raise budgets. At the end the budgets are compared with the bill.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { Config } from "../../runtime/config/config.ts";
import { parseConfig } from "../../runtime/config/parse_config.ts";
import { type Budget, toNanos } from "../../runtime/executions/budget.ts";
import { BudgetExceeded, BudgetGate } from "../../runtime/executions/budget/budget_gate.ts";
import { toBudgetQuestion } from "../../runtime/executions/budget/budget_question.ts";
import { type Model, ModelError, type Usage } from "../../runtime/models/model.ts";
import { withBilling } from "../../runtime/models/calls/spending.ts";
import { boundInputTokens } from "../../runtime/models/token_estimate.ts";
import { SqlBudgetStore } from "../../runtime/executions/budget/budget_store.ts";
import { LogLines } from "../../tests/support/log_lines.ts";
import { seededRandom } from "../../tests/support/seeded_random.ts";
import { createTestAgent } from "../../tests/support/test_agent.ts";
import { settle, TestClock } from "../../tests/support/test_clock.ts";
import { openTestStore } from "../../tests/support/test_store.ts";

const AGENTS = ["a", "b", "c"];
const RUNS_AT_ONCE = 8;
const INSTANCES = 4;
const CALLS_OF_A_RUN = 12;

/** The numbers of calls, refusals, deaths and raises of one tree, and the violations. */
export interface TreeReport {
  calls: number;
  refused: number;
  deaths: number;
  raises: number;
  /** The violations, each as a sentence. */
  faults: string[];
}

interface Bill {
  scopes: readonly string[];
  nanos: number;
  tokens: number;
}

/** Runs the tree of this seed until all its runs have ended, and returns the report. */
export async function runRandomTree(seed: number): Promise<TreeReport> {
  const random = seededRandom(seed * 7_919 + 1);
  for (let i = 0; i < 8; i++) random();
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (share: number) => random() < share;
  const some = (limit: number) =>
    chance(0.6) ? Number((limit * (0.2 + random())).toFixed(2)) : null;
  const clock = new TestClock("2026-03-10T12:00:00.000Z");
  await using store = await openTestStore({ instanceId: "0" });
  const config = randomConfig(some);
  const agents = AGENTS.map((id) =>
    createTestAgent({
      id,
      displayName: id,
      budget: {
        perDay: some(30),
        perMonth: some(60),
        tree: some(20),
        timezone: undefined,
        tokens: { perDay: some(30_000) && 1 + below(30_000), perMonth: null, tree: null },
      },
    })
  );
  const findAgent = (id: string) => agents.find((one) => one.id === id);
  const tree: { id: number; agent: Agent }[] = [];
  for (let i = 0; i < 2 + below(8); i++) {
    const parent = tree.length === 0 ? undefined : tree[below(tree.length)];
    const agent = agents[below(agents.length)] as Agent;
    const { id } = await store.accept({
      agentId: agent.id,
      parentExecutionId: parent?.id ?? null,
      parentPosition: parent === undefined ? null : i,
    });
    tree.push({ id, agent });
  }
  const root = tree[0]?.id ?? 0;
  const report: TreeReport = { calls: 0, refused: 0, deaths: 0, raises: 0, faults: [] };
  const bills: Bill[] = [];
  const bounds = new Map<string, Budget & { allowed: number }>();

  for (let instance = 1; instance <= INSTANCES; instance++) {
    const life = new AbortController();
    const budgets = stopAtDeath(new SqlBudgetStore(store.db, String(instance)), life.signal);
    await budgets.settleAbandoned(clock.now());
    const gate = new BudgetGate({
      store: budgets,
      families: store.families,
      findAgent,
      settings: { config },
      timeZone: () => "UTC",
      clock,
      log: new LogLines(),
    });
    const isLast = instance === INSTANCES;
    const callsUntilDeath = isLast ? Infinity : 5 + below(60);
    let calls = 0;
    /** Returns a model that bills a reply before sending it, as providers do, even if nobody receives the reply. */
    const randomModel = (): Model => {
      return {
        id: "test/billed",
        async *generate(request, { signal, subject }) {
          const agent = findAgent(subject?.agent ?? "");
          const bound = boundInputTokens(request);
          const output = below(request.maxTokens + 1);
          const usage = usageOf(bound - below(bound), output, random);
          const nanos = toNanos(costOf(usage));
          report.calls++;
          const budgets = [...gate.budgetsOf(agent), ...treeBounds(agents, tree, root)];
          for (const one of budgets) {
            if (!bounds.has(keyOf(one))) bounds.set(keyOf(one), { ...one, allowed: one.limit });
          }
          const scopes = budgets.map(keyOf);
          const bill = { scopes, nanos, tokens: usage.inputTokens + usage.outputTokens };
          bills.push(bill);
          checkBills(bills, bounds, report.faults);
          if (++calls >= callsUntilDeath && !life.signal.aborted) {
            report.deaths++;
            life.abort();
          }
          await settle();
          if (life.signal.aborted) await new Promise<never>(() => {});
          if (chance(0.1)) {
            // A response with an error is not billed.
            bills.splice(bills.indexOf(bill), 1);
            throw new ModelError("the provider answered 500", { retryable: true, status: 500 });
          }
          const isCut = chance(0.1);
          for (let i = 0; i < output; i += 50) {
            signal.throwIfAborted();
            yield { type: "usage", usage: { ...usage, outputTokens: 0 } };
            yield { type: "text", text: "word ".repeat(Math.min(50, output - i)) };
          }
          if (isCut) throw new ModelError("cut", { retryable: true, mayBeBilled: true });
          const content = "word ".repeat(output);
          return {
            message: { role: "assistant", content, toolCalls: [] },
            stop: "end",
            usage,
            reportedCostUsd: null,
          };
        },
      };
    };
    const run = async () => {
      for (let i = 0; i < CALLS_OF_A_RUN && !life.signal.aborted; i++) {
        const { id, agent } = tree[below(tree.length)] as typeof tree[number];
        const model = withBilling(randomModel(), { gate, agent, model: PRICED, prices: PRICES });
        const text = "word ".repeat(below(400));
        const request = {
          messages: [{ role: "user" as const, content: text }],
          tools: [],
          temperature: undefined,
          maxTokens: 1 + below(300),
        };
        try {
          const cancelled = new AbortController();
          const stream = model.generate(request, {
            signal: cancelled.signal,
            subject: { execution: id, agent: agent.id },
          });
          const isCancelled = chance(0.1);
          for (let step = await stream.next(); !step.done; step = await stream.next()) {
            if (isCancelled && chance(0.3)) {
              cancelled.abort(new DOMException("Cancelled", "AbortError"));
            }
          }
        } catch (error) {
          if (error instanceof BudgetExceeded) {
            report.refused++;
            if (!chance(0.3)) continue;
            const { raise } = toBudgetQuestion(error, agent);
            await budgets.raise(raise);
            const bound = bounds.get(keyOf(error.budget)) ??
              { ...error.budget, allowed: error.budget.limit };
            bound.allowed += raise.amount;
            bounds.set(keyOf(error.budget), bound);
            report.raises++;
          } else if (!(error instanceof ModelError || error instanceof DOMException)) throw error;
        }
      }
    };
    const runs = Promise.all(Array.from({ length: RUNS_AT_ONCE }, run));
    // Do not wait for the runs of a dead instance, because their promises never settle.
    await Promise.race([
      runs,
      new Promise<void>((resolve) => {
        life.signal.addEventListener("abort", () => resolve(), { once: true });
      }),
    ]);
    await settle();
  }
  const left = await store.all("SELECT * FROM reservations");
  if (left.length > 0) report.faults.push(`${left.length} reservations are left`);
  const states = await store.budgets.readBudgets([...bounds.values()]);
  for (const state of states) {
    const billed = sumOf(bills, state);
    if (state.used < billed) {
      report.faults.push(`${keyOf(state)}: ${billed} were billed and ${state.used} are booked`);
    }
    if (state.used > state.limit + state.raised) {
      report.faults.push(`${keyOf(state)}: ${state.used} of ${state.limit + state.raised} booked`);
    }
  }
  return report;
}

const PRICED = { provider: "test", name: "billed" };
const PRICES = {
  costOf: (_model: unknown, { usage }: { usage: Usage | null }) =>
    Promise.resolve(usage === null ? null : costOf(usage)),
};

/**
 * Returns the cost of a call in dollars. A token written to the cache costs more than a plain input token, a token read
 * from the cache less.
 */
function costOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  const fresh = inputTokens - cacheReadTokens - cacheWriteTokens;
  return (fresh * 300 + cacheReadTokens * 30 + cacheWriteTokens * 375 + outputTokens * 1_500) / 1e6;
}

function usageOf(inputTokens: number, outputTokens: number, random: () => number): Usage {
  const cacheWriteTokens = Math.floor(random() * inputTokens);
  const cacheReadTokens = Math.floor(random() * (inputTokens - cacheWriteTokens));
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

function treeBounds(
  agents: readonly Agent[],
  tree: readonly { agent: Agent }[],
  root: number,
): Budget[] {
  const agent = agents.find(({ id }) => id === tree[0]?.agent.id);
  const limit = agent?.budget.tree;
  if (agent === undefined || limit == null) return [];
  return [{
    scope: `tree:${root}`,
    unit: "usd",
    period: "tree",
    start: 0,
    end: null,
    limit: toNanos(limit),
    agentId: agent.id,
    executionId: root,
  }];
}

function checkBills(
  bills: readonly Bill[],
  bounds: ReadonlyMap<string, Budget & { allowed: number }>,
  faults: string[],
): void {
  for (const [key, bound] of bounds) {
    const billed = sumOf(bills, bound);
    if (billed > bound.allowed) faults.push(`${key}: ${billed} of ${bound.allowed} were billed`);
  }
}

function sumOf(bills: readonly Bill[], budget: Budget): number {
  const key = keyOf(budget);
  return bills.filter(({ scopes }) => scopes.includes(key))
    .reduce((sum, bill) => sum + (budget.unit === "usd" ? bill.nanos : bill.tokens), 0);
}

function keyOf({ scope, unit, period, start }: Budget): string {
  return [scope, unit, period, start].join(" ");
}

function randomConfig(some: (limit: number) => number | null): Config {
  const parsed = parseConfig("", { path: "/nowhere/config.yaml", home: "/nowhere" });
  if ("diagnostics" in parsed) throw new TypeError("An empty configuration does not parse");
  const tokens = { perDay: null, perMonth: null };
  const budget = { perDay: some(50), perMonth: some(80), timezone: undefined, tokens };
  return { ...parsed.config, budget };
}

/** Returns a store whose methods do nothing and never settle after the instance's death. */
function stopAtDeath(store: SqlBudgetStore, death: AbortSignal): SqlBudgetStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) =>
        death.aborted ? new Promise(() => {}) : Reflect.apply(member, target, args);
    },
  });
}
