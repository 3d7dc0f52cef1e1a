// Plays cases with real models and scripted tools. Estimates the cost, and counts how often each model passes each case.
import type { Agent } from "../../runtime/agents/agent.ts";
import { inParallel } from "../../base/in_parallel.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { ModelSupply } from "../../runtime/models/calls/model_supply.ts";
import { uncachedUsage } from "../../runtime/models/model.ts";
import { SILENT } from "../../runtime/replay/played_ports.ts";
import { withModel } from "../../runtime/wiring/agent_variant.ts";
import type { CaseFile } from "./case_files.ts";
import { estimateJudges } from "./judge.ts";
import { CASES_AT_ONCE, type LiveModel } from "./play_case.ts";
import type { TestCase } from "./test_case.ts";
import type { TestPorts } from "./test_ports.ts";
import { isPassed, type PlayableCase, type TestResult } from "./test_result.ts";

const loadModelSupply = lazyModule(() => import("../../runtime/models/calls/model_supply.ts"));
const loadBilling = lazyModule(() => import("../../runtime/wiring/workspace_billing.ts"));

/** The models, cases and repetitions of a trial. */
export interface TrialRequest {
  agentId?: string;
  /** The models as `provider/name`. If empty, each agent uses its own model. */
  models: readonly string[];
  /** The number of plays of each case with each model. */
  repeat: number;
}

/** The estimated cost of a trial. */
export interface TrialEstimate {
  /** The number of runs. */
  runs: number;
  /** The number of judges' votes if every run is judged. */
  votes: number;
  /** The cost in dollars of all runs with a known cost: the tokens of the cases at today's prices. */
  costUsd: number;
  /** The number of runs for which the cost of the run or of its judges is unknown. */
  unknown: number;
}

/** The results of all plays of one case with one model. */
export interface TrialRow {
  name: string;
  model: string;
  passed: number;
  runs: number;
  /** The cost of all plays in dollars. Null if the cost of a play is unknown. */
  costUsd: number | null;
  /** The average duration of a play in milliseconds. */
  durationMs: number;
  /** The result of the last failed play. Undefined if every play passed. */
  failure: TestResult | undefined;
}

interface Cell {
  playable: PlayableCase;
  model: string;
}

/** A trial of cases with real models. Must be disposed. */
export interface LiveTrial extends AsyncDisposable {
  /** The cases that cannot be played, with their problems. */
  readonly unplayable: readonly (CaseFile & Pick<TestResult, "problems">)[];
  readonly estimate: TrialEstimate;
  /** Plays every case with every model. Returns one row for each case and model. */
  run(): Promise<TrialRow[]>;
}

/** Reads the cases and estimates the cost. Throws AgentTextUnusable for a model without a name. */
export async function openTrial(
  { agentId, models: wished, repeat }: TrialRequest,
  tests: {
    readonly ports: Pick<TestPorts, "settings" | "clock">;
    find(agentId?: string): Promise<CaseFile[]>;
    read(file: CaseFile): Promise<PlayableCase | Pick<TestResult, "problems">>;
    play(playable: PlayableCase, live: LiveModel): Promise<TestResult>;
  },
): Promise<LiveTrial> {
  const { settings, clock } = tests.ports;
  const [{ ModelSupply }, { openWorkspaceBilling }] = [
    await loadModelSupply(),
    await loadBilling(),
  ];
  // A live trial makes paid calls, so the workspace's budgets apply to it.
  await using resources = new AsyncDisposableStack();
  const { billing } = resources.use(await openWorkspaceBilling({ settings, clock, log: SILENT }));
  const models = new ModelSupply({ settings, clock, log: SILENT, gate: billing.gate });
  const unplayable: (CaseFile & Pick<TestResult, "problems">)[] = [];
  const cells: Cell[] = [];
  for (const file of await tests.find(agentId)) {
    const read = await tests.read(file);
    if ("problems" in read) {
      unplayable.push({ ...file, ...read });
      continue;
    }
    const agents = wished.length === 0
      ? [read.agent]
      : wished.map((model) => withModel(read.agent, model));
    cells.push(...agents.map((agent) => ({
      playable: { ...read, agent, ownAgent: read.agent },
      model: nameOf(agent),
    })));
  }
  const estimate = await estimateCost(cells, { models, repeat });
  const opened = resources.move();
  return {
    unplayable,
    estimate,
    run: () =>
      inParallel(cells, {
        size: CASES_AT_ONCE,
        work: async ({ playable, model }) => {
          const results: TestResult[] = [];
          for (let count = 0; count < repeat; count++) {
            results.push(await tests.play(playable, models));
          }
          return toRow(results, { name: playable.file.name, model });
        },
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function toRow(results: readonly TestResult[], cell: Pick<TrialRow, "name" | "model">): TrialRow {
  const costs = results.map(({ costUsd }) => costUsd);
  const duration = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return {
    ...cell,
    passed: results.filter(isPassed).length,
    runs: results.length,
    costUsd: costs.includes(null)
      ? null
      : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    durationMs: Math.round(duration / results.length),
    failure: results.findLast(({ failures }) => failures.length > 0),
  };
}

function nameOf({ model }: Agent): string {
  return model === undefined ? "no model" : `${model.provider}/${model.name}`;
}

async function estimateCost(
  cells: readonly Cell[],
  { models, repeat }: { models: ModelSupply; repeat: number },
): Promise<TrialEstimate> {
  const estimate: TrialEstimate = { runs: cells.length * repeat, votes: 0, costUsd: 0, unknown: 0 };
  for (const { playable: { test, agent, ownAgent = agent } } of cells) {
    const costs = [
      await estimateRun(test, { agent, models }),
      await estimateJudges(test, { agent: ownAgent, models }),
    ];
    for (const cost of costs) estimate.costUsd += (cost ?? 0) * repeat;
    if (costs.includes(null)) estimate.unknown += repeat;
    for (const { votes } of test.expect.judge) estimate.votes += votes * repeat;
  }
  return estimate;
}

async function estimateRun(
  { replies }: TestCase,
  { agent, models }: { agent: Agent; models: ModelSupply },
): Promise<number | null> {
  const sum = (name: "input_tokens" | "output_tokens") =>
    replies.reduce((total, reply) => total + (reply[name] ?? 0), 0);
  if (replies.every(({ input_tokens: input }) => input === undefined)) return null;
  return await models.costOf(agent, {
    usage: uncachedUsage(sum("input_tokens"), sum("output_tokens")),
    reportedCostUsd: null,
  });
}
