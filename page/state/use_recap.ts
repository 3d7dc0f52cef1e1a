// Provides the recap of the chosen period. The browser stores the choice and the time of the last visit.
import { useEffect, useRef, useState } from "preact/hooks";
import { SECOND_MS } from "../../base/time_units.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import { keepPreference, readPreference } from "./preferences.ts";
import { resumeVisit, serializeVisit, type Span, SPANS, startOfSpan } from "./visit.ts";
import type { Resource } from "./resource.ts";
import { useService } from "./service_context.ts";
import { repeat, useNow, useResource } from "./use_resource.ts";

/**
 * The interval in milliseconds at which the visit is stored and the recap is reloaded, because some changes of a recap have
 * no event.
 */
const RELOAD_MS = 30 * SECOND_MS;
/**
 * The number of executions from which events do not reload the recap, because it takes long to calculate and changes
 * little.
 */
const MANY_RUNS = 5_000;
const TOPICS = ["executions", "scheduler", "agents"] as const;

export type RecapOfSpan = ReturnType<typeof useRecap>;

/** Returns the recap of the chosen period, and the function that changes the period. Loads only while `isActive`. */
export function useRecap(
  isActive: boolean,
): { recap: Resource<RecapBody>; span: Span; onSpan: (span: Span) => void } {
  const { client, clock } = useService();
  const [span, setSpan] = useState(chosenSpan);
  const since = useLastVisit(isActive);
  const now = useNow(RELOAD_MS, isActive);
  const runs = useRef(0);
  const recap = useResource(
    () =>
      client.recap({
        since: new Date(startOfSpan(span, { since, now: clock.now() })).toISOString(),
      }),
    {
      key: `${span} ${span === "look" ? since : ""}`,
      topics: runs.current < MANY_RUNS ? TOPICS : [],
      reloadKey: Math.floor(now / RELOAD_MS),
      isActive,
    },
  );
  runs.current = recap.data?.executions.total ?? 0;
  const onSpan = (next: Span) => {
    keepPreference("since", next === "look" ? null : next);
    setSpan(next);
  };
  return { recap, span, onSpan };
}

/** Returns the period that the person chose before. The default is the time since the last visit, if there was one. */
function chosenSpan(): Span {
  const kept = SPANS.find((one) => one === readPreference("since"));
  return kept ?? (readPreference("look") === null ? "day" : "look");
}

/** Returns the end of the previous visit in milliseconds since the epoch. A visit lasts while the page is visible. */
function useLastVisit(isActive: boolean): number {
  const { clock } = useService();
  const [since, setSince] = useState(() => resumeVisit(readPreference("look"), clock.now()).since);
  useEffect(() => {
    if (!isActive) return;
    const stop = new AbortController();
    const see = () => {
      if (document.hidden) return;
      // Read the stored visit, because another page of this browser may have updated it.
      const visit = resumeVisit(readPreference("look"), clock.now());
      keepPreference("look", serializeVisit(visit));
      setSince(visit.since);
    };
    document.addEventListener("visibilitychange", see, { signal: stop.signal });
    repeat(clock, see, { everyMs: RELOAD_MS, signal: stop.signal });
    return () => stop.abort();
  }, [clock, isActive]);
  return since;
}
