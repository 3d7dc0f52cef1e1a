// What a service shows on the terminal that it runs in: the agents that fire by themselves, what is wrong with files,
// and then a line for each thing that happens.
import { describeTrigger } from "../../present/triggers.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { ApiError, type ServiceEventMessage, ServiceUnreachable } from "../../api/client/client.ts";
import type { CliApp, Places } from "../app.ts";
import type { Output } from "../output/output.ts";
import { showDeafWebhooks, showPauses, showProblems } from "../output/problems.ts";
import { formatServiceEvent } from "../output/service_event_line.ts";
import { OutputClosed } from "../output/terminal.ts";
import { describeNextRun, describeState, isAutomatic } from "../output/trigger_text.ts";

/** The voice of a service in the foreground. A reader who has gone does not stop it. */
export class ForegroundReport implements AsyncDisposable {
  readonly #app: CliApp;
  readonly #output: Output;
  readonly #places: Places;
  readonly #left = new AbortController();
  /** What has been said, in its order: the summary takes a moment. */
  #said: Promise<void> = Promise.resolve();

  constructor(options: { app: CliApp; output: Output; places: Places }) {
    this.#app = options.app;
    this.#output = options.output;
    this.#places = options.places;
  }

  /** Tells the state of the service, which listens now. */
  begin(): void {
    this.#say(() => this.#summarise());
  }

  /** Tells what has just happened. */
  tell(event: ServiceEventMessage): void {
    const { stdout, style } = this.#output;
    const at = this.#app.clock.now();
    this.#say(() => {
      const line = formatServiceEvent(event, { at, style, columns: stdout.columns });
      if (line !== undefined) this.#output.line(line);
    });
  }

  /** Resolves when everything has been said. */
  finish(): Promise<void> {
    return this.#said;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#left.abort();
    await this.#said;
  }

  #say(what: () => void | Promise<void>): void {
    this.#said = this.#said.then(what).catch((error) => {
      // The output is closed, or the service went before it could be asked: neither is a reason to stop it.
      const isNothing = error instanceof OutputClosed || error instanceof ServiceUnreachable ||
        error instanceof ApiError && error.status === 503 || this.#left.signal.aborted;
      if (!isNothing) this.#output.error(error instanceof Error ? error.message : String(error));
    });
  }

  async #summarise(): Promise<void> {
    const { signal } = this.#left;
    using client = this.#app.connect(this.#places);
    const info = await client.info({ signal });
    const agents = (await client.agents()).filter(isAutomatic);
    if (agents.length > 0) this.#showTriggers(agents);
    for (const { diagnostics } of info.agent_errors) showProblems(this.#output, diagnostics);
    showPauses(this.#output, agents, info.scheduler_status);
    showDeafWebhooks(this.#output, agents, info.transports);
    if (info.waiting_executions > 0) {
      this.#output.note(
        `Waiting for an answer: ${info.waiting_executions}. "inkling pending" shows them`,
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
