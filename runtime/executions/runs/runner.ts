// The executions of this process, as the rest of the service sees them: starting, answering, cancelling, taking over, stopping.
import type { Agent } from "../../agents/agent.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { EventBus } from "../../events/bus.ts";
import type { RunSpec } from "./acceptance.ts";
import type { AcceptanceRefusal } from "../record/acceptance_store.ts";
import { ActiveRuns } from "./active_runs.ts";
import { Announcer } from "./announcer.ts";
import { type AgentLookup, AwaitedAgents } from "./awaited_agents.ts";
import { STOPS } from "../end_reason.ts";
import type { AcceptedExecution } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";
import { HumanAnswers } from "./human_answers.ts";
import type { GivenResponse, HumanRequest } from "../human_request.ts";
import { recoverExecutions, type RecoveryPorts } from "./recovery.ts";
import { Deliveries } from "./deliveries.ts";
import type { RecoveryStore } from "../record/recovery_store.ts";
import { SessionWaiting } from "../refusals.ts";
import { RequestExpiry } from "./request_expiry.ts";
import { Runs, type RunsPorts } from "./runs.ts";
import type { SharedRuns } from "./shared_runs.ts";

/** What a runner works with. */
export type RunnerPorts = Omit<RunsPorts, "agents" | "active" | "announcer"> & AgentLookup & {
  recovery: RecoveryStore;
  events: EventBus;
  /** How many runs that are shared with other machines this one has at once. */
  places?: number;
};

/** The executions of this process. */
export class Runner implements AsyncDisposable {
  readonly #agents: AwaitedAgents;
  readonly #active: ActiveRuns;
  readonly #runs: Runs;
  readonly #answers: HumanAnswers;
  readonly #expiry: RequestExpiry;
  readonly #recoveryPorts: RecoveryPorts;
  readonly #shared: SharedRuns | undefined;
  readonly #deliveries: Deliveries | undefined;

  constructor(ports: RunnerPorts) {
    this.#agents = new AwaitedAgents(ports);
    this.#active = new ActiveRuns(ports.clock);
    const shared = { ...ports, agents: this.#agents, active: this.#active };
    this.#runs = new Runs({ ...shared, announcer: new Announcer(ports) });
    this.#answers = new HumanAnswers({ ...shared, runs: this.#runs });
    this.#expiry = new RequestExpiry({ ...ports, answers: this.#answers });
    this.#recoveryPorts = { ...shared, runs: this.#runs };
    this.#shared = ports.shared;
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
   * Accepts a run and lets it go. It is on disk when this returns. Throws ServiceStopping, SessionWaiting and
   * IdempotencyKeyReused.
   */
  async start(agent: Agent, spec: RunSpec): Promise<AcceptedExecution> {
    const started = await this.attempt(agent, spec);
    if ("refused" in started) throw new SessionWaiting(agent.id);
    return started;
  }

  /** The same for who wants to know why a run is not accepted. Throws ServiceStopping and IdempotencyKeyReused. */
  async attempt(
    agent: Agent,
    spec: RunSpec,
  ): Promise<AcceptedExecution | { refused: AcceptanceRefusal }> {
    return await this.#active.admit(() => this.#runs.begin(agent, spec));
  }

  /** Answers what an execution, or one that it delegated to, asks; it continues. Throws what is wrong with the answer. */
  async respond(id: number, response: GivenResponse): Promise<void> {
    await this.#active.admit(() => this.#answers.give(id, response));
  }

  /** The open question as it would be of the call with these arguments. Throws as respond() does; changes nothing. */
  async editedRequest(
    id: number,
    edit: { requestId: string; args: JsonObject },
  ): Promise<HumanRequest> {
    return await this.#active.admit(() => this.#answers.edited(id, edit));
  }

  /** Cancels an execution and what it delegated; tells what became of it. Throws ExecutionNotFound. */
  async cancel(id: number, error?: string): Promise<"cancelling" | ExecutionStatus> {
    return await this.#runs.cancel(id, error);
  }

  /** Ends an execution that waits. False when it does not (any more). Rejects when that cannot be stored. */
  async abortWaiting(id: number, error: string): Promise<boolean> {
    return await this.#runs.abortWaiting(id, error);
  }

  /** Agents were read again: continues what had to wait for one that could not be read. */
  agentsRead(): void {
    this.#agents.read();
    this.#expiry.retryPostponed();
  }

  /**
   * Takes over what a dead instance left running, and begins to settle questions whose time is over; to take executions, where
   * machines share them.
   */
  async recover(): Promise<void> {
    await this.settleLeft();
    this.#expiry.start();
    if (this.#deliveries !== undefined) this.#shared?.work(this.#deliveries);
  }

  /** Settles what dead instances left; where machines share executions, as often as one likes. */
  async settleLeft(): Promise<void> {
    await recoverExecutions(this.#recoveryPorts);
  }

  /**
   * Refuses new runs, lets running ones end for `graceMs`, then aborts the rest and waits for them. Runs that are to
   * be resumed are left as they are: the next start takes them over.
   */
  async stop(
    { graceMs, error = STOPS.service_stopped }: { graceMs: number; error?: string },
  ): Promise<void> {
    this.#active.close();
    this.#deliveries?.close();
    await this.#expiry[Symbol.asyncDispose]();
    // What is stopped is for other machines: this one would take it again and again.
    const graceEnds = () => void this.#shared?.stopTaking();
    await this.#active.drain({ graceMs, error, graceEnds });
    await this.#shared?.stopTaking();
    await this.#deliveries?.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ graceMs: 0 });
  }
}
