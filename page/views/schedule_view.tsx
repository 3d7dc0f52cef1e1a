// The view of the scheduler: its pause switch, and a time line of one day for each schedule.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { DAY_MS, HOUR_MS } from "../../base/time_units.ts";
import { describeTrigger } from "../../present/triggers.ts";
import type { Client } from "../../api/client/client.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import type { SchedulerBody, SchedulerJob, SlotBody } from "../../api/schemas/scheduler_schemas.ts";
import { useAgents } from "../state/service_context.ts";
import { isKnownEmpty, type SlotWithStatus, type Stretch } from "../state/day_marks.ts";
import { formatClock, formatMinute, zoneName } from "../parts/format.ts";
import { TriggerFilter } from "../parts/forms.tsx";
import { Agent, Button, Empty, LoadState } from "../parts/parts.tsx";
import { MARK_KINDS, MarkGlyph, ScheduleDay, ScheduleScale, SlotTable } from "./schedule_day.tsx";
import { StoppedTrigger } from "./stopped_trigger.tsx";
import { agentHref } from "../state/route.ts";
import { useSwitchScheduler } from "../state/scheduler.ts";
import { useNow, useResource } from "../state/use_resource.ts";

/** The lengths of the shown period. Its middle is the present time until the person moves it. */
const SPANS = { "1 hour": HOUR_MS, "1 day": DAY_MS, "1 week": 7 * DAY_MS } as const;
type SpanName = keyof typeof SPANS;
/** The number of times loaded with one request for one schedule. */
const MOST_TIMES = 500;
/** The maximum number of requests for one day, enough for one run per minute. */
const MOST_PAGES = 6;

/** A job with the outcomes of its scheduled times. */
interface Job extends SchedulerJob {
  slots: SlotWithStatus[];
}

/** Renders the view of the scheduler. */
export function ScheduleView(): VNode {
  const [shift, setShift] = useState(0);
  const [kind, setKind] = useState("");
  const now = useNow(30_000);
  const [span, setSpan] = useState<SpanName>("1 day");
  const half = SPANS[span] / 2;
  const middle = now + shift * half;
  const day = { from: middle - half, to: middle + half };
  const scheduler = useResource((client) => loadJobs(client, day.from), {
    key: `scheduler ${shift} ${span}`,
    topics: ["scheduler", "executions"],
  });
  const { data, isStale } = scheduler;
  return (
    <>
      <div class="view-head">
        <h1>Schedule</h1>
        {data !== undefined && (
          <div class="actions">
            <TriggerFilter
              kinds={data.jobs.map(({ trigger_type }) => trigger_type)}
              chosen={kind}
              onChoose={setKind}
            />
            <PauseButton status={data.status} />
          </div>
        )}
      </div>
      <LoadState of={scheduler} />
      {data?.status === "paused" && (
        <p class="note">
          Paused: no trigger starts a run. Agents still run on request.
        </p>
      )}
      {data?.held !== undefined && <p class="note">No trigger fires here: {data.held}.</p>}
      {data?.jobs.length === 0 && (
        <Empty>
          No agent has a trigger. Add one to an agent's file.
        </Empty>
      )}
      {(data === undefined ? shift !== 0 : data.jobs.length > 0) && (
        <div class="day-controls">
          <div class="actions">
            <Button onClick={() => setShift(shift - 1)}>Earlier</Button>
            <Button disabled={shift === 0} onClick={() => setShift(0)}>Now</Button>
            <Button onClick={() => setShift(shift + 1)}>Later</Button>
          </div>
          <div class="choices" role="group" aria-label="Period">
            {(Object.keys(SPANS) as SpanName[]).map((one) => (
              <Button
                key={one}
                aria-pressed={one === span}
                onClick={() => {
                  setSpan(one);
                  setShift(0);
                }}
              >
                {one}
              </Button>
            ))}
          </div>
          <p class="muted small" aria-live="polite">
            {formatMinute(day.from)} to {formatMinute(day.to)}, {zoneName()}
          </p>
          <ul class="legend glyphs" aria-label="Marks">
            {MARK_KINDS.map((kind) => (
              <li key={kind}>
                <MarkGlyph kind={kind} />
                {kind}
              </li>
            ))}
            <li>
              <MarkGlyph kind="many" />
              many in a row
            </li>
          </ul>
        </div>
      )}
      {data !== undefined && data.jobs.length > 0 && (
        <>
          <ScheduleScale day={day} />
          <ul>
            {data.jobs.filter((job) => kind === "" || job.trigger_type === kind).map((job) => (
              <li key={job.agent_id}>
                <JobItem job={job} day={day} now={now} isStale={isStale} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/**
 * Loads the agents with automatic triggers (jobs). Each job with a schedule has the outcomes of its due times since `from`,
 * which is in milliseconds since the epoch.
 */
async function loadJobs(
  client: Client,
  from: number,
): Promise<Omit<SchedulerBody, "jobs"> & { jobs: Job[] }> {
  const since = new Date(from).toISOString();
  const [{ jobs, ...scheduler }, executions] = await Promise.all([
    client.scheduler({ upcoming: MOST_TIMES }),
    // The executions of all schedules are loaded together, page by page.
    loadPages((page) => client.executions({ trigger: "schedule", since, ...page })),
  ]);
  const byId = new Map(executions.map((one) => [one.id, one]));
  const withSlots = await Promise.all(jobs.map(async (job) => ({
    ...job,
    slots: job.trigger_type === "schedule" || job.trigger_type === "change"
      ? (await loadPages(
        (page) => client.slots(job.agent_id, page),
        (slot) => Date.parse(slot.scheduled_for) < from,
      )).map((slot) => withOutcome(slot, byId.get(slot.execution_id ?? 0)))
      : [],
  })));
  return { ...scheduler, jobs: withSlots };
}

/** Returns a slot with the status and the error of its execution. */
function withOutcome(slot: SlotBody, execution: ExecutionSummary | undefined): SlotWithStatus {
  return { ...slot, reason: slot.reason ?? execution?.error ?? null, status: execution?.status };
}

/**
 * Returns the items of up to MOST_PAGES pages. Stops at the last page, or when `isBefore` is true for the last item of a
 * page.
 */
async function loadPages<T>(
  load: (page: { limit: number; offset: number }) => Promise<T[]>,
  isBefore: (last: T) => boolean = () => false,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await load({ limit: MOST_TIMES, offset: all.length });
    all.push(...found);
    const last = found.at(-1);
    if (found.length < MOST_TIMES || last === undefined || isBefore(last)) break;
  }
  return all;
}

function PauseButton({ status }: { status: SchedulerBody["status"] }): VNode {
  const { isSending, switchScheduler } = useSwitchScheduler();
  const isPaused = status === "paused";
  return (
    <div class="actions">
      <span class={`status ${isPaused ? "waiting" : "running"}`}>{status}</span>
      <Button disabled={isSending} onClick={() => switchScheduler(!isPaused)}>
        {isPaused ? "Resume" : "Pause"}
      </Button>
    </div>
  );
}

function JobItem(
  { job, day, now, isStale }: {
    job: Job;
    day: Stretch;
    now: number;
    /** True if the loaded outcomes belong to the previously shown day. */
    isStale: boolean;
  },
): VNode {
  const { agent_id: id } = job;
  const agent = useAgents().get(id);
  const knownTo = endOfKnown(job);
  const zone = job.timezone === null || job.timezone === zoneName() ? "" : ` (${job.timezone})`;
  return (
    <section class="job" aria-label={agent?.display_name ?? id}>
      <h2>
        <a data-row href={agentHref(id)}>
          <Agent id={id} />
        </a>
        <span class="muted small">
          {[
            agent && `${describeTrigger(agent, "full")}${zone}`,
            job.next_run !== null && `next ${formatNext(Date.parse(job.next_run), now)}`,
          ].filter(Boolean).join(", ")}
        </span>
      </h2>
      <StoppedTrigger agentId={id} reason={job.trigger_paused} />
      {job.trigger_type === "change" && <SlotTable slots={job.slots} day={day} />}
      {job.trigger_type === "schedule" && (
        <>
          <ScheduleDay job={job} day={day} now={now} knownTo={knownTo} />
          {!isStale && isKnownEmpty(job, { day, knownTo }) && (
            <p class="muted small">No runs in this period.</p>
          )}
          <SlotTable slots={job.slots} day={day} />
        </>
      )}
    </section>
  );
}

/** Returns the time of the next run as text, without the date if it is within a day. */
function formatNext(at: number, now: number): string {
  return at - now < DAY_MS ? formatClock(at) : formatMinute(at);
}

function endOfKnown({ upcoming }: Job): number | null {
  const last = upcoming.at(-1);
  return last === undefined || upcoming.length < MOST_TIMES ? null : Date.parse(last);
}
