// The diff of a file change: added and removed lines by sign and color. A long diff is truncated.
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../../parts/parts.tsx";
import { formatNumberOf } from "../../parts/format.ts";
import { toDiffLines } from "../../state/diff_lines.ts";
import { toVisible } from "../../../present/visible_text.ts";

/** The number of lines shown at first. */
const SHOWN_LINES = 40;

/** Renders the lines of a unified diff. */
export function Diff({ diff, label }: { diff: string; label: string }): VNode {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => toDiffLines(diff), [diff]);
  // A diff that is up to a quarter longer is shown in full.
  const shown = isWhole || lines.length < SHOWN_LINES * 1.25 ? lines : lines.slice(0, SHOWN_LINES);
  return (
    <>
      <div class="diff" tabIndex={0} role="region" aria-label={label}>
        {shown.map(({ kind, text, sign }, index) => (
          <div key={index} class={`diff-line ${kind}`}>
            <span class="sign">{sign}</span>
            <span class="text" dir="auto">{toVisible(text)}</span>
          </div>
        ))}
      </div>
      {shown.length < lines.length && (
        <Button class="quiet" onClick={() => setWhole(true)}>
          Show {formatNumberOf(lines.length - shown.length, "more line")}
        </Button>
      )}
    </>
  );
}
