// The hooks that load data for views and reload it after changes, and the hooks for time and for requests that change data.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
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

/** The key of a resource, and the conditions of a reload. */
export interface ResourceOptions {
  /** The identity of the data. The data of a new key replaces the earlier data when it is loaded. */
  key: string;
  /** The topics whose changes reload the data. */
  topics: readonly Topic[];
  /** A changed value reloads the data. */
  reloadKey?: number;
  /** False to suspend loading; known data stays. Default: true. */
  isActive?: boolean;
}

/** Loads a resource, and reloads it after changes and after a lost connection. */
export function useResource<T>(
  load: (client: Client) => Promise<T>,
  options: ResourceOptions,
): Resource<T> {
  const { key, topics, reloadKey, isActive = true } = options;
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
  // A reconnect changes every topic, but a resource without topics needs this reload.
  const shouldRetry = isActive && isOnline && isUnreachable(known);
  useEffect(() => {
    if (shouldRetry) loader.current?.reload();
  }, [shouldRetry]);
  return toResource(known, key);
}

/** Returns the state of the connection. Renders the component again after every change of the state or of a version. */
export function useLinkState(): LinkState {
  const { link } = useService();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => link.subscribe(() => redraw(undefined)), [link]);
  return link.state;
}

/** Returns the time in milliseconds since the epoch. Updates it every `everyMs` while `isRunning`. */
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
    await clock.sleep(everyMs, signal).catch(() => {
      // Aborted; the loop checks the signal.
    });
  }
}

/** The state of a request that changes data. */
export interface Sending {
  isSending: boolean;
  /** The reason of the last failure, unless it was announced. */
  problem: string | null;
  send: (work: () => Promise<void>) => Promise<void>;
}

/** Sends requests that change data. Announces an error with the prefix `failure`, or returns it as `problem`. */
export function useSending(
  { touches = [], failure }: { touches?: readonly Topic[]; failure?: string } = {},
): Sending {
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
