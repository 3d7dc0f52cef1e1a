// The operations on agents: list, configuration, plan, run, history, and reloading the files.
import { z } from "zod";
import { DAY_MS } from "../../base/time_units.ts";
import {
  AgentDetail,
  AgentSummary,
  toAgentDetail,
  toAgentSummary,
} from "../schemas/agent_schemas.ts";
import { PlanBody, toPlan } from "../schemas/plan_schemas.ts";
import {
  AgentResumed,
  AutoApproveBody,
  AutoApproved,
  ReloadBody,
} from "../schemas/agent_action_schemas.ts";
import { ExecutionSummary, toExecution } from "../schemas/execution_schemas.ts";
import type { AgentListing, ListedExecution as Listed } from "../../runtime/interface/runtime.ts";
import { RequestRefused } from "../errors.ts";
import { fromWire } from "../schemas/wire.ts";
import { operation } from "../operations/operation.ts";
import { keptRows } from "../operations/polled_answers.ts";
import { AGENT, HISTORY, keyHeader, limit, offset, yesOrNo } from "../operations/parameters.ts";
import { openFiles, requireEditor } from "../operations/open_files.ts";
import { RunAccepted, RunBody } from "../schemas/run_schemas.ts";
import { SlotBody } from "../schemas/scheduler_schemas.ts";

const toSummaries = keptRows((one: AgentListing) => toAgentSummary(one));
const toRuns = keptRows((one: Listed) => toExecution(one));

export const agents = operation({
  summary: "All agents, by id",
  isPolled: true,
  description: "`day=true` adds the executions of the last 24 hours. `fresh=true` first reads " +
    "the changed agent files; without it the response comes from memory.",
  query: z.object({ day: yesOrNo, fresh: yesOrNo }),
  response: z.array(AgentSummary),
  async handle({ query }, { runtime }) {
    const listings = await runtime.listAgents({ fresh: query.fresh === "true" });
    if (query.day !== "true") return toSummaries(listings);
    const outcomes = await runtime.countOutcomes(runtime.clock.now() - DAY_MS);
    return listings.map((one) =>
      toAgentSummary(one, outcomes.get(one.agent.id) ?? { ended: 0, succeeded: 0 })
    );
  },
});

export const reload = operation({
  summary: "Reload the agent files",
  response: ReloadBody,
  async handle(_request, { runtime }) {
    const report = await runtime.reloadAgents();
    return { ...report, agentsLoaded: report.loaded };
  },
});

export const agent = operation({
  summary: "One agent with its complete configuration",
  resource: AGENT,
  isPolled: true,
  response: AgentDetail,
  async handle({ id }, { runtime }) {
    return toAgentDetail(await runtime.getAgent(id));
  },
});

export const plan = operation({
  summary: "Plan of an agent's next run; runs and stores nothing",
  description:
    "Loads custom tools and starts MCP servers, as for a run. Calls no tool and no model. " +
    "`prompt=true` adds the messages that the model would receive.",
  resource: AGENT,
  query: z.object({ prompt: yesOrNo }),
  response: PlanBody,
  async handle({ id, query }, { runtime }) {
    const plan = await runtime.planRun(id, { withMessages: query.prompt === "true" });
    // Do not read the agent's file again, because planRun() has just read it.
    return toPlan(await runtime.getAgent(id, { fresh: false }), plan);
  },
});

const ONLY_LOCAL = "editor_folder is accepted only over the Unix socket: " +
  "start the agent with inkling acp AGENT on the machine of the service";

export const run = operation({
  summary: "Start an execution",
  description:
    "With `session_id`, the execution is a turn of that conversation. A repeated `Idempotency-Key` " +
    "returns the first `execution_id` for 24 hours; with another agent or body, the response is 409.",
  resource: AGENT,
  headers: keyHeader,
  body: RunBody,
  response: RunAccepted,
  errors: [403, 409, 503],
  async handle({ id, headers, body }, services) {
    const { runtime, lifecycle, caller, isLocal = false } = services;
    lifecycle.requireRunning();
    if (body.editor_folder != null && !isLocal) throw new RequestRefused(403, ONLY_LOCAL);
    const { message, session_id, dry_run, agent_text, ...rest } = body;
    const agentText = agent_text == null
      ? null
      : await (await openFiles(services)).withSecrets({ kind: "agent", id }, agent_text);
    const accepted = await runtime.run(
      id,
      fromWire({
        ...rest,
        idempotency_key: headers["idempotency-key"],
        message: message?.trim() ? message : null,
        session_id: session_id?.trim() ? session_id : null,
        dry_run: dry_run === true ? true : null,
        agent_text: agentText,
        by: caller,
      }),
    );
    return { executionId: accepted.id, model: accepted.model, notices: accepted.notices };
  },
});

export const autoApprove = operation({
  summary: "Add a tool to auto_approve in the agent's file, so that its calls need no approval",
  description: "Keeps comments and everything else in the file. Reads the agent again at once.",
  resource: AGENT,
  body: AutoApproveBody,
  response: AutoApproved,
  errors: [403, 409, 503],
  async handle({ id, body }, services) {
    requireEditor(services);
    const { runtime, caller } = services;
    return await runtime.autoApprove(id, { ...body, by: caller });
  },
});

export const resumeAgent = operation({
  summary: "Resume an agent's stopped trigger",
  resource: AGENT,
  response: AgentResumed,
  errors: [503],
  async handle({ id }, { runtime, caller }) {
    const { agent } = await runtime.getAgent(id);
    const { isResumed, reason, droppedChanges } = await runtime.resumeAgent(
      agent.id,
      caller,
    );
    return { agentId: agent.id, resumed: isResumed, triggerPaused: reason, droppedChanges };
  },
});

export const runs = operation({
  summary: "Executions of one agent, newest first, even if its file was deleted",
  resource: HISTORY,
  query: z.object({ limit: limit(10), offset }),
  isPolled: true,
  response: z.array(ExecutionSummary),
  async handle({ id, query }, { runtime }) {
    return toRuns(await runtime.listRuns(id, query));
  },
});

export const slots = operation({
  summary: "Scheduled times of one agent and their outcomes, newest first",
  resource: HISTORY,
  query: z.object({ limit: limit(50), offset }),
  response: z.array(SlotBody),
  handle: ({ id, query }, { runtime }) => runtime.listSlots(id, query),
});
