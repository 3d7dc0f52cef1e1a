// Reads agents and executions as completions, from the running service or from the workspace's files and database.
import { untilAborted } from "../../base/bounded_wait.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import type { Client } from "../../api/client/client.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import type { CliApp, WorkspaceOption } from "../context/app.ts";
import { withDeadline } from "../context/deadline.ts";
import { formatLocal } from "../../present/local_time.ts";
import type { Candidate, ValueSource } from "./complete_line.ts";

/** The maximum wait for the service, in milliseconds. The user waits for the completions meanwhile. */
const ANSWER_MS = 1_500;
const MOST_EXECUTIONS = 50;

/** A source of completions that reads the agents and executions of a workspace. */
export class ServiceValues implements ValueSource {
  readonly #app: CliApp;

  constructor(app: CliApp) {
    this.#app = app;
  }

  /**
   * Returns the agents. If the service does not answer, it returns ids from the names of the agent files, without
   * descriptions.
   */
  async agents(options: WorkspaceOption): Promise<Candidate[]> {
    try {
      return (await this.#request(options, (client) => client.agents())).map(describeAgent);
    } catch {
      // The service did not answer, so the ids come from file names.
      const ids = await this.#app.agentNames(options);
      return ids.map((value) => ({ value, description: "" }));
    }
  }

  /** Returns the newest executions. Reads them from the database if the service does not answer. */
  async executions(
    options: WorkspaceOption & { agentId?: string; waiting: boolean },
  ): Promise<Candidate[]> {
    const { agentId, waiting, ...where } = options;
    const read = (client: Client) =>
      client.executions({
        limit: MOST_EXECUTIONS,
        ...(waiting && { status: ["waiting"] }),
        ...(agentId !== undefined && { agent: agentId }),
      });
    try {
      return (await this.#request(where, read)).map(describeExecution);
    } catch {
      // The service did not answer, so this process reads the database.
      await using local = await this.#app.openLocalService(where);
      return (await read(local.client)).map(describeExecution);
    }
  }

  async #request<T>(options: WorkspaceOption, read: (client: Client) => Promise<T>): Promise<T> {
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
