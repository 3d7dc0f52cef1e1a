// The live region: what happens away from where somebody looks, said to a screen reader and shown for a moment.
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Clock } from "../base/clock.ts";

/** How long a sentence stays in sight. */
const SHOWN_MS = 6_000;
/** Sentences that are in sight at once. */
const MOST = 3;

/** Sentences on their way to whoever listens. */
export class Voice {
  readonly #listeners = new Set<(sentence: string) => void>();

  readonly say = (sentence: string): void => {
    for (const listener of this.#listeners) listener(sentence);
  };

  /** Calls back with each sentence, until the returned function is called. */
  listen(listener: (sentence: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Where sentences appear. */
export function Announcements({ voice, clock }: { voice: Voice; clock: Clock }): VNode {
  const [said, setSaid] = useState<readonly { id: number; sentence: string }[]>([]);
  useEffect(() => {
    const gone = new AbortController();
    let next = 0;
    const leave = voice.listen((sentence) => {
      const one = { id: next++, sentence };
      setSaid((before) => [...before, one].slice(-MOST));
      clock.sleep(SHOWN_MS, gone.signal).then(
        () => setSaid((before) => before.filter(({ id }) => id !== one.id)),
        () => {
          // The page is gone, and the sentence with it.
        },
      );
    });
    return () => {
      leave();
      gone.abort();
    };
  }, [voice, clock]);
  return (
    <div class="announcements" role="status" aria-live="polite">
      {said.map(({ id, sentence }) => <p key={id}>{sentence}</p>)}
    </div>
  );
}
