// The output of a service in the foreground: the agents with triggers, the problems of their files, and a line for each
// event.
import { describeTrigger } from "../../present/triggers.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { ApiError, type ServiceEventMessage, ServiceUnreachable } from "../../api/client/client.ts";
import type { CliApp, Places } from "../context/app.ts";
import type { Output } from "../output/output.ts";
import { showPauses, showProblems, showUnreachableWebhooks } from "../output/problems.ts";
import { formatServiceEvent } from "../output/service_event_line.ts";
import { OutputClosed } from "../output/terminal.ts";
import { describeNextRun, describeState, isAutomatic } from "../output/trigger_text.ts";

/** Prints the state and the events of a service in the foreground. A closed output does not stop the service. */
export class ForegroundReport implements AsyncDisposable {
  readonly #app: CliApp;
  readonly #output: Output;
  readonly #places: Places;
  readonly #closed = new AbortController();
  /** The queue of prints. Events wait for the summary, which takes a moment. */
  #printed: Promise<void> = Promise.resolve();

  constructor(options: { app: CliApp; output: Output; places: Places }) {
    this.#app = options.app;
    this.#output = options.output;
    this.#places = options.places;
  }

  /** Prints the state of the service. Call it when the service listens. */
  begin(): void {
    this.#enqueue(() => this.#summarize());
  }

  /** Prints an event. */
  print(event: ServiceEventMessage): void {
    const { stdout, style } = this.#output;
    const at = this.#app.clock.now();
    this.#enqueue(() => {
      const line = formatServiceEvent(event, { at, style, columns: stdout.columns });
      if (line !== undefined) this.#output.line(line);
    });
  }

  /** Resolves when everything has been printed. */
  finish(): Promise<void> {
    return this.#printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#printed;
  }

  #enqueue(print: () => void | Promise<void>): void {
    this.#printed = this.#printed.then(print).catch((error) => {
      // A closed output, or a service that stopped before the summary, is no error of the service.
      const isIgnored = error instanceof OutputClosed || error instanceof ServiceUnreachable ||
        error instanceof ApiError && error.status === 503 || this.#closed.signal.aborted;
      if (!isIgnored) this.#output.error(error instanceof Error ? error.message : String(error));
    });
  }

  async #summarize(): Promise<void> {
    const { signal } = this.#closed;
    using client = this.#app.connect(this.#places);
    const info = await client.info({ signal });
    const agents = (await client.agents()).filter(isAutomatic);
    if (agents.length > 0) this.#showTriggers(agents);
    for (const { diagnostics } of info.agent_errors) showProblems(this.#output, diagnostics);
    showPauses(this.#output, agents, info.scheduler_status);
    showUnreachableWebhooks(this.#output, agents, info.transports);
    if (info.waiting_executions > 0) {
      this.#output.note(
        `Waiting for an answer: ${info.waiting_executions}. "inkling pending" lists them`,
      );
    }
  }

  #showTriggers(agents: readonly AgentSummary[]): void {
    const { style } = this.#output;
    const now = this.#app.clock.now();
    this.#output.line();
    this.#output.table(agents, [
      { header: "Id", cell: ({ id }) => id, shrinks: true, paint: style.bold },
      { header: "Trigger", cell: (agent) => describeTrigger(agent, "terse"), shrinks: true },
      {
        header: "Next Run",
        cell: (agent) => describeState(agent) === "paused" ? "paused" : describeNextRun(agent, now),
      },
    ]);
    this.#output.line();
  }
}
