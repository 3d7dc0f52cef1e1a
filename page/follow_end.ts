// Keeps the end of the page in sight as something on it grows, unless its reader went back.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The distance from the end that still counts as the end, in pixels. */
const NEAR = 80;

/** For the element that grows while `isGrowing`. Another `place` begins at its end. */
export function useFollowEnd<Grown extends Element>(
  place: string | number | null,
  isGrowing = true,
): RefObject<Grown | null> {
  const grown = useRef<Grown>(null);
  const follows = useRef(isGrowing);
  follows.current = isGrowing;
  useEffect(() => {
    let isAtEnd = true;
    const page = document.documentElement;
    const look = () => {
      isAtEnd = page.scrollHeight - page.clientHeight - page.scrollTop < NEAR;
    };
    const observer = new ResizeObserver(() => {
      if (follows.current && isAtEnd) scrollTo(0, page.scrollHeight);
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
