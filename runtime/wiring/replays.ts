// Replays recorded runs with the current agent, and forks them.
import type { Agent } from "../agents/agent.ts";
import type { SqlAudit } from "../audit/audit.ts";
import { AgentNotFound } from "../agents/known_agents.ts";
import type { Execution } from "../executions/execution.ts";
import type { ExecutionRequest } from "../executions/execution_request.ts";
import type { RunPorts } from "../executions/loop/run_ports.ts";
import type { RecordedRun } from "../executions/record/recorded_run.ts";
import type { SqlRecordedRunStore } from "../storage/executions/recorded_runs.ts";
import { ExecutionNotFound, ReadOnlyRuntime } from "../executions/refusals.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { findForkPoint } from "../replay/fork_point.ts";
import type { PlayStores } from "../replay/played_stores.ts";
import type { Replay } from "../replay/difference.ts";
import type { ForkRequest } from "../replay/fork_request.ts";
import type { RunSpec } from "../executions/runs/acceptance.ts";
import type { Runner } from "../executions/runs/runner.ts";
import { SqliteDatabase } from "../storage/sqlite/sqlite_database.ts";
import { createExecutionStores } from "../storage/executions/execution_stores.ts";
import { SqlFrameStore } from "../storage/frames.ts";
import { openInstance } from "../database/instances.ts";
import type { RecordedRuns } from "../interface/recorded_runs.ts";

const loadAgentVariant = lazyModule(() => import("./agent_variant.ts"));
const loadReplayRun = lazyModule(() => import("../replay/replay_run.ts"));

export interface ReplaysPorts {
  recordedRuns: SqlRecordedRunStore;
  runPorts: Omit<RunPorts, "families" | "telemetry">;
  /** Returns an agent as its file is now, or undefined. */
  findAgent(id: string): Agent | undefined;
  audit: Pick<SqlAudit, "entry">;
  /** Reads the agents' changed files. */
  refresh(): Promise<void>;
  /** The runner. Undefined in a runtime that runs no agents. */
  runner: Runner | undefined;
}

/** Replays and forks recorded runs. */
export class Replays implements RecordedRuns {
  readonly #ports: ReplaysPorts;

  constructor(ports: ReplaysPorts) {
    this.#ports = ports;
  }

  async replay(id: number, { withAllTools }: { withAllTools: boolean }): Promise<Replay> {
    const { runPorts } = this.#ports;
    const run = await this.#read(id);
    await this.#ports.refresh();
    const { replayRun } = await loadReplayRun();
    const replay = await replayRun(run, {
      agent: await this.#agentOf(run, run.request),
      withAllTools,
      ports: {
        ...runPorts,
        readSeed: (execution) => runPorts.conversations.readSeed(execution),
        openStores: openMemoryStores,
      },
    });
    return runPorts.redactor.redactValue(replay);
  }

  async fork(id: number, { step, idempotencyKey, by, ...change }: ForkRequest): Promise<Execution> {
    const { runner } = this.#ports;
    if (runner === undefined) throw new ReadOnlyRuntime();
    const run = await this.#read(id);
    await this.#ports.refresh();
    const { message } = change;
    const point = findForkPoint(run, {
      ...(step !== undefined && { step }),
      ...(message !== undefined && { message }),
    });
    // A fork has no editor, and may be requested by somebody else.
    const { fork: earlier, editorFolder: _folder, ...asked } = run.request;
    // A fork of a fork keeps the changes of the earlier fork, unless the request replaces them.
    const { model, agentText, startsFollowers } = {
      ...earlier,
      startsFollowers: undefined,
      ...change,
    };
    const request: ExecutionRequest = {
      ...asked,
      ...(point.message?.replaces && { message: point.message.message.content }),
      fork: {
        executionId: id,
        step: point.step,
        ...(message !== undefined && { message }),
        ...(model !== undefined && { model }),
        ...(agentText !== undefined && { agentText }),
        ...(startsFollowers && { startsFollowers }),
      },
    };
    const spec: RunSpec = {
      trigger: "manual",
      // A fork of a run with a history of its own is as separate from other runs as that run.
      sessionId: asked.brought?.isHistory ? run.execution.sessionId : null,
      request,
      audit: this.#ports.audit.entry("fork", by, { detail: { forked_from: id } }),
      taken: point,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    return await runner.start(await this.#agentOf(run, request), spec);
  }

  async #read(id: number): Promise<RecordedRun> {
    const run = await this.#ports.recordedRuns.readRecordedRun(id);
    if (run === undefined) throw new ExecutionNotFound();
    return run;
  }

  async #agentOf(
    { execution: { agentId } }: RecordedRun,
    request: ExecutionRequest,
  ): Promise<Agent> {
    const { agentVariant } = await loadAgentVariant();
    const agent = this.#ports.findAgent(agentId);
    if (agent === undefined) throw new AgentNotFound(agentId);
    return agentVariant(agent, request, this.#ports.runPorts.settings);
  }
}

/** Opens empty stores in memory for one replay. */
export function openMemoryStores(): PlayStores {
  const db = SqliteDatabase.open(":memory:");
  const instanceId = "play";
  db.perform(openInstance({ id: instanceId, pid: 0, startedAt: 0 }));
  return {
    ...createExecutionStores(db, instanceId),
    frames: new SqlFrameStore(db),
    [Symbol.dispose]: () => db[Symbol.dispose](),
  };
}
