// The conflict of an edited file that somebody else has changed meanwhile.
import type { VNode } from "preact";
import { Button } from "../../parts/parts.tsx";
import { Diff } from "../approval/diff_view.tsx";

/** Renders both versions as a diff, and the choice between them. Nothing is lost before the choice. */
export function Conflict(
  { diff, onKeep, onTake }: {
    /** The change from the saved text to the person's text. */
    diff: string;
    onKeep: () => void;
    onTake: () => void;
  },
): VNode {
  return (
    <section class="problem" role="alert" aria-label="Changed meanwhile">
      <p>
        <strong>The file was changed meanwhile.</strong>{" "}
        Your text is still in the editor. Lines with − are only in the saved file, lines with + only
        in your text.
      </p>
      {diff === "" ? <p>Both texts are equal.</p> : <Diff diff={diff} label="Both versions" />}
      <div class="actions">
        <Button onClick={onKeep}>Continue with my text</Button>
        <Button onClick={onTake}>Take the saved text</Button>
        <span class="hint">Ctrl+Z brings your text back.</span>
      </div>
    </section>
  );
}
