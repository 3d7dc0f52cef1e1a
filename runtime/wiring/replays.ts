// Replays recorded runs with the current agent, and forks them.
import type { Agent } from "../agents/agent.ts";
import { AgentNotFound } from "../agents/known_agents.ts";
import type { Execution } from "../executions/execution.ts";
import type { ExecutionRequest } from "../executions/execution_request.ts";
import type { RecordedRun } from "../executions/record/recorded_run.ts";
import { ExecutionNotFound, ReadOnlyRuntime } from "../executions/refusals.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { findForkPoint } from "../replay/fork_point.ts";
import type { PlayStores } from "../replay/played_stores.ts";
import type { Replay } from "../replay/difference.ts";
import type { ForkRequest } from "../replay/fork_request.ts";
import type { RunSpec } from "../executions/runs/acceptance.ts";
import { SqliteDatabase } from "../storage/sqlite/sqlite_database.ts";
import { createExecutionStores } from "../storage/executions/execution_stores.ts";
import { SqlFrameStore } from "../storage/frames.ts";
import { openInstance } from "../database/instances.ts";
import type { RuntimeParts } from "./open_parts.ts";
import type { RecordedRuns } from "../interface/recorded_runs.ts";

const loadAgentVariant = lazyModule(() => import("./agent_variant.ts"));
const loadReplayRun = lazyModule(() => import("../replay/replay_run.ts"));

/** Replays and forks recorded runs. */
export class Replays implements RecordedRuns {
  readonly #parts: RuntimeParts;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  async replay(id: number, { withAllTools }: { withAllTools: boolean }): Promise<Replay> {
    const { runPorts } = this.#parts;
    const run = await this.#read(id);
    await this.#refresh();
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
    const { mode, runner } = this.#parts;
    if (mode !== "service") throw new ReadOnlyRuntime();
    const run = await this.#read(id);
    await this.#refresh();
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
      audit: this.#parts.audit.entry("fork", by, { detail: { forked_from: id } }),
      taken: point,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    return await runner.start(await this.#agentOf(run, request), spec);
  }

  /** Reads the agents' changed files. */
  async #refresh(): Promise<void> {
    await this.#parts.refreshConfig();
    await this.#parts.agentFiles.reload();
  }

  async #read(id: number): Promise<RecordedRun> {
    const run = await this.#parts.recordedRuns.readRecordedRun(id);
    if (run === undefined) throw new ExecutionNotFound();
    return run;
  }

  async #agentOf(
    { execution: { agentId } }: RecordedRun,
    request: ExecutionRequest,
  ): Promise<Agent> {
    const { agentVariant } = await loadAgentVariant();
    const agent = this.#parts.registry.get(agentId);
    if (agent === undefined) throw new AgentNotFound(agentId);
    return agentVariant(agent, request, this.#parts.settings);
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
