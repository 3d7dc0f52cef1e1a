// The log of one execution as it grows: what is logged, what streams now, and how it goes on after pauses and losses.
import { useEffect, useState } from "preact/hooks";
import { ServiceUnreachable } from "../../client_errors.ts";
import type { StreamFrame } from "../../client_stream.ts";
import { useService } from "./service_context.ts";
import type { Entry } from "./timeline.ts";
import { toSentence } from "./use_resource.ts";

/** An execution's log. */
export interface ExecutionLog {
  entries: readonly Entry[];
  /** The text of the reply that streams now. */
  streaming: string;
  problem: string | null;
}

const EMPTY: ExecutionLog = { entries: [], streaming: "", problem: null };
/** Frames that come within this time are drawn at once. */
const GATHER_MS = 60;
/** Between two looks at an execution that waits, however much happens elsewhere. */
const PAUSE_MS = 250;

/** Follows an execution from its first frame. */
export function useExecutionLog(id: number): ExecutionLog {
  const { client, clock, link } = useService();
  const [log, setLog] = useState<ExecutionLog>(EMPTY);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let now = EMPTY;
    let isDrawing = false;
    const change = (changes: Partial<ExecutionLog>) => {
      now = { ...now, ...changes };
      if (isDrawing) return;
      isDrawing = true;
      clock.sleep(GATHER_MS, signal).then(() => {
        isDrawing = false;
        setLog(now);
      }, () => {
        // Nobody looks any more.
      });
    };
    const follow = async () => {
      while (!signal.aborted) {
        const version = link.version("executions");
        try {
          const after = now.entries.at(-1)?.id ?? 0;
          for await (const frame of client.follow(id, { after, deltas: true, signal })) {
            change(afterFrame(now, frame));
            if (frame.event === "complete") return;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof ServiceUnreachable)) {
            return change({ problem: toSentence(error) });
          }
          // What streamed is lost; the frame that holds it is not.
          change({ streaming: "" });
        }
        // It waits for a person, or nobody answers: something will happen before there is more.
        await clock.sleep(PAUSE_MS, signal).catch(() => {
          // The loop sees that it is over.
        });
        await link.changeSince(version, { topic: "executions", signal });
      }
    };
    setLog(EMPTY);
    follow();
    return () => stop.abort();
  }, [id, client, clock, link]);
  return log;
}

/** How a frame changes what is known. */
function afterFrame(log: ExecutionLog, frame: StreamFrame): Partial<ExecutionLog> {
  const { event, id, payload } = frame;
  if (event === "delta") {
    const content = String(payload["content"] ?? "");
    const streaming = payload["restart"] === true ? content : log.streaming + content;
    return { streaming };
  }
  if (id === null) return { streaming: "" };
  const entries = [...log.entries, { id, payload }];
  // A logged reply holds what streamed of it.
  const isReply = ["ai", "tool_call", "final_answer", "complete"].includes(event);
  return { entries, ...(isReply && { streaming: "" }) };
}
