// Whether anybody sees the page. A browser opens six connections to one place, for all its pages together: a page in the
// background keeps none that it can do without.

/** Resolves when the page is in sight, and when the signal aborts. */
export function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = new AbortController();
  const look = () => {
    if (!document.hidden || signal.aborted) resolve();
  };
  document.addEventListener("visibilitychange", look, { signal: over.signal });
  signal.addEventListener("abort", look, { signal: over.signal });
  return promise.finally(() => over.abort());
}

/** A signal that aborts when the page goes out of sight or `signal` aborts; `end` it when it is needed no more. */
export function whileVisible(signal: AbortSignal): { signal: AbortSignal; end: () => void } {
  const hidden = new AbortController();
  const over = new AbortController();
  const look = () => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener("visibilitychange", look, { signal: over.signal });
  look();
  return { signal: AbortSignal.any([signal, hidden.signal]), end: () => over.abort() };
}
