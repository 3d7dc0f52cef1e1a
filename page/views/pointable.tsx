// A drawing of which one part after the other can be pointed at: with the pointer, a finger, or the arrow keys. What it
// draws is for eyes; each part's text is for everybody.
import type { ComponentChildren, VNode } from "preact";

/** The drawing; `at` is the index of the part that is pointed at, of as many as there are `texts`. */
export function Pointable(
  { label, texts, at, onPoint, onOpen, children }: {
    label: string;
    texts: readonly string[];
    at: number;
    onPoint: (index: number) => void;
    /** What Enter does. */
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
