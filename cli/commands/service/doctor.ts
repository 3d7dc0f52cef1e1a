// `inkling doctor`: checks the installation and the service, and prints each problem with its remedy. --fix repairs the
// problems whose repair loses no data.
import { performs } from "../../command_line/command.ts";
import type { doctor } from "../../declarations/service_commands.ts";
import { RuntimeError } from "../../../base/errors.ts";
import type { Examination, Finding } from "../../../ops/doctor/finding.ts";
import { ApiError, type Client } from "../../../api/client/client.ts";
import type { AgentSummary } from "../../../api/schemas/agent_schemas.ts";
import type { InfoBody } from "../../../api/schemas/info_schemas.ts";
import {
  describeReadiness,
  type MissingCondition,
  needsReadiness,
} from "../../../present/readiness.ts";
import { isAutomatic } from "../../../present/triggers.ts";
import type { CliApp, Places } from "../../context/app.ts";
import { type CommandContext, EXIT } from "../../context/context.ts";
import { formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { PORT_REMEDY, unreachableWebhooks } from "../../output/problems.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { hasLivingNode } from "../../output/reports/nodes.ts";
import { wrapText } from "../../output/wrap.ts";
import { checkHealth, type Health } from "../../service/connection.ts";
import { assessReadiness } from "../../service/readiness.ts";
import { describeUnitStart } from "../../service/units/installed_unit.ts";

/** A problem, and the result of its repair if one was tried: a sentence about it, or the error message of its failure. */
type Outcome = Finding & { fixed?: string; failure?: string };

/** Runs all checks and prints the findings. The exit code is 1 if an error remains. */
export const perform = performs<typeof doctor>(async (context, options) => {
  const { app, output } = context;
  const places = await findPlaces(context);
  using client = places && app.connect(places);
  const health = client === undefined ? "absent" : await checkHealth(client, app);
  const isRunning = health !== "absent";
  const found = await app.examine({ workspace: context.workspace, isRunning });
  const missing = await examineService(context, { places, client, health, found });
  const outcomes: Outcome[] = found.findings
    .toSorted((a, b) => rank(a) - rank(b))
    .map((finding) => options.fix ? repair(finding) : finding);
  if (options.json) output.json(toJson(found, { outcomes, missing }));
  else show(output, found, { outcomes, missing });
  const isIll = outcomes.some(({ severity, fixed }) => severity === "error" && fixed === undefined);
  return isIll ? EXIT.failed : EXIT.ok;
});

/**
 * Returns the paths of the installation, or undefined if config.yaml is invalid. `app.examine` reports the invalid file.
 */
async function findPlaces({ app, workspace }: CommandContext): Promise<Places | undefined> {
  try {
    return await app.places(workspace);
  } catch (error) {
    if (error instanceof RuntimeError) return undefined;
    throw error;
  }
}

function rank({ severity }: Finding): number {
  return severity === "error" ? 0 : 1;
}

function repair(finding: Finding): Outcome {
  if (finding.repair === undefined) return finding;
  try {
    return { ...finding, fixed: finding.repair() };
  } catch (error) {
    // A failed repair leaves the finding with its remedy, so that the user can act.
    if (!(error instanceof Error)) throw error;
    return { ...finding, failure: error.message };
  }
}

/**
 * Adds findings about the service: a silent or outdated process, and triggers that cannot fire because no service runs.
 * Returns the missing conditions for unattended runs; undefined if no agent fires by itself, or if they are unknown.
 */
async function examineService(
  context: CommandContext,
  { places, client, health, found }: {
    places: Places | undefined;
    client: Client | undefined;
    health: Health;
    found: Examination;
  },
): Promise<MissingCondition[] | undefined> {
  const { app } = context;
  const { findings } = found;
  const subject = "service";
  if (health === "silent") {
    const problem = `The service does not answer on ${places?.socketFile}`;
    const remedy = `"inkling stop" stops it; its log is ${places?.logFile}`;
    findings.push({ severity: "error", subject, problem, remedy });
  }
  found.checks++;
  if (health === "silent") return undefined;
  if (health === "answers" && client !== undefined) {
    return await examineRunning(context, { client, found, logFile: places?.logFile });
  }
  try {
    await using local = await app.openLocalService(context);
    const { port, host } = await app.serviceDefaults(context);
    const transports = port === null ? [] : [`tcp://${host}:${port}`];
    const answers = await examineTriggers(local.client, { found, transports });
    // With a shared database, a service on another machine fires the triggers.
    if (hasLivingNode(answers.info)) return undefined;
    const missing = assess(app, { isRunning: false, ...answers });
    const scheduled = answers.agents.filter(isAutomatic);
    found.checks++;
    const [first] = scheduled;
    if (first === undefined) return missing;
    const who = scheduled.length === 1
      ? `${first.id} has a trigger`
      : `${scheduled.length} agents have triggers`;
    const unit = app.findUnit()?.file;
    const problem = unit === undefined
      ? `The service is not running, but ${who}; no unit file starts it`
      : `The service is not running, but ${who}; its unit file is ${unit}`;
    const remedy = unit === undefined
      ? '"inkling service install" starts it now and with the machine; "inkling start -d" only now'
      : describeUnitStart(unit);
    findings.push({ severity: "error", subject, problem, remedy });
    return missing;
  } catch (error) {
    // `app.examine` has already reported an unusable database or an invalid config.yaml.
    if (!(error instanceof RuntimeError || error instanceof ApiError)) throw error;
    return undefined;
  }
}

/** Returns the missing conditions for unattended runs; undefined if no agent fires by itself. */
function assess(
  app: CliApp,
  answers: { isRunning: boolean; info: InfoBody; agents: readonly AgentSummary[] },
): MissingCondition[] | undefined {
  return needsReadiness(answers.agents) ? assessReadiness(app, answers) : undefined;
}

/**
 * Adds findings about a service that answers health checks. If its API returns an error, for example because the database
 * is unreachable, the error becomes a finding.
 */
async function examineRunning(
  { app }: CommandContext,
  { client, found, logFile }: { client: Client; found: Examination; logFile: string | undefined },
): Promise<MissingCondition[] | undefined> {
  const { findings } = found;
  const subject = "service";
  try {
    const { version, transports } = await client.info();
    found.checks++;
    if (version !== app.version) {
      const problem = `The running service is Inkling ${version}, but this is ${app.version}`;
      const remedy =
        'restart it as it was started: through systemd or launchd, or with "inkling stop" and "inkling start"';
      findings.push({ severity: "warning", subject, problem, remedy });
    }
    const answers = await examineTriggers(client, { found, transports });
    return assess(app, { isRunning: true, ...answers });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A finding of `app.examine` already contains this error.
    if (findings.some(({ problem }) => error.message.startsWith(problem))) return undefined;
    const problem = `The service does not report its state: ${error.message}`;
    findings.push({ severity: "error", subject, problem, remedy: `read its log: ${logFile}` });
    return undefined;
  }
}

/**
 * Adds findings about triggers that cannot fire, and returns the answers of the service. `transports` are the addresses of
 * the running service, or the configured addresses if no service runs.
 */
async function examineTriggers(
  client: Client,
  { found, transports }: { found: Examination; transports: readonly string[] },
): Promise<{ info: InfoBody; agents: AgentSummary[] }> {
  const { findings } = found;
  const [info, agents] = await Promise.all([client.info(), client.agents()]);
  const { scheduler_status: scheduler, triggers_held: held } = info;
  found.checks += 3;
  for (const id of unreachableWebhooks(agents, transports)) {
    const problem = "Its webhook cannot be reached: the service has no port";
    findings.push({ severity: "error", subject: id, problem, remedy: PORT_REMEDY });
  }
  for (const { id, trigger_paused: reason } of agents) {
    if (reason === null) continue;
    const problem = `Its trigger is paused: ${reason}`;
    const remedy = `fix the cause, then resume it: inkling resume ${id}`;
    findings.push({ severity: "error", subject: id, problem, remedy });
  }
  const subject = "scheduler";
  if (held !== undefined) {
    const problem = `No trigger fires here: ${held}`;
    const remedy = "stop one of the services, or let both use one database (docs/triggers.md)";
    findings.push({ severity: "warning", subject, problem, remedy });
  }
  if (scheduler === "paused" && agents.some(isAutomatic)) {
    const problem = "The scheduler is paused, so no trigger fires";
    const remedy = 'resume it on the Schedule page of "inkling ui"';
    findings.push({ severity: "warning", subject, problem, remedy });
  }
  return { info, agents };
}

/** The result of the command in addition to the examination. */
interface Verdict {
  outcomes: readonly Outcome[];
  /** The missing conditions for unattended runs; undefined if no agent fires by itself, or if they are unknown. */
  missing: readonly MissingCondition[] | undefined;
}

function toJson(
  { checks, unchecked, notes }: Examination,
  { outcomes, missing }: Verdict,
): unknown {
  return {
    checks,
    findings: outcomes.map(({ repair, code: _, fixed, failure, ...finding }) => ({
      ...finding,
      fixable: repair !== undefined,
      fixed: fixed ?? null,
      failure: failure ?? null,
    })),
    unchecked,
    notes,
    unattended: missing === undefined ? null : { ready: missing.length === 0, missing },
  };
}

function show(output: Output, found: Examination, { outcomes, missing }: Verdict): void {
  const { style, stdout } = output;
  const write = (mark: string, subject: string, text: string, dim = (line: string) => line) => {
    const indent = mark === "" ? "    " : "  ";
    const lines = wrapText(toOneLine(text), stdout.columns - indent.length).split("\n");
    lines.forEach((line, i) => {
      const shown = subject !== "" && i === 0 && line.startsWith(subject)
        ? style.bold(subject) + line.slice(subject.length)
        : line;
      output.line((i === 0 && mark !== "" ? `${mark} ` : indent) + dim(shown));
    });
  };
  for (const { severity, subject, problem, remedy, fixed, failure } of outcomes) {
    if (output.quiet && severity !== "error") continue;
    const name = toOneLine(subject);
    const mark = fixed !== undefined
      ? style.green("✔")
      : severity === "error"
      ? style.red("✖")
      : style.yellow("!");
    write(mark, name, `${subject}: ${problem}`);
    if (fixed !== undefined) write("", "", `fixed: ${fixed}`, style.green);
    else write("", "", remedy, style.dim);
    if (failure !== undefined) write("", "", `could not be fixed: ${failure}`, style.red);
  }
  for (const one of found.notes) output.note(one);
  for (const one of found.unchecked) output.note(`Not checked: ${one}`);
  if (missing !== undefined) output.note(describeReadiness(missing));
  output.detail(summarize(found, outcomes));
}

function summarize({ checks }: Examination, outcomes: readonly Outcome[]): string {
  const count = (wanted: Finding["severity"]) =>
    outcomes.filter(({ severity, fixed }) => severity === wanted && fixed === undefined).length;
  const fixedCount = outcomes.filter(({ fixed }) => fixed !== undefined).length;
  const left = outcomes.length - fixedCount;
  const done = fixedCount === 0 ? "" : `, ${fixedCount} fixed`;
  if (left === 0) {
    const result = fixedCount === 0 ? "no problems" : "no problems left";
    return `${formatPlural(checks, "check")}${done}, ${result}`;
  }
  const fixable =
    outcomes.filter(({ repair, fixed, failure }) =>
      repair !== undefined && fixed === undefined && failure === undefined
    ).length;
  const offer = fixable === 0 ? "" : `. "inkling doctor --fix" fixes ${fixable} of them`;
  return `${formatPlural(checks, "check")}${done}: ${formatPlural(count("error"), "error")}, ${
    formatPlural(count("warning"), "warning")
  }${offer}`;
}
