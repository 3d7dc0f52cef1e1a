// The recap of the span that a person chose, and the look that it may begin after; both are kept in this browser.
import { useEffect, useRef, useState } from "preact/hooks";
import { SECOND_MS } from "../../base/time_units.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import { keepPreference, readPreference } from "../preferences.ts";
import { beginOf, fromLook, type Look, type Span, SPANS, toLook } from "./look.ts";
import type { Resource } from "./resource.ts";
import { useService } from "./service_context.ts";
import { repeat, useNow, useResource } from "./use_resource.ts";

/** How often a look is kept, and asked again what no event tells: a time at which nothing ran, a cost of yesterday. */
const BEAT_MS = 30 * SECOND_MS;
/** Of so many runs in the span, one more changes little, and the sum of them all costs the service time. */
const MANY_RUNS = 5_000;
const TOPICS = ["executions", "scheduler", "agents"] as const;
/** What is told, and since when. */
export interface RecapOfSpan {
  recap: Resource<RecapBody>;
  span: Span;
  onSpan: (span: Span) => void;
}

/** The recap of the span that was chosen, asked for while it is looked at. */
export function useRecap(isActive: boolean): RecapOfSpan {
  const { client, clock } = useService();
  const [span, setSpan] = useState(SPANS.find((one) => one === readPreference("since")) ?? "look");
  const since = useLook(isActive);
  const now = useNow(BEAT_MS, isActive);
  const runs = useRef(0);
  const recap = useResource(
    () =>
      client.recap({ since: new Date(beginOf(span, { since, now: clock.now() })).toISOString() }),
    {
      key: `${span} ${span === "look" ? since : ""}`,
      topics: runs.current < MANY_RUNS ? TOPICS : [],
      beat: Math.floor(now / BEAT_MS),
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

/** When the look before this one ended. The page is looked at while it is in sight. */
function useLook(isActive: boolean): number {
  const { clock } = useService();
  const [since, setSince] = useState(() => toLook(readPreference("look"), clock.now()).since);
  const latest = useRef<Look | null>(null);
  useEffect(() => {
    if (!isActive) return;
    const stop = new AbortController();
    const see = () => {
      if (document.hidden) return;
      // Another page of this browser may have looked meanwhile; a browser that keeps nothing has only this one.
      const own = latest.current === null ? null : fromLook(latest.current);
      const next = toLook(readPreference("look") ?? own, clock.now());
      keepPreference("look", fromLook(next));
      latest.current = next;
      setSince(next.since);
    };
    document.addEventListener("visibilitychange", see, { signal: stop.signal });
    repeat(clock, see, { everyMs: BEAT_MS, signal: stop.signal });
    return () => stop.abort();
  }, [clock, isActive]);
  return since;
}
