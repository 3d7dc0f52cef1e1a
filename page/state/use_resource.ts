// Views ask for what they show, and ask again when the connection says that it may have changed.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../api/client/client.ts";
import type { LinkState, Topic } from "./link.ts";
import {
  isUnanswered,
  type Known,
  learn,
  Loader,
  type Resource,
  toResource,
  toSentence,
} from "./resource.ts";
import { useService } from "./service_context.ts";

/** What is asked for, and when again. */
export interface ResourceOptions {
  /** The question: the answer to a new one replaces the old answer when it is there. */
  key: string;
  /** What may change the answer. */
  topics: readonly Topic[];
  /** The same question is asked again whenever this changes. */
  beat?: number;
  /** Whether anybody looks; what is known stays while nobody does. Default: true. */
  isActive?: boolean;
}

/** Loads something, and again whenever it may have changed or can be reached again. */
export function useResource<T>(
  load: (client: Client) => Promise<T>,
  options: ResourceOptions,
): Resource<T> {
  const { key, topics, beat, isActive = true } = options;
  const { client, link } = useService();
  const isOnline = useLinkState().phase === "online";
  const [known, setKnown] = useState<Known<T>>({ key, data: undefined, failure: undefined });
  const latest = useRef(load);
  latest.current = load;
  const loader = useRef<Loader<T> | null>(null);
  useEffect(() => {
    const own = new Loader(
      () => latest.current(client),
      (loaded) => setKnown((before) => learn(before, key, loaded)),
    );
    loader.current = own;
    return () => own.close();
  }, [key]);
  const version = topics.map((topic) => link.version(topic)).join();
  useEffect(() => {
    if (isActive) loader.current?.ask();
  }, [key, version, beat, isActive]);
  // What no topic changes would else stay unanswered when the service is back.
  const isWorthAsking = isActive && isOnline && isUnanswered(known);
  useEffect(() => {
    if (isWorthAsking) loader.current?.ask();
  }, [isWorthAsking]);
  return toResource(known, key);
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
      // Only the abort ends a sleep early; the loop sees it.
    });
  }
}

/** The state of a request that changes something. */
export interface Sending {
  isSending: boolean;
  /** The reason of the last failure, unless it was announced. */
  problem: string | null;
  send: (work: () => Promise<void>) => Promise<void>;
}

/** Sends requests that change something. A failure is announced after the words of `failure`, or returned as `problem`. */
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
      if (failure === undefined) setProblem(toSentence(error));
      else announce(`${failure}: ${toSentence(error)}`);
    }
    setSending(false);
    if (touches.length > 0) link.touch(...touches);
  };
  return { isSending, problem, send };
}
