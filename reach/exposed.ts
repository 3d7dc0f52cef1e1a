// The view that programs of other protocols have of the service: the exposed agents, and the executions of these agents and
// of the agents that these called. For everything else, the answers are those for unknown ids.
import { ApiError, type Client, orMissing } from "../api/client/client.ts";
import type { AgentDetail, AgentSummary } from "../api/schemas/agent_schemas.ts";
import type { ExecutionDetail } from "../api/schemas/execution_schemas.ts";
import type { RecapBody } from "../api/schemas/report_schemas.ts";
import type { PendingBody } from "../api/schemas/request_schemas.ts";
import { inParallel } from "../base/in_parallel.ts";

/** The maximum number of executions in one answer. */
const MOST_LISTED = 100;
const QUESTIONS_AT_ONCE = 8;

/** The exposed part of a service. The methods throw the errors of the client. */
export class Exposed {
  constructor(readonly client: Client) {}

  /** Returns the enabled agents with `expose: true`, sorted by id. */
  async agents(): Promise<AgentSummary[]> {
    return (await this.client.agents()).filter(isExposed);
  }

  /** Returns an exposed agent. */
  async agent(id: string): Promise<AgentDetail> {
    const agent = await this.client.agent(id);
    if (isExposed(agent)) return agent;
    throw new ApiError(404, `Agent '${id}' not found`);
  }

  /** Returns an execution of an exposed agent, or one that such an execution called, directly or indirectly. */
  async execution(id: number): Promise<ExecutionDetail> {
    const found = await this.client.execution(id);
    const exposed = new Set((await this.agents()).map(({ id }) => id));
    for (let one = found;;) {
      if (exposed.has(one.agent_id)) return found;
      if (one.parent_execution_id === null) throw new ApiError(404, "Execution not found");
      one = await this.client.execution(one.parent_execution_id);
    }
  }

  /** Returns the newest executions of the exposed agents, newest first. */
  async executions(
    filter: Omit<NonNullable<Parameters<Client["executions"]>[0]>, "agent"> = {},
  ): ReturnType<Client["executions"]> {
    const agent = (await this.agents()).map(({ id }) => id);
    if (agent.length === 0) return [];
    return await this.client.executions({ limit: MOST_LISTED, ...filter, agent });
  }

  /** Returns the recap of the exposed agents. */
  async recap(
    span: { since?: string | undefined; until?: string | undefined },
  ): Promise<Omit<RecapBody, "downtimes">> {
    const agent = (await this.agents()).map(({ id }) => id);
    if (agent.length === 0) {
      throw new ApiError(404, "No agent is exposed: write `expose: true` in an agent's file");
    }
    const { downtimes: _, ...recap } = await this.client.recap({ ...span, agent });
    return recap;
  }

  /** Returns the open question of an execution. */
  async pending(id: number): Promise<PendingBody> {
    await this.execution(id);
    return await this.client.pending(id);
  }

  /** Returns the open questions of the exposed agents and of the agents that these called, each once. */
  async questions(): Promise<PendingBody[]> {
    const found = await inParallel(await this.executions({ status: ["waiting"] }), {
      size: QUESTIONS_AT_ONCE,
      // The question may have been answered after the list was read.
      work: ({ id }) => orMissing(this.client.pending(id)),
    });
    const byRequest = new Map(found.flatMap((one) => one ? [[one.request_id, one] as const] : []));
    return [...byRequest.values()];
  }
}

function isExposed({ expose, enabled }: Pick<AgentSummary, "expose" | "enabled">): boolean {
  return expose === true && enabled;
}
