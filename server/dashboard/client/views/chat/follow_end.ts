// Keeps the end of a conversation in sight as it grows, unless its reader went back.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The distance from the end that still counts as the end, in pixels. */
const NEAR = 80;

/** For the element that grows. Another `place` begins at its end. */
export function useFollowEnd<Grown extends Element>(place: string | null): RefObject<Grown | null> {
  const grown = useRef<Grown>(null);
  useEffect(() => {
    let isAtEnd = true;
    const page = document.documentElement;
    const look = () => {
      isAtEnd = page.scrollHeight - page.clientHeight - page.scrollTop < NEAR;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd) scrollTo(0, page.scrollHeight);
    });
    addEventListener("scroll", look, { passive: true });
    if (grown.current !== null) observer.observe(grown.current);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", look);
    };
  }, [place]);
  return grown;
}
