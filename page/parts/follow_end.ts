// Scrolls to the end of the page while an element grows, unless the reader has scrolled back.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The distance from the end of the page, in pixels, that counts as the end. */
const NEAR = 80;

/**
 * Returns the ref for an element that grows while `isGrowing` is true. When `place` changes, the page scrolls to the end.
 */
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
    const checkEnd = () => {
      isAtEnd = page.scrollHeight - page.clientHeight - page.scrollTop < NEAR;
    };
    const observer = new ResizeObserver(() => {
      if (follows.current && isAtEnd) scrollTo(0, page.scrollHeight);
    });
    addEventListener("scroll", checkEnd, { passive: true });
    if (grown.current !== null) observer.observe(grown.current);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", checkEnd);
    };
  }, [place]);
  return grown;
}
