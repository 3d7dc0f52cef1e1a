// Streams the events of the whole service as text/event-stream, with `shutdown` as soon as a stop begins. The buffer for a
// slow reader is limited: when it is full, the service disconnects the reader, who reconnects and reads the state again.
import { toTimestamp } from "../../base/clock.ts";
import type { ServiceEvent } from "../../runtime/events/bus.ts";
import { identityFields, toDataLine } from "../../runtime/events/frame.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import type { Followers } from "./followers.ts";
import type { Lifecycle, StopReason } from "./lifecycle.ts";
import type { ServiceEventMessage } from "../client/client_stream.ts";
import { EventStream, toEvent } from "./server_sent_events.ts";

/**
 * The milliseconds of silence after which a stream sends a heartbeat, which shows the reader that the connection is alive.
 */
export const HEARTBEAT_MS = 10_000;
/** The maximum number of events buffered for a reader. One event has a few hundred bytes. */
export const MOST_UNREAD_EVENTS = 1_000;

const encoder = new TextEncoder();

/** A stream of the service's events from now on. */
export class ServiceEventStream extends EventStream {
  readonly #runtime: Runtime;
  readonly #followers: Followers;
  readonly #unsubscribe: () => void;
  /** The texts to send. The initial comment confirms the connection at once. */
  #unread: string[] = [": connected\n\n"];
  /**
   * The texts of the events about the end of followed executions. They are delayed until the followers have received the
   * last frame.
   */
  readonly #held = new Set<string>();
  #isEnding = false;
  readonly #left = new AbortController();

  constructor(options: { runtime: Runtime; lifecycle: Lifecycle }) {
    super(options.lifecycle.silence);
    this.#runtime = options.runtime;
    this.#followers = options.lifecycle.followers;
    this.#unsubscribe = this.#runtime.events.subscribe((event) => this.#receive(event));
    this.register(options.lifecycle);
  }

  onStop(reason: StopReason): void {
    this.#add(toEvent("shutdown", JSON.stringify({ reason })));
  }

  override end(): void {
    this.#isEnding = true;
    for (const text of this.#held) this.#sendHeld(text);
    this.wake();
  }

  #receive(event: ServiceEvent): void {
    const { event: name, payload } = toWireEvent(event);
    const text = toEvent(name, toDataLine(JSON.stringify(payload)));
    const followersFirst = event.type === "execution_completed"
      ? this.#followers.waitUntilLeft(event, this.#left.signal)
      : undefined;
    if (followersFirst === undefined) return this.#add(text);
    this.#held.add(text);
    void followersFirst.then(() => this.#sendHeld(text));
  }

  /** Sends a delayed event, unless it was sent already. */
  #sendHeld(text: string): void {
    if (this.#held.delete(text)) this.#add(text);
  }

  #add(text: string): void {
    if (this.#unread.length >= MOST_UNREAD_EVENTS) return this.#cutOff();
    this.#unread.push(text);
    this.wake();
  }

  /** Breaks the connection, because the reader has missed events that this stream cannot repeat. */
  #cutOff(): void {
    this.#runtime.log.write("warn", "Disconnected a reader of the event stream: too slow", {
      unread: this.#unread.length,
    });
    this.fail(new Error("The reader fell behind"));
  }

  protected override async pull(): Promise<void> {
    if (this.#unread.length === 0 && !this.#isEnding) await this.wait(HEARTBEAT_MS);
    if (this.isReleased) return;
    // Send all buffered texts as one chunk.
    const texts = this.#unread;
    this.#unread = [];
    if (texts.length === 0 && !this.#isEnding) {
      const timestamp = toTimestamp(this.#runtime.clock.now());
      texts.push(toEvent("heartbeat", JSON.stringify({ timestamp })));
    }
    if (texts.length > 0) this.send(encoder.encode(texts.join("")));
    if (this.#isEnding) this.finish();
  }

  protected override release(): void {
    if (this.isReleased) return;
    this.#unread = [];
    this.#held.clear();
    this.#left.abort();
    this.#unsubscribe();
    super.release();
  }
}

/** Returns the wire form of an event. `agent_name` is the id, for older clients. */
export function toWireEvent(event: ServiceEvent): ServiceEventMessage {
  return { event: event.type, payload: toPayload(event) };
}

function toPayload(event: ServiceEvent): ServiceEventMessage["payload"] {
  switch (event.type) {
    case "execution_started":
      return { ...identityFields(event), trigger: event.trigger };
    case "execution_completed":
      return { ...identityFields(event), status: event.status, duration_ms: event.durationMs };
    case "agents_changed":
      return { event: event.change, ...agentFields(event) };
    case "execution_waiting": {
      const { requestId, kind, message } = event;
      return { ...identityFields(event), request_id: requestId, kind, message };
    }
    case "execution_resting": {
      const rests = { rests_until: toTimestamp(event.until), rests_for: event.reason };
      return { ...identityFields(event), ...rests };
    }
    case "execution_resumed":
      return identityFields(event);
    case "scheduler_changed":
      return { status: event.status };
    case "trigger_changed":
      return { ...agentFields(event), status: event.status, reason: event.reason };
    case "budget_warning":
      return {
        ...(event.agentId !== null &&
          agentFields({ agentId: event.agentId, displayName: event.displayName ?? event.agentId })),
        ...(event.rootId !== null && { execution_id: event.rootId }),
        budget: event.budget,
        unit: event.unit,
        used: event.used,
        limit: event.limit,
        resets_at: event.resetsAt === null ? null : toTimestamp(event.resetsAt),
        message: event.message,
      };
    default:
      return event satisfies never;
  }
}

function agentFields(
  { agentId, displayName }: { agentId: string; displayName: string },
): Record<string, string> {
  return { agent_id: agentId, display_name: displayName, agent_name: agentId };
}
