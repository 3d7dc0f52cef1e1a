// Agents: what there is, how each is configured, running one, what it ran, reading the files again.
import { z } from "zod";
import { DAY_MS } from "../../base/time_units.ts";
import {
  AgentDetail,
  AgentSummary,
  toAgentDetail,
  toAgentSummary,
} from "../schemas/agent_schemas.ts";
import { AgentResumed, ReloadBody, toReload, toResumed } from "../schemas/agent_action_schemas.ts";
import { PlanBody, toPlan } from "../schemas/plan_schemas.ts";
import { AutoApproveBody, AutoApproved } from "../schemas/approval_schemas.ts";
import { RequestRefused } from "../errors.ts";
import { ExecutionSummary } from "../schemas/execution_schemas.ts";
import { toExecutionSummary } from "../schemas/execution_wire.ts";
import { defineOperation, type Operation, type Services } from "../operations/operation.ts";
import { agentId, idempotencyKey, limit, offset, yesOrNo } from "../operations/parameters.ts";
import { RunAccepted, RunBody } from "../schemas/run_schemas.ts";
import { SlotBody } from "../schemas/scheduler_schemas.ts";
import { toSlot } from "../schemas/scheduler_wire.ts";

const params = z.object({ id: agentId });
type Named = z.output<typeof params>;

/** Throws AgentNotFound. */
const findAgent = ({ id }: Named, { runtime }: Services) => runtime.getAgent(id);

/** Throws AgentNotFound, but for an agent that has a history. */
const findHistory = ({ id }: Named, { runtime }: Services) =>
  runtime.listRuns(id, { limit: 1, offset: 0 });

/** /agents. */
export const agentOperations: readonly Operation[] = [
  defineOperation({
    operationId: "agents",
    summary: "All agents, by id",
    isPolled: true,
    description: "`day=true` adds the executions of the last 24 hours. `fresh=true` reads the " +
      "agent files that have changed first; without it the answer comes from memory.",
    query: z.object({ day: yesOrNo, fresh: yesOrNo }),
    response: z.array(AgentSummary),
    errors: [],
    async handle({ query }, { runtime }) {
      const listings = await runtime.listAgents({ fresh: query.fresh === "true" });
      if (query.day !== "true") return listings.map((one) => toAgentSummary(one));
      const outcomes = await runtime.countOutcomes(runtime.clock.now() - DAY_MS);
      return listings.map((one) =>
        toAgentSummary(one, outcomes.get(one.agent.id) ?? { ended: 0, succeeded: 0 })
      );
    },
  }),
  defineOperation({
    operationId: "reload",
    summary: "Reload the agent files",
    response: ReloadBody,
    errors: [],
    async handle(_request, { runtime }) {
      return toReload(await runtime.reloadAgents());
    },
  }),
  defineOperation({
    operationId: "agent",
    summary: "One agent with its full configuration",
    params,
    isPolled: true,
    response: AgentDetail,
    errors: [404],
    async handle({ params }, { runtime }) {
      return toAgentDetail(await runtime.getAgent(params.id));
    },
  }),
  defineOperation({
    operationId: "plan",
    summary: "What the next run of an agent would be; runs and stores nothing",
    description: "Custom tools are loaded and MCP servers started, as for a run; no tool is " +
      "called and no model asked. `prompt=true` adds the messages that the model would be sent.",
    params,
    query: z.object({ prompt: yesOrNo }),
    response: PlanBody,
    errors: [404],
    find: findAgent,
    async handle({ params, query }, { runtime }) {
      const plan = await runtime.planRun(params.id, { withMessages: query.prompt === "true" });
      // The plan has just read its file.
      return toPlan(await runtime.getAgent(params.id, { fresh: false }), plan);
    },
  }),
  defineOperation({
    operationId: "run",
    summary: "Start an execution",
    description:
      "With `session_id` it is a turn of that conversation. Repeating an `Idempotency-Key` " +
      "within 24 hours returns the first `execution_id`; with another agent or body it is refused " +
      "with 409.",
    params,
    headers: z.object({ "idempotency-key": idempotencyKey }),
    body: RunBody,
    response: RunAccepted,
    errors: [404, 409, 503],
    find: findAgent,
    async handle({ params, headers, body }, { runtime, lifecycle }) {
      if (lifecycle.stopping !== null) {
        throw new RequestRefused(503, "The service is shutting down");
      }
      const { args, message, context, dry_run, session_id } = body;
      const idempotencyKey = headers["idempotency-key"];
      const execution = await runtime.run(params.id, {
        ...(args != null && { args }),
        ...(message != null && message.trim() !== "" && { message }),
        ...(context != null && { context }),
        ...(dry_run === true && { dryRun: true }),
        ...(session_id != null && session_id.trim() !== "" && { sessionId: session_id }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      const { id, model, notices } = execution;
      return { execution_id: id, model, ...(notices && { notices: [...notices] }) };
    },
  }),
  defineOperation({
    operationId: "autoApprove",
    summary: "Let an agent call a tool unasked: adds it to auto_approve in the agent's file",
    description:
      "Comments and everything else in the file stay, and the agent is read again at once.",
    params,
    body: AutoApproveBody,
    response: AutoApproved,
    errors: [404, 409, 503],
    find: findAgent,
    async handle({ params, body }, { runtime }) {
      return await runtime.autoApprove(params.id, body);
    },
  }),
  defineOperation({
    operationId: "resumeAgent",
    summary: "Let an agent's stopped trigger fire again",
    params,
    response: AgentResumed,
    errors: [404, 503],
    find: findAgent,
    async handle({ params }, { runtime }) {
      const { agent } = await runtime.getAgent(params.id);
      return toResumed(agent.id, await runtime.resumeAgent(agent.id));
    },
  }),
  defineOperation({
    operationId: "runs",
    summary: "Executions of one agent, newest first; also after its file was deleted",
    params,
    query: z.object({ limit: limit(10), offset }),
    isPolled: true,
    response: z.array(ExecutionSummary),
    errors: [404],
    find: findHistory,
    async handle({ params, query }, { runtime }) {
      return (await runtime.listRuns(params.id, query)).map(toExecutionSummary);
    },
  }),
  defineOperation({
    operationId: "slots",
    summary: "Scheduled times of one agent and their outcomes, newest first",
    params,
    query: z.object({ limit: limit(50), offset }),
    response: z.array(SlotBody),
    errors: [404],
    find: findHistory,
    async handle({ params, query }, { runtime }) {
      return (await runtime.listSlots(params.id, query)).map(toSlot);
    },
  }),
];
