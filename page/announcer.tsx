// The live region: announces events to screen readers and shows them for a few seconds.
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Clock } from "../base/clock.ts";

/** The time for which an announcement is visible. */
const SHOWN_MS = 6_000;

/** Publishes announcements to its listeners. */
export class Announcer {
  readonly #listeners = new Set<(sentence: string) => void>();

  readonly say = (sentence: string): void => {
    for (const listener of this.#listeners) listener(sentence);
  };

  /** Subscribes to announcements. Returns a function that unsubscribes. */
  listen(listener: (sentence: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Renders the element that shows the newest announcement and the number of the others that are still new. */
export function Announcements({ voice, clock }: { voice: Announcer; clock: Clock }): VNode {
  const [said, setSaid] = useState<readonly { id: number; sentence: string }[]>([]);
  useEffect(() => {
    const gone = new AbortController();
    let next = 0;
    const leave = voice.listen((sentence) => {
      const one = { id: next++, sentence };
      // Replaces the former one of the same subject, such as `Theme: dark` after `Theme: light`.
      const subject = (text: string) => text.split(":", 1)[0];
      setSaid((
        before,
      ) => [...before.filter((said) => subject(said.sentence) !== subject(sentence)), one]);
      clock.sleep(SHOWN_MS, gone.signal).then(
        () => setSaid((before) => before.filter(({ id }) => id !== one.id)),
        () => {
          // The wait was aborted, because the element was removed.
        },
      );
    });
    return () => {
      leave();
      gone.abort();
    };
  }, [voice, clock]);
  const newest = said.at(-1);
  return (
    <div class="announcements" role="status" aria-live="polite">
      {newest !== undefined && (
        <p key={newest.id}>
          {newest.sentence}
          {said.length > 1 && <span aria-hidden="true">{` (and ${said.length - 1} more)`}</span>}
        </p>
      )}
    </div>
  );
}
