// Plans an agent's next run. The plan is prepared as a run is, but calls no model and no tool and starts no execution.
import type { Agent } from "../../agents/agent.ts";
import { isGuarded } from "../../agents/guarded_tools.ts";
import { OutputSchemaUnusable } from "../../agents/output_schema.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { exists } from "../../config/files/exists.ts";
import { modelChain } from "../../config/providers.ts";
import type { ExecutionRequest } from "../../executions/execution_request.ts";
import { createFirstMessages } from "../../executions/loop/opening.ts";
import { modelEndpoint } from "../../models/endpoint.ts";
import { ModelError } from "../../models/model.ts";
import { findTooManyTools, TOOLS_REMEDY } from "../../models/tool_limit.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { isBuiltinName } from "../../vocabulary/builtin_tools.ts";
import type { AgentTools } from "../../tools/agent_tools.ts";
import type { Tool } from "../../tools/definition/tool.ts";
import { createSchedule } from "../../triggers/schedule/schedule.ts";
import { describeSetup } from "../../triggers/webhook/setup_text.ts";
import type { RuntimeParts } from "../open_parts.ts";
import { effectiveSettings } from "./effective_settings.ts";
import type { PlannedTool, RunPlan } from "../../interface/run_plan.ts";

/** The number of due times in a plan. */
const UPCOMING = 3;

/** The objects that a plan needs. Those that it shares with runs are as a run gets them. */
type RunPlanPorts = RuntimeParts & RuntimeParts["runPorts"];

/**
 * Returns the plan of an agent's next run. Opens the agent's tools as a run does: loads custom tools and starts MCP
 * servers.
 */
export async function planRun(
  agent: Agent,
  options: { withMessages: boolean; ports: RunPlanPorts },
): Promise<RunPlan> {
  const { ports } = options;
  const problems: string[] = [];
  const notices: string[] = [];
  const trigger = agent.enabled && agent.trigger.type === "schedule" ? "schedule" : "manual";
  const upcoming = nextTimes(agent, ports);
  const request: ExecutionRequest = {
    args: [],
    ...(trigger === "schedule" && {
      cause: { type: trigger, scheduledFor: upcoming[0] ?? ports.clock.now() },
    }),
  };
  const sandbox = await ports.openSandbox(agent, {
    lineage: [],
    ...(request.cause && { cause: request.cause }),
  });
  const roots = await sandbox.roots();
  const tools = await ports.openTools(agent, {
    signal: new AbortController().signal,
    onUnavailable: (reason) => problems.push(reason),
  });
  for (const { alias } of agent.editorPaths ?? []) {
    notices.push(
      `{${alias}} is absent: only a run from an editor has it (inkling acp ${agent.id})`,
    );
  }
  if (tools.sandboxGap !== undefined) notices.push(tools.sandboxGap);
  for (const [index, model] of modelChain(agent.model).entries()) {
    const tooMany = findTooManyTools(model, tools.toolbox.names().length);
    if (tooMany === undefined) continue;
    const isProblem = tooMany.isCertain && index === 0;
    (isProblem ? problems : notices).push(`${tooMany.message}: ${TOOLS_REMEDY}`);
  }
  await orProblem(problems, () => ports.openFormat(agent));
  const missing: string[] = [];
  const [key = null, ...others] = [agent.model, ...agent.model?.fallback ?? []]
    .map((model) => findKey({ model }, { ports, problems: missing }));
  // A missing key is no problem of the run if another of its models can be called.
  (missing.length <= others.length ? notices : problems).push(...missing);
  const messages = !options.withMessages
    ? null
    : await orProblem(problems, () =>
      createFirstMessages(
        {
          request,
          agent,
          roots,
          tools,
          execution: {
            // A higher id than that of every execution, so that the newest conversation is found.
            id: Number.MAX_SAFE_INTEGER,
            agentId: agent.id,
            sessionId: null,
            trigger,
          },
        },
        { ...ports, log: collectNotices(notices) },
      ));
  return ports.redactor.redactValue({
    settings: await effectiveSettings(agent, ports.settings),
    key,
    paths: await Promise.all(roots.map(async ({ alias, path, access }) => ({
      alias,
      path,
      access,
      exists: await exists(path),
    }))),
    tools: describeTools(agent, tools),
    problems,
    notices,
    trigger,
    upcoming,
    ...(agent.trigger.type === "webhook" && { setup: describeSetup(agent, ports.settings.config) }),
    schedulerState: await ports.pause.state(),
    messages,
  });
}

/**
 * Returns the next due times. Without a running service, returns only the due times that do not depend on the service's
 * start.
 */
function nextTimes(
  { id, enabled, trigger }: Agent,
  { triggers, clock, timeZone }: Pick<RunPlanPorts, "triggers" | "clock" | "timeZone">,
): number[] {
  if (!enabled || trigger.type !== "schedule") return [];
  if (triggers !== undefined) return triggers.nextRuns(id, UPCOMING);
  if (trigger.cron === undefined) return [];
  const schedule = createSchedule(trigger, { timeZone: timeZone() });
  const times: number[] = [];
  for (let last = clock.now(); times.length < UPCOMING;) {
    const next = schedule.nextAfter(last, last);
    if (next === null) break;
    times.push(last = next);
  }
  return times;
}

function describeTools(agent: Agent, { toolbox }: AgentTools): PlannedTool[] {
  return toolbox.names().flatMap((name) => {
    const tool = toolbox.get(name);
    if (tool === undefined) return [];
    return {
      name,
      source: sourceOf(tool),
      server: tool.origin?.server ?? null,
      // A tool that always asks a question is not listed as guarded.
      guarded: tool.question === undefined &&
        (isGuarded(agent, tool) || "approval" in tool && tool.approval?.mayAsk === true),
      effect: effectOf(tool),
    };
  });
}

function sourceOf({ name, origin, replacesBuiltin }: Tool): PlannedTool["source"] {
  if (origin !== undefined) return "mcp";
  if (replacesBuiltin || !isBuiltinName(name)) return "custom";
  if (name === "run_agent") return "delegation";
  return name.startsWith("skill_") ? "skills" : "builtin";
}

function effectOf(tool: Tool): PlannedTool["effect"] {
  if (tool.question !== undefined) return "read";
  // The effect of a delegation depends on the called agent.
  if (tool.delegation !== undefined) return "varies";
  return tool.fixedEffect ?? "varies";
}

function findKey(
  { model }: Pick<Agent, "model">,
  { ports: { settings: { environment } }, problems }: { ports: RunPlanPorts; problems: string[] },
): RunPlan["key"] {
  if (model === undefined) {
    problems.push("No model: name one in the agent's file, or in defaults in config.yaml");
    return null;
  }
  try {
    const { id, keyVariable: variable, keyRequired } = modelEndpoint(model);
    if (variable === null) return null;
    const isSet = (environment.get(variable)?.trim() ?? "") !== "";
    if (keyRequired && !isSet) {
      problems.push(`The key of model ${id} is missing: ${variable} is not set`);
    }
    return { variable, isSet };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    problems.push(error.message);
    return null;
  }
}

async function orProblem<T>(problems: string[], make: () => Promise<T>): Promise<T | null> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof RuntimeError) && !(error instanceof OutputSchemaUnusable)) throw error;
    problems.push(error.message);
    return null;
  }
}

/** Returns a log that adds a run's warnings to the notices of the plan. */
function collectNotices(notices: string[]): ServiceLog {
  return {
    write(_level, message, fields = {}) {
      const { agent: _agent, ...rest } = fields;
      const more = Object.entries(rest).map(([name, value]) => `${name}: ${value}`).join(", ");
      notices.push(more === "" ? message : `${message} (${more})`);
    },
  };
}
