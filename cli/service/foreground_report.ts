// Prints the output of a foreground service: the agents with triggers, the problems of agent files, and a line for each
// event.
import { isAutomatic } from "../../present/triggers.ts";
import { describeTrigger } from "../../present/triggers.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { ApiError, type ServiceEventMessage, ServiceUnreachable } from "../../api/client/client.ts";
import type { CliApp, Places } from "../context/app.ts";
import type { Output } from "../output/output.ts";
import { showPauses, showProblems, showUnreachableWebhooks } from "../output/problems.ts";
import { formatServiceEvent } from "../output/service_event_line.ts";
import { OutputClosed } from "../output/terminal.ts";
import { describeNextRun, describeState } from "../output/trigger_text.ts";

/** Prints the state and the events of a foreground service. If the reader closes the output, the service keeps running. */
export class ForegroundReport implements AsyncDisposable {
  readonly #app: CliApp;
  readonly #output: Output;
  readonly #places: Places;
  readonly #closed = new AbortController();
  /** The end of the print queue. Events are printed after the summary, which needs requests to the service. */
  #printed: Promise<void> = Promise.resolve();

  constructor(options: { app: CliApp; output: Output; places: Places }) {
    this.#app = options.app;
    this.#output = options.output;
    this.#places = options.places;
  }

  /**
   * Enqueues a summary of the service's state. The service must already listen, because the summary requests the state from
   * its socket.
   */
  begin(): void {
    this.#enqueue(() => this.#summarize());
  }

  /** Enqueues the line of an event. Some kinds of events have no line. */
  print(event: ServiceEventMessage): void {
    const { stdout, style } = this.#output;
    const at = this.#app.clock.now();
    this.#enqueue(() => {
      const line = formatServiceEvent(event, { at, style, columns: stdout.columns });
      if (line !== undefined) this.#output.line(line);
    });
  }

  /** Resolves when all enqueued output has been printed. */
  finish(): Promise<void> {
    return this.#printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#printed;
  }

  #enqueue(print: () => void | Promise<void>): void {
    this.#printed = this.#printed.then(print).catch((error) => {
      // The reader may close the output, and the service may stop before the summary. Neither is reported as an error.
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
