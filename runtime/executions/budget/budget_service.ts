// Lists and raises budgets for people, and warns about budgets that are nearly used up.
import type { Agent } from "../../agents/agent.ts";
import type { SqlAudit } from "../../audit/audit.ts";
import type { Caller } from "../../vocabulary/callers.ts";
import { AgentNotFound } from "../../agents/known_agents.ts";
import type { BudgetUnit } from "../../config/agent_settings.ts";
import type { BudgetPeriod } from "../../vocabulary/budget_periods.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import type { EventBus } from "../../events/bus.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { ExecutionReads } from "../record/execution_reads.ts";
import { ReadOnlyRuntime } from "../refusals.ts";
import { OPEN_STATUSES } from "../states.ts";
import {
  type Budget,
  type BudgetFigures,
  type BudgetState,
  formatAmount,
  fromAmount,
  nameOf,
  toAmount,
  toFigures,
  treeBudgets,
} from "../budget.ts";
import type { BudgetGate } from "./budget_gate.ts";
import type { SqlBudgetStore } from "./budget_store.ts";

/** A request to raise one budget. */
export interface RaiseRequest {
  /** The agent with the budget. Absent for a budget of the workspace. */
  agentId?: string;
  unit: BudgetUnit;
  period: BudgetPeriod;
  /** The id of the tree's first execution. Set if and only if the period is `tree`. */
  executionId?: number;
  /** The amount to add to the limit, in dollars or tokens. */
  amount: number;
  /** The sender, for the audit. */
  by?: Caller;
}

/** Error: the budget does not exist. The message lists the existing ones. */
export class BudgetNotFound extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
}

/** The maximum number of listed trees. */
const MOST_TREES = 500;

export interface BudgetServicePorts {
  store: SqlBudgetStore;
  audit: Pick<SqlAudit, "entry">;
  gate: Pick<BudgetGate, "budgetsOf">;
  executions: Pick<ExecutionReads, "listExecutions">;
  listAgents(): readonly Agent[];
  findAgent(id: string): Agent | undefined;
  /** True if every change is refused. */
  isReadOnly: boolean;
}

/** Lists and raises budgets. */
export class BudgetService {
  readonly #ports: BudgetServicePorts;

  constructor(ports: BudgetServicePorts) {
    this.#ports = ports;
  }

  /**
   * Returns the budgets of one agent, or all budgets including the workspace's. The budgets of a tree are listed until the
   * tree ends. Throws AgentNotFound.
   */
  async list(agentId?: string): Promise<BudgetFigures[]> {
    const agent = agentId === undefined ? undefined : this.#agent(agentId);
    return (await this.#ports.store.readBudgets(await this.#budgets(agent))).map(toFigures);
  }

  /**
   * Raises a budget until its period ends and returns the budget's new state. Throws AgentNotFound, BudgetNotFound and
   * ReadOnlyRuntime.
   */
  async raise(request: RaiseRequest): Promise<BudgetFigures> {
    const { store, isReadOnly } = this.#ports;
    if (isReadOnly) throw new ReadOnlyRuntime();
    if (request.agentId !== undefined) this.#agent(request.agentId);
    const { agentId = null, unit, period, executionId, amount } = request;
    const all = (await this.#budgets()).filter((one) => one.agentId === agentId);
    const budget = all.find((one) =>
      one.unit === unit && one.period === period && one.executionId === executionId
    );
    if (budget === undefined) throw new BudgetNotFound(describeMissing(request, all));
    const { scope, start } = budget;
    const audit = this.#ports.audit.entry("raise_budget", request.by, {
      agentId,
      ...(executionId !== undefined && { executionId }),
      detail: { budget: nameOf(budget), amount },
    });
    await store.raise({ scope, unit, period, start, amount: toAmount(unit, amount) }, audit);
    const [state] = await store.readBudgets([budget]);
    if (state === undefined) throw new TypeError("A budget was not read");
    return toFigures(state);
  }

  #agent(id: string): Agent {
    const agent = this.#ports.findAgent(id);
    if (agent === undefined) throw new AgentNotFound(id);
    return agent;
  }

  async #budgets(agent?: Agent): Promise<Budget[]> {
    const { gate, listAgents } = this.#ports;
    const agents = agent === undefined ? listAgents() : [agent];
    const own = agents.flatMap((one) =>
      gate.budgetsOf(one).filter(({ agentId }) => agentId !== null)
    );
    const shared = agent === undefined ? gate.budgetsOf(undefined) : [];
    return [...shared, ...own, ...await this.#trees(agents)];
  }

  async #trees(agents: readonly Agent[]): Promise<Budget[]> {
    const bounded = agents.filter(({ budget }) =>
      budget.tree !== null || budget.tokens.tree !== null
    );
    if (bounded.length === 0) return [];
    const running = await this.#ports.executions.listExecutions({
      statuses: OPEN_STATUSES,
      agentId: bounded.map(({ id }) => id),
      limit: MOST_TREES,
      offset: 0,
    });
    return running.filter(({ parentExecutionId }) => parentExecutionId === null)
      .flatMap(({ id, agentId }) => {
        const agent = bounded.find((one) => one.id === agentId);
        return agent === undefined ? [] : treeBudgets(agent.budget, { agentId, executionId: id });
      });
  }
}

function describeMissing({ agentId, unit, period }: RaiseRequest, all: readonly Budget[]): string {
  const whose = agentId === undefined ? "The workspace" : `Agent '${agentId}'`;
  const names = [...new Set(all.map(nameOf))];
  const wanted = nameOf({ unit, period });
  return names.length > 0
    ? `${whose} has no budget ${wanted}. Its budgets: ${names.join(", ")}`
    : period === "tree"
    ? `${whose} has no budget to raise: no run with a budget ${wanted} is open`
    : `${whose} has no budget to raise: set budget.${wanted} first`;
}

/** Returns a function that warns about a nearly used up budget, in the log and on the event bus. */
export function createBudgetWarning(
  ports: {
    events: EventBus;
    log: ServiceLog;
    findAgent(id: string): Pick<Agent, "displayName"> | undefined;
  },
): (state: BudgetState) => void {
  return (state) => {
    const { agentId, executionId = null, unit, limit, raised, used, end } = state;
    const displayName = agentId === null ? null : ports.findAgent(agentId)?.displayName ?? agentId;
    const message = describeNear(state, displayName);
    ports.log.write("warn", message, {
      ...(agentId !== null && { agent: agentId }),
      ...(executionId !== null && { execution: executionId }),
    });
    ports.events.publish({
      type: "budget_warning",
      agentId,
      displayName,
      rootId: executionId,
      budget: nameOf(state),
      unit,
      used: fromAmount(unit, used),
      limit: fromAmount(unit, limit + raised),
      resetsAt: end,
      message,
    });
  };
}

function describeNear(state: BudgetState, displayName: string | null): string {
  const { unit, limit, raised, used } = state;
  const whose = displayName === null ? "the workspace" : displayName;
  const amounts = `${formatAmount(unit, used)} of ${formatAmount(unit, limit + raised)}`;
  return `Budget ${nameOf(state)} of ${whose} is nearly used up: ${amounts}`;
}
