// A text of an agent that a person decides by: as it is, and as Markdown for whoever asks.
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { Button, Preformatted } from "../../parts.tsx";
import { toVisible } from "../../../../../present/visible_text.ts";
import { Answer } from "../timeline_view.tsx";

/** What Markdown would show in another way. */
const MARKS = /[*`|]|(?:^|\s)_\S|\]\(|^\s*(?:[-+>]|#{1,6}|\d+[.)])\s/m;

/** The text, with a switch where Markdown would show it in another way. `isProse`: a sentence to read, not a document. */
export function ShownText(
  { text, label, isProse = false }: { text: string; label: string; isProse?: boolean },
): VNode {
  const [isRendered, setRendered] = useState(false);
  const visible = toVisible(text);
  return (
    <>
      {isRendered
        ? <Answer text={visible} />
        : isProse
        ? <p class="question" dir="auto">{visible}</p>
        : <Preformatted label={label} text={visible} />}
      {MARKS.test(text) && (
        <MarkdownSwitch isOn={isRendered} onSwitch={setRendered}>
          {isRendered ? "Show the text as it is" : "Show as Markdown"}
        </MarkdownSwitch>
      )}
    </>
  );
}

/** Switches between a text as it is and as Markdown. */
export function MarkdownSwitch(
  { isOn, onSwitch, children }: {
    isOn: boolean;
    onSwitch: (isOn: boolean) => void;
    children: ComponentChildren;
  },
): VNode {
  return (
    <Button class="quiet switch" aria-pressed={isOn} onClick={() => onSwitch(!isOn)}>
      {children}
    </Button>
  );
}
