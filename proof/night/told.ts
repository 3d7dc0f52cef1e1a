// Reads the API's reports of the night in the form of the planned events.
import { explain } from "../../cli/commands/agents/why.ts";
import { Client } from "../../api/client/client.ts";
import { createLocalClient } from "../../app/local_client.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import { type Happening, HAPPENINGS, QUESTIONS } from "./happenings.ts";
import { liveThroughNight, momentOf } from "./night_world.ts";
import { findNotOnPage } from "./told_on_page.ts";

/** Before the first run of the night. */
const EVENING = "22:00";

/** One reported event. */
export interface Told {
  agent: string;
  /** Milliseconds since the epoch; null for a state in the morning. */
  at: number | null;
  outcome: string;
  text: string;
}

/** The result of the night. */
export interface NightReport {
  /** The number of successful runs, and of all runs. */
  succeeded: number;
  executions: number;
  costUsd: number;
  told: Told[];
  /** Events that were not reported, or reported wrongly. */
  untold: string[];
  /** Reports of events that did not happen. */
  invented: string[];
  /** Events that are missing in the recap. */
  notInRecap: string[];
  /** Events with a time that `why` does not report. */
  notInWhy: string[];
  /** Items of the recap that the page does not show; null without a browser. */
  notOnPage: string[] | null;
}

/** Runs the night and compares. */
export async function compareNight(): Promise<NightReport> {
  await using night = await liveThroughNight();
  using client = createLocalClient(night.runtime);
  const executions = await client.executions({ limit: 500 });
  const told = [
    ...await tellExecutions(client),
    ...await tellSlots(client),
    ...await tellAgents(client),
  ];
  const isOf = (told: Told, { agent, time, outcome, reason }: Happening) =>
    told.agent === agent && told.outcome === outcome && reason.test(told.text) &&
    told.at === (time === null ? null : momentOf(time));
  return {
    succeeded: executions.filter(({ status }) => status === "success").length,
    executions: executions.length,
    costUsd: executions.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
    told,
    notInWhy: await findNotInWhy(client),
    notOnPage: await findNotOnPage(night),
    notInRecap: findNotInRecap(
      await client.recap({ since: new Date(momentOf(EVENING)).toISOString() }),
    ),
    untold: HAPPENINGS.filter((one) => !told.some((line) => isOf(line, one)))
      .map(({ agent, time, outcome, reason }) => `${agent} ${time} ${outcome}: ${reason}`),
    invented: told.filter((line) => !HAPPENINGS.some((one) => isOf(line, one)))
      .map(({ agent, at, outcome, text }) =>
        `${agent} ${at === null ? "" : new Date(at).toISOString()} ${outcome}: ${text}`
      ),
  };
}

async function findNotInWhy(client: Client): Promise<string[]> {
  const missing: string[] = [];
  const asked = [
    ...HAPPENINGS.map(({ reason, why = reason, ...rest }) => ({ ...rest, reason: why })),
    ...QUESTIONS,
  ];
  for (const { agent, time, reason, remedy = /./ } of asked) {
    const at = time === null ? undefined : momentOf(time);
    const told = await explain(client, agent, at);
    const isTold = reason.test(told.reason) && remedy.test(told.remedy ?? "");
    if (!isTold) missing.push(`${agent} ${time}: ${told.reason} / ${told.remedy}`);
  }
  return missing;
}

/** The recap reports several events of one kind as one, with their number. */
function findNotInRecap(recap: RecapBody): string[] {
  const isTold = ({ agent, outcome, reason }: Happening): boolean => {
    const failing = outcome === "error" || outcome === "aborted";
    const alike =
      HAPPENINGS.filter((one) =>
        one.agent === agent && (one.outcome === outcome || failing) &&
        (failing ? ["error", "aborted"].includes(one.outcome) : one.reason.source === reason.source)
      ).length;
    const { failures, waiting, not_run: notRun, stopped } = recap;
    if (failing) {
      return failures.some((one) =>
        one.agent_id === agent && one.count === alike && reason.test(one.last_error)
      );
    }
    if (outcome === "waiting") {
      return waiting.some((one) => one.agent_id === agent && reason.test(one.message));
    }
    if (outcome === "skipped" || outcome === "missed") {
      return notRun.some((one) =>
        one.agent_id === agent && one.outcome === outcome && one.count === alike &&
        reason.test(one.reason)
      );
    }
    return stopped.some((one) => one.agent_id === agent && reason.test(one.reason));
  };
  return HAPPENINGS.filter((one) => !isTold(one))
    .map(({ agent, time, outcome }) => `${agent} ${time} ${outcome}`);
}

/** Returns the unsuccessful runs, each with its due time. */
async function tellExecutions(client: Client): Promise<Told[]> {
  const told: Told[] = [];
  for (
    const { id, agent_id, status, started_at, error } of await client.executions({ limit: 500 })
  ) {
    if (status === "success") continue;
    const text = status === "waiting" ? (await client.pending(id)).tool_name : error;
    const started = Date.parse(started_at);
    told.push({
      agent: agent_id,
      at: started - started % MINUTE_MS,
      outcome: status,
      text: text ?? "",
    });
  }
  return told;
}

/** Returns the times without a run; slots that are stored as one row are listed one by one. */
async function tellSlots(client: Client): Promise<Told[]> {
  const told: Told[] = [];
  for (const { id, trigger_cron } of await client.agents()) {
    for (
      const { scheduled_for, outcome, reason, count } of await client.slots(id, { limit: 100 })
    ) {
      if (outcome === "run") continue;
      for (let n = 0; n < count; n++) {
        const at = Date.parse(scheduled_for) + n * distanceOf(trigger_cron ?? "");
        told.push({ agent: id, at, outcome, text: reason ?? "" });
      }
    }
  }
  return told;
}

/** Schedules with steps or lists of minutes fire within the hour, the others hourly. */
function distanceOf(cron: string): number {
  const step = /^\*\/(\d+) /.exec(cron)?.[1];
  return (step === undefined ? 60 : Number(step)) * MINUTE_MS;
}

/** Returns the agents whose triggers are stopped in the morning. */
async function tellAgents(client: Client): Promise<Told[]> {
  const { agent_errors, agent_warnings } = await client.info();
  const agents = await client.agents();
  const disabled = agents.filter(({ enabled }) => !enabled);
  const broken = [...agent_errors, ...agent_warnings].map(({ id, diagnostics }) => ({
    id,
    diagnostics: diagnostics.filter(({ severity }) => severity === "error"),
  })).filter(({ diagnostics }) => diagnostics.length > 0);
  return [
    ...disabled.map(({ id }) => ({
      agent: id,
      at: null,
      outcome: "disabled",
      text: "enabled: false",
    })),
    ...agents.flatMap(({ id, trigger_paused: text }) =>
      text === null ? [] : [{ agent: id, at: null, outcome: "stopped", text }]
    ),
    ...broken.map(({ id, diagnostics }) => ({
      agent: id,
      at: null,
      outcome: "broken",
      text: diagnostics.map(({ message }) => message).join("; "),
    })),
  ];
}
