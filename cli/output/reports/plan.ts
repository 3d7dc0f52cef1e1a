// Prints the plan of a run: the agent's trigger, settings, paths, tools, messages and problems.
import { describeTrigger, isAutomatic } from "../../../present/triggers.ts";
import { toPauseWords } from "../../../base/text/rest_words.ts";
import type { PlanBody } from "../../../api/schemas/plan_schemas.ts";
import type { Output } from "../output.ts";
import { NOT_RUNNING, SCHEDULER_PAUSED, toProblemLine } from "../problems.ts";
import { sanitize, toOneLine } from "../sanitize.ts";
import { NOTHING } from "../table.ts";
import { formatMinute } from "../../../present/local_time.ts";
import { formatRelative } from "../time.ts";

type PlannedTool = PlanBody["tools"][number];
type PlannedMessage = NonNullable<PlanBody["messages"]>[number];

/** Prints a plan. `isService` is true if a running service created the plan; only a running service fires triggers. */
export function showPlan(
  output: Output,
  plan: PlanBody,
  options: { now: number; isService: boolean },
): void {
  const { style } = output;
  const { agent } = plan;
  const heading = (text: string) => output.sentence(`\n${style.bold(text)}`);
  const name = agent.display_name === agent.id ? "" : ` (${toOneLine(agent.display_name)})`;
  output.sentence(style.bold(toOneLine(agent.id)) + name);
  if (agent.description !== "") output.sentence(toOneLine(agent.description));
  output.line(style.dim(toOneLine(agent.source_path)));

  if (plan.problems.length > 0) heading("A run would fail");
  for (const problem of plan.problems) output.sentence(indented(problem));

  heading("Trigger");
  for (const line of describeFirings(plan, options)) output.sentence(`  ${toOneLine(line)}`);

  heading("Settings");
  output.fields([
    ...plan.settings.map((one) => [one.name, `${one.value} (${describeOrigin(one)})`] as const),
    plan.key !== null && [
      "key",
      `${plan.key.variable} (${plan.key.is_set ? "set" : "not set"})`,
    ],
  ]);

  heading("Paths");
  output.fields(plan.paths.map(({ alias, path, access, exists }) => {
    const notes = [
      ...(access === "read" ? ["read only"] : []),
      ...(exists ? [] : ["does not exist"]),
    ];
    const name = alias === null ? "watched" : `{${alias}}`;
    return [name, notes.length === 0 ? path : `${path} (${notes.join(", ")})`];
  }));

  for (const [source, tools] of Map.groupBy(plan.tools, describeSource)) {
    heading(`Tools: ${toOneLine(source)} (${tools.length})`);
    output.table(tools, [
      { header: "Name", cell: ({ name }) => name },
      {
        header: "Effect",
        cell: ({ effect }) => effect === "varies" ? "by arguments" : effect,
        paint: (cell, value) => value === "unsafe" ? style.yellow(cell) : cell,
      },
      { header: "Guard", cell: ({ guarded }) => guarded ? "asks you" : NOTHING },
    ]);
  }
  if (plan.tools.length > 0) {
    output.detail("After a crash, calls with the effect read or idempotent are repeated");
  }
  for (const message of plan.messages ?? []) {
    heading(describeMessage(message));
    if (message.content !== "") output.sentence(indented(message.content));
    for (const { name, arguments: args } of message.tool_calls ?? []) {
      output.sentence(`  ${toOneLine(`calls ${name} ${args}`)}`);
    }
  }
  if (plan.messages !== null && agent.trigger_type === "watch") {
    output.note(
      "\nAfter a file change the last message begins with the event and the path instead",
    );
  }
  showWarnings(output, plan, options);
}

function showWarnings(
  output: Output,
  { agent, notices, scheduler_status: scheduler }: PlanBody,
  { isService }: { isService: boolean },
): void {
  for (const warning of agent.warnings) {
    if (warning.severity === "error") output.error(toProblemLine(warning));
    else output.warning(toProblemLine(warning));
  }
  for (const notice of notices) output.warning(toOneLine(notice));
  if (!isAutomatic(agent)) return;
  if (!isService) {
    output.note(NOT_RUNNING);
  } else if (scheduler === "paused") {
    output.warning(SCHEDULER_PAUSED);
  }
}

/** Returns lines about the agent's trigger, its state and its next runs. */
function describeFirings(
  { agent, upcoming, setup = [] }: PlanBody,
  { now }: { now: number },
): string[] {
  const zone = agent.trigger.type === "schedule" ? agent.trigger.timezone : null;
  const trigger = describeTrigger(agent, "terse") + (zone === null ? "" : ` (${zone})`);
  if (!agent.enabled) {
    return [`${trigger}, but the agent is disabled: enabled: false in its file`];
  }
  if (agent.trigger_paused !== null) return [`${trigger}, but paused: ${agent.trigger_paused}`];
  const last = agent.last_execution;
  const pause = last === null ? undefined : toPauseWords(last, now);
  return [
    trigger,
    ...setup,
    ...(pause === undefined ? [] : [`Execution ${last?.id} ${pause}`]),
    ...upcoming.map((at) => `${formatMinute(at)}, ${formatRelative(at, now)}`),
  ];
}

const BUILT_IN = "built in";

/** Describes the source of a setting. A line number refers to the agent file, whose path is printed at the top. */
function describeOrigin({ from, line }: PlanBody["settings"][number]): string {
  switch (from) {
    case "file":
      return `line ${line}`;
    case "config":
      return `config.yaml:${line}`;
    case "default":
      return BUILT_IN;
    case "unknown":
      return "last good file";
  }
  return from satisfies never;
}

function describeSource({ source, server }: PlannedTool): string {
  switch (source) {
    case "builtin":
      return BUILT_IN;
    case "mcp":
      return `MCP server ${server}`;
    case "delegation":
    case "skills":
    case "custom":
      return source;
  }
  return source satisfies never;
}

function describeMessage(
  { role, seeded, tool_name: tool, is_error: failed }: PlannedMessage,
): string {
  const what = tool === undefined
    ? `Message: ${role}`
    : `Message: result of ${toOneLine(tool)}${failed ? ", failed" : ""}`;
  return seeded ? `${what} (of an earlier run)` : what;
}

/** Returns the sanitized text with each line indented. */
function indented(text: string): string {
  return sanitize(text).split("\n").map((line) => line === "" ? "" : `  ${line}`).join("\n");
}
