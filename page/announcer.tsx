// The live region: announces events to screen readers and shows them for a few seconds.
import type { ComponentChildren, VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Service, ServiceContext } from "./state/service_context.ts";

/** The time for which an announcement is visible. */
const SHOWN_MS = 6_000;

/**
 * Provides the shared objects to the page. Renders it, and the element that shows the newest announcement and the number of
 * the others that are still new.
 */
export function Announcements(
  { service, children }: { service: Omit<Service, "announce">; children: ComponentChildren },
): VNode {
  const [said, setSaid] = useState<readonly { id: number; sentence: string }[]>([]);
  const next = useRef(0);
  const announce = (sentence: string) => {
    const one = { id: next.current++, sentence };
    // Replaces the former one of the same subject, such as `Theme: dark` after `Theme: light`.
    const subject = (text: string) => text.split(":", 1)[0];
    setSaid((before) => [
      ...before.filter((said) => subject(said.sentence) !== subject(sentence)),
      one,
    ]);
    service.clock.sleep(SHOWN_MS)
      .then(() => setSaid((before) => before.filter(({ id }) => id !== one.id)));
  };
  // The same object in every render, so that an announcement does not render the page.
  const { current: provided } = useRef({ ...service, announce });
  const newest = said.at(-1);
  return (
    <ServiceContext.Provider value={provided}>
      {children}
      <div class="announcements" role="status" aria-live="polite">
        {newest !== undefined && (
          <p key={newest.id}>
            {newest.sentence}
            {said.length > 1 && <span aria-hidden="true">{` (and ${said.length - 1} more)`}</span>}
          </p>
        )}
      </div>
    </ServiceContext.Provider>
  );
}
