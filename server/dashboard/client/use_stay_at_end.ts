// Who stands at the end of a page that grows stays there; who went up to read is left alone.
import { useEffect, useRef } from "preact/hooks";

/** The distance from the end that still counts as the end, in pixels. */
const NEAR = 80;

/** Keeps the end of the page in sight while `isGrowing`, unless the reader left it. */
export function useStayAtEnd(isGrowing: boolean, grown: readonly unknown[]): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
      isAtEnd.current = scrollHeight - clientHeight - scrollTop < NEAR;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useEffect(() => {
    if (isGrowing && isAtEnd.current) scrollTo(0, document.documentElement.scrollHeight);
  }, [isGrowing, ...grown]);
}
