// Candidates that change: agents and executions, of the running service where one answers.
import { untilAborted } from "../../base/bounded_wait.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import type { Client } from "../../api/client/client.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import type { CliApp } from "../app.ts";
import { withDeadline } from "../deadline.ts";
import { formatLocal } from "../output/time.ts";
import type { SourceOptions, ValueSource } from "./complete_line.ts";
import type { Candidate } from "./completion.ts";

/** Whoever pressed Tab waits. */
const ANSWER_MS = 1_500;
const MOST_EXECUTIONS = 50;

/** The agents and executions of a workspace. */
export class ServiceValues implements ValueSource {
  readonly #app: CliApp;

  constructor(app: CliApp) {
    this.#app = app;
  }

  /** Without a service, the names of the files: nothing is parsed for a press of a key. */
  async agents(options: SourceOptions): Promise<Candidate[]> {
    try {
      return (await this.#ask(options, (client) => client.agents())).map(describeAgent);
    } catch {
      // Whatever keeps the service from answering, the files are there.
      const ids = await this.#app.agentNames(options);
      return ids.map((value) => ({ value, description: "" }));
    }
  }

  /** Without a service, from its database: what waits outlives the service that asked. */
  async executions(
    options: SourceOptions & { agentId?: string; waiting: boolean },
  ): Promise<Candidate[]> {
    const { agentId, waiting, ...where } = options;
    const read = (client: Client) =>
      client.executions({
        limit: MOST_EXECUTIONS,
        ...(waiting && { status: ["waiting"] }),
        ...(agentId !== undefined && { agent: agentId }),
      });
    try {
      return (await this.#ask(where, read)).map(describeExecution);
    } catch {
      // Whatever keeps the service from answering, its database is there.
      await using local = await this.#app.openLocalService(where);
      return (await read(local.client)).map(describeExecution);
    }
  }

  async #ask<T>(options: SourceOptions, read: (client: Client) => Promise<T>): Promise<T> {
    using client = this.#app.connect(await this.#app.places(options.workspace));
    return await withDeadline(
      this.#app.clock,
      (signal) => untilAborted(read(client), signal),
      { ms: ANSWER_MS },
    );
  }
}

function describeAgent({ id, display_name, description }: AgentSummary): Candidate {
  return { value: id, description: description || (display_name === id ? "" : display_name) };
}

function describeExecution(execution: ExecutionSummary): Candidate {
  const { id, agent_id, status, started_at } = execution;
  return { value: String(id), description: `${agent_id}, ${status}, ${formatLocal(started_at)}` };
}
