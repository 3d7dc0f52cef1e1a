// A chart whose parts can be selected with the pointer, a finger or the arrow keys. Screen readers read the text of the
// selected part.
import type { ComponentChildren, VNode } from "preact";

/** Renders the chart as a slider. `texts` describe its parts; `at` is the index of the selected part. */
export function Pointable(
  { label, texts, at, onPoint, onOpen, children }: {
    label: string;
    texts: readonly string[];
    at: number;
    onPoint: (index: number) => void;
    /** Called for Enter. */
    onOpen?: () => void;
    children: ComponentChildren;
  },
): VNode {
  const last = texts.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = placeAfter(event.key, at, last);
    if (next !== undefined) onPoint(Math.min(Math.max(next, 0), last));
    else if (event.key === "Enter" && onOpen !== undefined) onOpen();
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="pointable"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={texts[at] ?? ""}
      onFocus={() => onPoint(at)}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}

function placeAfter(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return at - 1;
    case "ArrowRight":
    case "ArrowUp":
      return at + 1;
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
