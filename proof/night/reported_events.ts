// Reads the events of the night from the API and compares them with the planned events.
import { explain } from "../../present/why/explain.ts";
import { Client } from "../../api/client/client.ts";
import { createLocalClient } from "../../app/local_client.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import { PLANNED_EVENTS, type PlannedEvent, QUESTIONS } from "./planned_events.ts";
import { momentOf, runNight } from "./night_world.ts";
import { findNotOnPage } from "./page_check.ts";

/** The time from which events are read, before the first run of the night. */
const EVENING = "22:00";

/** An event that the API reports. */
export interface ReportedEvent {
  agent: string;
  /** The time of the event in milliseconds since the epoch; null for a state that lasts until the morning. */
  at: number | null;
  outcome: string;
  text: string;
}

/** The differences between the planned and the reported events of the night. */
export interface NightReport {
  /** The number of successful runs; `runs` counts all runs. */
  succeeded: number;
  executions: number;
  costUsd: number;
  reported: ReportedEvent[];
  /** The planned events that were not reported or were reported wrongly. */
  unreported: string[];
  /** The reported events that were not planned. */
  unplanned: string[];
  /** The planned events that are missing in the recap. */
  notInRecap: string[];
  /** The planned events with a time that `inkling why` does not report. */
  notInWhy: string[];
  /** The items of the recap that the page does not show; null if no browser is installed. */
  notOnPage: string[] | null;
}

/** Simulates the night and returns the differences between planned and reported events. */
export async function compareNight(): Promise<NightReport> {
  await using night = await runNight();
  using client = createLocalClient(night.runtime);
  const executions = await client.executions({ limit: 500 });
  const reported = [
    ...await readExecutions(client),
    ...await readSlots(client),
    ...await readStoppedAgents(client),
  ];
  const isOf = (reported: ReportedEvent, { agent, time, outcome, reason }: PlannedEvent) =>
    reported.agent === agent && reported.outcome === outcome && reason.test(reported.text) &&
    reported.at === (time === null ? null : momentOf(time));
  return {
    succeeded: executions.filter(({ status }) => status === "success").length,
    executions: executions.length,
    costUsd: executions.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
    reported,
    notInWhy: await findNotInWhy(client),
    notOnPage: await findNotOnPage(night),
    notInRecap: findNotInRecap(
      await client.recap({ since: new Date(momentOf(EVENING)).toISOString() }),
    ),
    unreported: PLANNED_EVENTS.filter((one) => !reported.some((line) => isOf(line, one)))
      .map(({ agent, time, outcome, reason }) => `${agent} ${time} ${outcome}: ${reason}`),
    unplanned: reported.filter((line) => !PLANNED_EVENTS.some((one) => isOf(line, one)))
      .map(({ agent, at, outcome, text }) =>
        `${agent} ${at === null ? "" : new Date(at).toISOString()} ${outcome}: ${text}`
      ),
  };
}

async function findNotInWhy(client: Client): Promise<string[]> {
  const missing: string[] = [];
  const asked = [
    ...PLANNED_EVENTS.map(({ reason, why = reason, ...rest }) => ({ ...rest, reason: why })),
    ...QUESTIONS,
  ];
  for (const { agent, time, reason, remedy = /./ } of asked) {
    const at = time === null ? undefined : momentOf(time);
    const reported = await explain(client, agent, at);
    const isReported = reason.test(reported.reason) && remedy.test(reported.remedy ?? "");
    if (!isReported) missing.push(`${agent} ${time}: ${reported.reason} / ${reported.remedy}`);
  }
  return missing;
}

/**
 * Returns the planned events that are missing in the recap, which reports several events of one kind as one item with their
 * number.
 */
function findNotInRecap(recap: RecapBody): string[] {
  const isReported = ({ agent, outcome, reason }: PlannedEvent): boolean => {
    const failing = outcome === "error" || outcome === "aborted";
    const alike =
      PLANNED_EVENTS.filter((one) =>
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
  return PLANNED_EVENTS.filter((one) => !isReported(one))
    .map(({ agent, time, outcome }) => `${agent} ${time} ${outcome}`);
}

/** Returns the runs that did not succeed, each with its due time. */
async function readExecutions(client: Client): Promise<ReportedEvent[]> {
  const reported: ReportedEvent[] = [];
  for (
    const { id, agent_id, status, started_at, error } of await client.executions({ limit: 500 })
  ) {
    if (status === "success") continue;
    const text = status === "waiting" ? (await client.pending(id)).tool_name : error;
    const started = Date.parse(started_at);
    reported.push({
      agent: agent_id,
      at: started - started % MINUTE_MS,
      outcome: status,
      text: text ?? "",
    });
  }
  return reported;
}

/** Returns the due times without a run. A stored row for several slots becomes one event for each slot. */
async function readSlots(client: Client): Promise<ReportedEvent[]> {
  const reported: ReportedEvent[] = [];
  for (const { id, trigger_cron } of await client.agents()) {
    for (
      const { scheduled_for, outcome, reason, count } of await client.slots(id, { limit: 100 })
    ) {
      if (outcome === "run") continue;
      for (let n = 0; n < count; n++) {
        const at = Date.parse(scheduled_for) + n * distanceOf(trigger_cron ?? "");
        reported.push({ agent: id, at, outcome, text: reason ?? "" });
      }
    }
  }
  return reported;
}

/** Returns the milliseconds between two due times of a cron expression: the step of the minute field, otherwise an hour. */
function distanceOf(cron: string): number {
  const step = /^\*\/(\d+) /.exec(cron)?.[1];
  return (step === undefined ? 60 : Number(step)) * MINUTE_MS;
}

/** Returns an event for each agent whose trigger is stopped in the morning. */
async function readStoppedAgents(client: Client): Promise<ReportedEvent[]> {
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
