// Views ask for what they show, and ask again when the connection says that it may have changed.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { ServiceUnreachable } from "../../client_errors.ts";
import type { LinkState, Topic } from "./link.ts";
import { Loader } from "./loader.ts";
import { useService } from "./service_context.ts";

/** Something that was asked for. While it is asked for again, what was known before stays. */
export interface Resource<T> {
  data: T | undefined;
  /** Why the last attempt failed; a lost connection is the banner's affair. */
  problem: string | null;
  /** Whether `data` answers an older question. */
  isStale: boolean;
}

/**
 * Loads something for `key`, and again whenever one of the topics changes. A new key is a new question: its answer
 * replaces the old one when it is there.
 */
export function useResource<T>(
  load: () => Promise<T>,
  options: { key: string; topics: readonly Topic[] },
): Resource<T> {
  const { key, topics } = options;
  const { link } = useService();
  useLinkState();
  const [state, setState] = useState<{ key: string; data: T | undefined; problem: string | null }>({
    key,
    data: undefined,
    problem: null,
  });
  const latest = useRef(load);
  latest.current = load;
  const loader = useRef<Loader<T> | null>(null);
  useEffect(() => {
    const own = new Loader(() => latest.current(), (loaded) => {
      if ("data" in loaded) setState({ key, data: loaded.data, problem: null });
      else if (!(loaded.failure instanceof ServiceUnreachable)) {
        setState({ key, data: undefined, problem: toSentence(loaded.failure) });
      }
    });
    loader.current = own;
    return () => own.close();
  }, [key]);
  const version = topics.map((topic) => link.version(topic)).join();
  useEffect(() => void loader.current?.ask(), [key, version]);
  return { data: state.data, problem: state.problem, isStale: state.key !== key };
}

/** The state of the connection; the component is drawn again with every change of it and of any version. */
export function useLinkState(): LinkState {
  const { link } = useService();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => link.subscribe(() => redraw(undefined)), [link]);
  return link.state;
}

/** The time, drawn again so often while `isRunning`. Milliseconds since the epoch. */
export function useNow(everyMs: number, isRunning = true): number {
  const { clock } = useService();
  const [now, setNow] = useState(clock.now());
  useEffect(() => {
    if (!isRunning) return;
    const stop = new AbortController();
    const tick = async () => {
      while (!stop.signal.aborted) {
        setNow(clock.now());
        await clock.sleep(everyMs, stop.signal).catch(() => {
          // Only the abort ends a sleep early; the loop sees it.
        });
      }
    };
    tick();
    return () => stop.abort();
  }, [clock, everyMs, isRunning]);
  return now;
}

/** What went wrong, as a person reads it. */
export function toSentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
