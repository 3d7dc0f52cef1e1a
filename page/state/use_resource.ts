// Provides the hooks that load data for views and reload it after changes, and the hooks for time and for requests that
// change data.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../api/client/client.ts";
import type { LinkState, Topic } from "./link.ts";
import {
  applyLoad,
  errorMessage,
  isUnreachable,
  type LatestLoad,
  Loader,
  type Resource,
  toResource,
} from "./resource.ts";
import { useService } from "./service_context.ts";

/** Returns a resource. Reloads it after changes and after a lost connection. */
export function useResource<T>(
  load: (client: Client) => Promise<T>,
  { key = "", topics, reloadKey, isActive = true }: {
    /**
     * The identity of the data, if it depends on anything. When the key changes, the earlier data stays until the new data
     * is loaded.
     */
    key?: string;
    /** The topics whose changes reload the data. */
    topics: readonly Topic[];
    /** A number whose change reloads the data. */
    reloadKey?: number;
    /** False suspends loading; loaded data stays. Default: true. */
    isActive?: boolean;
  },
): Resource<T> {
  const { client, link } = useService();
  const isOnline = useLinkState().phase === "online";
  const [known, setKnown] = useState<LatestLoad<T>>({ key, data: undefined, failure: undefined });
  const latest = useRef(load);
  latest.current = load;
  const loader = useRef<Loader<T> | null>(null);
  useEffect(() => {
    const own = new Loader(
      () => latest.current(client),
      (loaded) => setKnown((before) => applyLoad(before, key, loaded)),
    );
    loader.current = own;
    return () => own.close();
  }, [key]);
  const version = topics.map((topic) => link.version(topic)).join();
  useEffect(() => {
    if (isActive) loader.current?.reload();
  }, [key, version, reloadKey, isActive]);
  // After a reconnect, every topic counts as changed. A resource without topics needs this condition instead.
  const shouldRetry = isActive && isOnline && isUnreachable(known);
  useEffect(() => {
    if (shouldRetry) loader.current?.reload();
  }, [shouldRetry]);
  return toResource(known, key);
}

/**
 * Returns the state of the connection. The component renders again after every change of the state or of a topic's version.
 */
export function useLinkState(): LinkState {
  const { link } = useService();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => link.subscribe(() => redraw(undefined)), [link]);
  return link.state;
}

/** Returns the present time in milliseconds since the epoch, updated every `everyMs` while `isRunning`. */
export function useNow(everyMs: number, isRunning = true): number {
  const { clock } = useService();
  const [now, setNow] = useState(clock.now());
  useEffect(() => {
    if (!isRunning) return;
    const stop = new AbortController();
    repeat(clock, () => setNow(clock.now()), { everyMs, signal: stop.signal });
    return () => stop.abort();
  }, [clock, everyMs, isRunning]);
  return now;
}

/** Calls `work` at once and then every `everyMs` milliseconds, until the signal aborts. */
export async function repeat(
  clock: Clock,
  work: () => void,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    work();
    await sleepUnlessAborted(clock, everyMs, signal);
  }
}

/**
 * Returns a function that sends a request that changes data, and the state of that request. If `failure` is given, an error
 * is announced with this prefix. Otherwise it is returned as `problem`.
 */
export function useSending(
  { touches = [], failure }: { touches?: readonly Topic[]; failure?: string } = {},
): {
  isSending: boolean;
  /** The reason of the last failure; null after a success, or if the failure was announced. */
  problem: string | null;
  send: (work: () => Promise<void>) => Promise<void>;
} {
  const { link, announce } = useService();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (work: () => Promise<void>) => {
    setSending(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      if (failure === undefined) setProblem(errorMessage(error));
      else announce(`${failure}: ${errorMessage(error)}`);
    }
    setSending(false);
    if (touches.length > 0) link.markChanged(...touches);
  };
  return { isSending, problem, send };
}
