// Executions that stood still and continue: answered, or left by a dead instance. One whose agent cannot be read now is held
// back.
import type { Agent } from "../../agents/agent.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { ActiveRuns } from "./active_runs.ts";
import type { Announcer } from "./announcer.ts";
import type { AwaitedAgents } from "./awaited_agents.ts";
import type { Conductor, RunControl, StoredRun } from "./conductor.ts";
import { type ExecutionEndings, FORSAKEN } from "./execution_endings.ts";
import { isFinal } from "../states.ts";
import { afterRestart, afterWaiting, type ResumeDecision } from "./resume_decision.ts";
import { AgentUnreadable } from "../refusals.ts";
import { RunStopped } from "./run.ts";

/** What executions continue with. */
export interface ContinuationPorts {
  agents: AwaitedAgents;
  active: ActiveRuns;
  announcer: Announcer;
  conductor: Conductor;
  ends: ExecutionEndings;
  serviceLog: ServiceLog;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
  read(id: number): Promise<StoredRun>;
}

/** Lets executions continue that stood still, under their agent's definition of now. */
export class Continuations {
  readonly #ports: ContinuationPorts;

  constructor(ports: ContinuationPorts) {
    this.#ports = ports;
  }

  /** Continues an execution that waited, or ends it where its agent is gone. */
  async afterWaiting(subject: StoredRun): Promise<void> {
    this.#ports.announcer.resumed(subject.execution);
    await this.#continue(subject, afterWaiting(subject.execution));
  }

  /** Continues one that was taken over, or ends it where its agent does not want it resumed. */
  async afterRestart(subject: StoredRun): Promise<void> {
    await this.#continue(subject, afterRestart);
  }

  /** Continues an execution, then stops it where its parent has ended meanwhile: nobody else would. */
  async #continue(subject: StoredRun, onset: ResumeDecision): Promise<void> {
    const { agents, active, conductor, ends, serviceLog, read } = this.#ports;
    const { id, agentId, parentExecutionId } = subject.execution;
    const found = agents.find(agentId);
    if (found instanceof AgentUnreadable) {
      serviceLog.write("warn", `An execution waits: ${found.message}`, { execution: id });
      active.launch(id, (signal, leave) => this.#hold({ subject, onset }, { signal, leave }));
    } else {
      const next = onset(found);
      if ("outcome" in next) return await ends.end(subject.execution, next);
      active.launch(
        id,
        (signal, leave) => conductor.conduct(subject, { agent: next.agent, signal, leave }),
      );
    }
    if (parentExecutionId === null) return;
    const { execution } = await read(parentExecutionId);
    if (isFinal(execution.status)) active.stop(id, FORSAKEN);
  }

  /**
   * Holds an execution back until its agent can be read, then lets it continue. Meanwhile it counts as a run: it can be
   * cancelled, and who delegated to it waits for it. Never rejects.
   */
  async #hold(
    { subject, onset }: { subject: StoredRun; onset: ResumeDecision },
    { signal, leave }: Omit<RunControl, "agent">,
  ): Promise<void> {
    const { execution } = subject;
    const { agents, conductor, ends } = this.#ports;
    // A stop need not give it time to end, unless another run waits for it: that one would take it for ended.
    const stopping = execution.parentExecutionId === null ? [this.#ports.stopping] : [];
    let agent: Agent | undefined;
    try {
      agent = await agents.settled(execution.agentId, AbortSignal.any([signal, ...stopping]));
    } catch {
      // It is left as it is where the service stops: the next start finds it.
      const { reason } = signal;
      if (!(reason instanceof RunStopped) || reason.resumable) return;
      return await ends.end(execution, { outcome: reason.outcome });
    }
    const next = onset(agent);
    if ("outcome" in next) return await ends.end(execution, next);
    await conductor.conduct(subject, { agent: next.agent, signal, leave });
  }
}
