// Invariants of schedules and watches: every slot has one outcome, and the number of parallel runs stays within its limit.
import { type BrokenRow, type Invariant, type Rows, rule } from "./invariant.ts";

/** The maximum number of parallel runs of a watching agent. */
const WATCH_RUNS = 4;

export const TRIGGERS: readonly Invariant[] = [
  rule(
    "exactly the slots that ran have an execution, a scheduled one of their agent",
    "SELECT s.agent_id, s.scheduled_for, s.outcome, s.execution_id, e.agent_id AS ran, e.trigger FROM slots s " +
      "LEFT JOIN executions e ON e.id = s.execution_id WHERE ?1 >= 0 AND ((s.outcome = 'run') <> (e.id IS NOT NULL) " +
      "OR e.agent_id <> s.agent_id OR e.trigger <> 'schedule' OR s.count < 1)",
  ),
  rule(
    "every scheduled execution has exactly one slot",
    "SELECT e.id, e.agent_id, count(s.scheduled_for) AS slots FROM executions e " +
      "LEFT JOIN slots s ON s.execution_id = e.id WHERE e.id >= ?1 AND e.trigger = 'schedule' " +
      "GROUP BY e.id HAVING count(s.scheduled_for) <> 1",
  ),
  rule(
    "no slot is later than its schedule's last_fire",
    "SELECT s.agent_id, max(s.scheduled_for) AS slot, d.last_fire FROM slots s JOIN schedules d " +
      "ON d.agent_id = s.agent_id WHERE ?1 >= 0 GROUP BY s.agent_id " +
      // After an edit, a schedule restarts at its anchor, which is later than its old slots.
      "HAVING slot > coalesce(d.last_fire, d.anchor)",
  ),
  rule(
    "every stored file state belongs to a watch",
    "SELECT f.agent_id, f.path FROM watched_files f LEFT JOIN watches w ON w.agent_id = f.agent_id " +
      "WHERE ?1 >= 0 AND w.agent_id IS NULL",
  ),
  {
    name: "every due time of an unchanged schedule has exactly one outcome",
    find: (rows, { beats }) =>
      Object.entries(beats).flatMap(([agentId, everyMs]) =>
        rows.all<BrokenRow>(
          "SELECT * FROM (SELECT agent_id, scheduled_for, outcome, count, lag(scheduled_for + count * ?2) " +
            "OVER (ORDER BY scheduled_for) AS expected FROM slots WHERE agent_id = ?1) WHERE expected <> scheduled_for",
          agentId,
          everyMs,
        )
      ),
  },
  {
    name: "a schedule's runs never overlap, and a watch has at most four concurrent runs",
    find: (rows, { neverAsking, since, clockErrorMs = 0 }) =>
      neverAsking.flatMap((agentId) => findOverlaps(rows, agentId, { since, clockErrorMs })),
  },
];

/** A run, and the time that it held its place among its agent's runs: all of it, except for its rests. */
interface Run {
  id: number;
  trigger: string;
  start: number;
  end: number | null;
  /** The start of the first rest; null without one. */
  pausedAt: number | null;
  /** The end of the last rest; null without one, and while the run rests. */
  resumedAt: number | null;
}

/** The time within which a watch learns that a rest of its run has ended, in milliseconds. */
const NOTICE_MS = 1_000;

/** Finds the runs that started beside too many others. A run of a schedule blocks the next one also while it rests. */
function findOverlaps(
  rows: Rows,
  agentId: string,
  { since, clockErrorMs }: { since: number; clockErrorMs: number },
): BrokenRow[] {
  const runs = rows.all<Run>(
    "SELECT id, trigger, started_at AS start, finished_at AS end, " +
      "(SELECT min(unixepoch(payload ->> '$.timestamp', 'subsec') * 1000) FROM frames f WHERE f.execution_id = e.id " +
      "AND e.rest IS NOT NULL AND payload ->> '$.pauses') AS pausedAt, rest ->> '$.ended.at' AS resumedAt " +
      "FROM executions e WHERE agent_id = ?1 AND id >= ?2 AND trigger IN ('schedule', 'watch') " +
      "ORDER BY started_at, id",
    agentId,
    since,
  );
  const broken: BrokenRow[] = [];
  let open: Run[] = [];
  for (const run of runs) {
    const isLater = (time: number | null) => time === null || time > run.start + clockErrorMs;
    open = open.filter(({ end }) => isLater(end));
    const holding = run.trigger === "schedule" ? open : open.filter(
      ({ pausedAt, resumedAt }) =>
        isLater(pausedAt) ||
        resumedAt !== null && resumedAt + NOTICE_MS + clockErrorMs < run.start,
    );
    const limit = run.trigger === "schedule" ? 1 : WATCH_RUNS;
    if (holding.length >= limit) {
      broken.push({ agentId, trigger: run.trigger, open: [...holding, run] });
    }
    open.push(run);
  }
  return broken;
}
