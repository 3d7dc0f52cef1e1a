// The interface of this folder for the rest of the service: starts, answers, cancels, recovers and stops executions.
import type { Agent } from "../../agents/agent.ts";
import type { AuditEntry } from "../../audit/audit_table.ts";
import type { JsonObject } from "../../../base/json.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import type { RunSpec } from "./acceptance.ts";
import type { AcceptanceRefusal } from "../record/acceptance_store.ts";
import { ActiveRuns } from "./active_runs.ts";
import { Announcer } from "./announcer.ts";
import { AwaitedAgents } from "./awaited_agents.ts";
import { STOPS } from "../../vocabulary/end_reason.ts";
import type { PartialApproval } from "../approvals.ts";
import type { AcceptedExecution } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";
import { HumanAnswers } from "./human_answers.ts";
import type { GivenResponse, HumanRequest } from "../human_request.ts";
import { recoverExecutions, type RecoveryContext } from "./recovery.ts";
import { Deliveries } from "./deliveries.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import { CalledTooDeep, SessionWaiting } from "../refusals.ts";
import { RequestExpiry } from "./request_expiry.ts";
import { RestTimer } from "./rest_timer.ts";
import { Runs } from "./runs.ts";

const loadBrought = lazyModule(() => import("./brought_messages.ts"));

/** Starts, answers, cancels and recovers the executions of this process. */
export class Runner implements AsyncDisposable {
  readonly #ports: RunnerPorts;
  readonly #agents: AwaitedAgents;
  readonly #active: ActiveRuns;
  readonly #runs: Runs;
  readonly #answers: HumanAnswers;
  readonly #expiry: RequestExpiry;
  readonly #rests: RestTimer;
  readonly #recoveryContext: RecoveryContext;
  readonly #deliveries: Deliveries | undefined;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
    this.#agents = new AwaitedAgents(ports);
    this.#active = new ActiveRuns(ports.clock);
    const shared = { ...ports, agents: this.#agents, active: this.#active };
    const announcer = new Announcer(ports);
    this.#runs = new Runs({ ...shared, announcer });
    this.#answers = new HumanAnswers({ ...shared, announcer, runs: this.#runs });
    this.#expiry = new RequestExpiry({ ...shared, answers: this.#answers });
    this.#rests = new RestTimer({ ...shared, runs: this.#runs });
    this.#recoveryContext = { ...shared, runs: this.#runs };
    if (ports.shared !== undefined) {
      const { places = Infinity } = ports;
      this.#deliveries = new Deliveries({
        ...shared,
        shared: ports.shared,
        runs: this.#runs,
        places,
      });
    }
  }

  /**
   * Accepts and starts a run. The execution is stored before this method returns. Throws ServiceStopping, SessionWaiting,
   * CalledTooDeep, IdempotencyKeyReused and EditorFolderUnusable.
   */
  async start(agent: Agent, spec: RunSpec): Promise<AcceptedExecution> {
    const most = this.#ports.settings.config.maxAgentDepth;
    if ((spec.depth ?? 0) > most) throw new CalledTooDeep(agent.id, most);
    const started = await this.attempt(agent, spec);
    if ("refused" in started) throw new SessionWaiting(agent.id);
    return started;
  }

  /**
   * Starts a run like start(), but returns the reason if the run is refused. Throws ServiceStopping and
   * IdempotencyKeyReused.
   */
  async attempt(
    saved: Agent,
    spec: RunSpec,
  ): Promise<AcceptedExecution | { refused: AcceptanceRefusal }> {
    return await this.#active.admit(async () => {
      const { editorFolder, trial } = spec.request;
      // Refuses a folder or a text before the run is stored.
      const variant = (editorFolder ?? trial) === undefined
        ? saved
        : await this.#ports.variantOf?.(saved, spec.request) ?? saved;
      const agent = trial === undefined ? saved : variant;
      if (spec.brought === undefined) return await this.#runs.begin(agent, spec);
      const { readBrought } = await loadBrought();
      const given = await readBrought(spec.brought, this.#ports);
      return await this.#runs.begin(agent, { ...spec, given });
    });
  }

  /** Answers the open question of an execution or of its descendant. Throws as HumanAnswers.give() does. */
  async respond(id: number, response: GivenResponse): Promise<PartialApproval | undefined> {
    return await this.#active.admit(() => this.#answers.give(id, response));
  }

  /** Returns the open question with edited arguments, for a preview. Throws as respond() does. Changes nothing. */
  async editedRequest(
    id: number,
    edit: { requestId: string; args: JsonObject },
  ): Promise<HumanRequest> {
    return await this.#active.admit(() => this.#answers.edited(id, edit));
  }

  /** Cancels an execution and its descendants. Returns the resulting status. Throws ExecutionNotFound. */
  async cancel(id: number, audit?: AuditEntry): Promise<"cancelling" | ExecutionStatus> {
    return await this.#runs.cancel(id, STOPS.cancelled, audit);
  }

  /** Ends the rest of an execution or of its descendant before its time. Throws ExecutionNotFound and NotResting. */
  async wake(id: number, audit?: AuditEntry): Promise<void> {
    await this.#active.admit(() => this.#rests.endEarly(id, audit));
  }

  /** Ends a waiting execution. Returns false if the execution does not wait. Rejects if the end cannot be stored. */
  async abortWaiting(id: number, error: string): Promise<boolean> {
    return await this.#runs.abortWaiting(id, error);
  }

  /** Called after the agents' files were read again. Continues executions that waited for an unreadable agent. */
  agentsRead(): void {
    this.#agents.notifyRead();
    this.#expiry.retryPostponed();
  }

  /**
   * Recovers abandoned executions and starts the timers of questions' deadlines and of rests. With a shared database, also starts to
   * accept jobs of the shared queue.
   */
  async recover(): Promise<void> {
    await this.settleLeft();
    this.#expiry.start();
    this.#rests.start();
    if (this.#deliveries !== undefined) this.#ports.shared?.work(this.#deliveries);
  }

  /** Recovers the executions of dead services. May be called repeatedly on machines that share a database. */
  async settleLeft(): Promise<void> {
    await recoverExecutions(this.#recoveryContext);
  }

  /**
   * Shuts down: refuses new runs, gives running ones `graceMs` to end, then aborts the remaining runs and waits for them.
   * Resumable runs keep their status, and the next start continues them.
   */
  async stop(
    { graceMs, error = STOPS.service_stopped }: { graceMs: number; error?: string },
  ): Promise<void> {
    this.#active.close();
    this.#deliveries?.close();
    await Promise.all([this.#expiry, this.#rests].map((one) => one[Symbol.asyncDispose]()));
    // The runs that are stopped now should go to other machines. Otherwise this machine would claim them again and again.
    const graceEnds = () => void this.#ports.shared?.stopClaiming();
    await this.#active.drain({ graceMs, error, graceEnds });
    await this.#ports.shared?.stopClaiming();
    await this.#deliveries?.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ graceMs: 0 });
  }
}
