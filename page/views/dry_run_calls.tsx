// The calls that a dry run described instead of making them, with their file changes.
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { type DescribedCall, describedOf } from "../../present/payload.ts";
import { toVisible } from "../../present/visible_text.ts";
import { executionHref } from "../state/route.ts";
import type { Entry } from "../state/timeline.ts";
import { Diff } from "./approval/diff_view.tsx";

/** The list of calls, below the timeline. */
export function DryRunCalls(
  { executionId, entries }: { executionId: number; entries: readonly Entry[] },
): VNode | null {
  const calls = useMemo(() => entries.flatMap(({ payload }) => describedOf(payload)), [entries]);
  if (entries.length === 0) return null;
  // False while the log is still loading.
  const isWhole = entries.at(-1)?.payload["event_type"] === "complete";
  return (
    <section class="would-do" aria-labelledby="would-do">
      <h2 id="would-do">Would have done</h2>
      <p class="muted">
        {calls.length > 0
          ? "This is a dry run: none of these calls was made."
          : `This is a dry run. ${isWhole ? "" : "So far, "}it had nothing to change.`}
      </p>
      {calls.map((call, index) => (
        <DescribedCallItem key={index} call={call} number={index + 1} executionId={executionId} />
      ))}
    </section>
  );
}

function DescribedCallItem(
  { call, number, executionId }: { call: DescribedCall; number: number; executionId: number },
): VNode {
  const { summary, toolName, diff, problem, agentId, executionId: of } = call;
  return (
    <div class="call">
      <h3>
        <code>{toolName}</code>
        {of !== undefined && of !== executionId && (
          <a href={executionHref(of)}>
            <bdi>{agentId}</bdi>, execution {of}
          </a>
        )}
      </h3>
      <p class="excerpt" dir="auto">{toVisible(summary)}</p>
      {problem !== "" && <p class="muted" dir="auto">{toVisible(problem)}</p>}
      {diff !== "" && (
        <Diff
          diff={diff}
          label={`Change of call ${number}: ${toVisible(summary)}`}
        />
      )}
    </div>
  );
}
