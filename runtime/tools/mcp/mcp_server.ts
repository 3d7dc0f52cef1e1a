// One server of one workspace: at most one session at a time, opened when needed, opened again when it ends, never in a rush.
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import { ToolFailure } from "../tool_failure.ts";
import type { RemoteTool } from "./remote_tool.ts";
import type { ResolvedServer } from "./servers_file/resolve_server.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import { ServerUnavailable, SessionExpired } from "./server_unavailable.ts";
import type { CallOptions, Session, SessionPorts } from "./session.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { backoffMs } from "../../../base/backoff.ts";

const loadSession = lazyModule(() => import("./session.ts"));

/** A caller that would have to wait longer for the next start fails at once. */
const PATIENCE_MS = 5_000;

/** Tells those who watch a run what it waits for. */
export type Tell = (level: "info" | "warn", text: string) => Promise<void>;

/** A server by its name and definition, shared by all agents and runs. */
export class McpServer implements AsyncDisposable {
  readonly definition: ServerDefinition;
  readonly #name: string;
  readonly #ports: SessionPorts;
  readonly #backoff = new RestartBackoff();
  readonly #closing = new AbortController();
  /** All that are not gone yet. */
  readonly #sessions = new Set<Session>();
  /** Those of them that have ended or been replaced, and when they will be gone. */
  readonly #retiring = new Map<Session, Promise<void>>();
  #session: Session | undefined;
  #opening: Promise<Session> | undefined;
  #lastFailure = "";

  constructor(name: string, definition: ServerDefinition, ports: SessionPorts) {
    this.#name = name;
    this.definition = definition;
    this.#ports = ports;
  }

  /** Whether it is the server of this entry, and the entry says what it said. */
  isAs(entry: ResolvedServer | undefined): boolean {
    return entry !== undefined && "definition" in entry &&
      JSON.stringify(entry.definition) === JSON.stringify(this.definition);
  }

  /** The tools as the server lists them now. Rejects with ServerUnavailable. A start, which may take long, is told. */
  async tools(signal: AbortSignal, tell?: Tell): Promise<readonly RemoteTool[]> {
    if (tell === undefined || this.#session !== undefined) return await this.#list(signal);
    await tell("info", `Starts the MCP server "${this.#name}"`);
    try {
      return await this.#list(signal);
    } catch (error) {
      if (!signal.aborted) await tell("warn", `The MCP server "${this.#name}" did not start`);
      throw error;
    }
  }

  async #list(signal: AbortSignal): Promise<readonly RemoteTool[]> {
    const session = await this.#open(signal);
    try {
      return await session.tools(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServerUnavailable || error instanceof SessionExpired)) throw error;
      // It was well once and is stuck or forgotten now: a new one, whose list comes with its greeting.
      this.#retire(session);
      return await (await this.#open(signal)).tools(signal);
    }
  }

  /** The result of a tool, by the server's own name of it. Rejects with ToolFailure, or with the signal's reason. */
  async call(name: string, args: JsonObject, options: CallOptions): Promise<string> {
    try {
      return await this.#call(name, args, options);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw asToolFailure(error);
    }
    // The server has never seen the call, so that it may be made again.
    try {
      return await this.#call(name, args, options);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw asToolFailure(error);
      const message = `The MCP server "${this.#name}" forgets its sessions at once`;
      throw new ToolFailure(message, { cause: error });
    }
  }

  /** Takes no more calls; resolves when those in flight have ended and the server is gone. */
  async retire(): Promise<void> {
    if (this.#session !== undefined) this.#retire(this.#session);
    await Promise.all(this.#retiring.values());
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new ServerUnavailable(`The MCP server "${this.#name}" is being ended`));
    await this.#opening?.catch(() => {/* Its callers got the error. */});
    await Promise.all([...this.#sessions].map((session) => session.close()));
    await Promise.all(this.#retiring.values());
  }

  async #call(name: string, args: JsonObject, options: CallOptions): Promise<string> {
    const tool = (await this.tools(options.signal)).find((one) => one.name === name);
    if (tool === undefined) {
      throw new ToolFailure(`The MCP server "${this.#name}" does not offer this tool any more`);
    }
    await options.admit(tool);
    return await (await this.#open(options.signal)).call(tool, args, options);
  }

  async #open(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    if (this.#session !== undefined) return this.#session;
    this.#opening ??= this.#start().finally(() => this.#opening = undefined);
    // One start for all who wait; whoever gives up leaves it to the others.
    return await untilAborted(this.#opening, signal);
  }

  async #start(): Promise<Session> {
    const { clock } = this.#ports;
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const wait = this.#backoff.remaining(clock.now());
    if (wait > PATIENCE_MS) {
      const seconds = Math.ceil(wait / 1_000);
      throw new ServerUnavailable(
        `${this.#lastFailure}\nIt is not started again before ${seconds} s.`,
      );
    }
    if (wait > 0) await clock.sleep(wait, signal);
    try {
      const { Session } = await loadSession();
      const session = await Session.open(this.#name, this.definition, { ...this.#ports, signal });
      this.#keep(session);
      return session;
    } catch (error) {
      if (error instanceof ServerUnavailable && !signal.aborted) {
        this.#backoff.ended(clock.now());
        this.#lastFailure = error.message;
      }
      throw error;
    }
  }

  #keep(session: Session): void {
    this.#session = session;
    this.#sessions.add(session);
    const onEnd = () => {
      if (this.#session === session) this.#noteEnd(session);
      this.#retire(session);
    };
    if (session.ended.aborted) onEnd();
    else session.ended.addEventListener("abort", onEnd, { once: true });
  }

  /** Remembers why the present session ended by itself. */
  #noteEnd({ ended, startedAt }: Session): void {
    const { clock, log } = this.#ports;
    this.#backoff.ended(clock.now(), startedAt);
    if (this.#closing.signal.aborted) return;
    if (!(ended.reason instanceof ServerUnavailable)) {
      this.#lastFailure = `The MCP server "${this.#name}" forgets its sessions.`;
      return;
    }
    this.#lastFailure = ended.reason.message;
    log.write("warn", ended.reason.message, { server: this.#name });
  }

  #retire(session: Session): void {
    if (this.#session === session) this.#session = undefined;
    if (this.#retiring.has(session)) return;
    const gone = session.retire().catch((error) => {
      // Nobody waits for it, and one server's failure must not end the service.
      const message = "An MCP server could not be ended cleanly";
      this.#ports.log.write("error", message, { server: this.#name, error });
    }).finally(() => {
      this.#sessions.delete(session);
      this.#retiring.delete(session);
    });
    this.#retiring.set(session, gone);
  }
}

function asToolFailure(error: unknown): unknown {
  return error instanceof ServerUnavailable
    ? new ToolFailure(error.message, { cause: error })
    : error;
}

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** A session that lasted this long was healthy: the count starts again. */
const HEALTHY_MS = 60_000;

/** Counts the ends of one server. */
class RestartBackoff {
  #ends = 0;
  #notBefore = 0;

  /** Counts an end at `now`; of a session that began at `startedAt`, or of an attempt that never became one (undefined). */
  ended(now: number, startedAt?: number): void {
    if (startedAt !== undefined && now - startedAt >= HEALTHY_MS) this.#ends = 0;
    this.#ends++;
    const again = this.#ends - 1;
    const delay = again === 0 ? 0 : backoffMs(again, { firstMs: FIRST_MS, longestMs: LONGEST_MS });
    this.#notBefore = now + delay;
  }

  /** Milliseconds until the next start is due. */
  remaining(now: number): number {
    // Bounded on both sides: a clock that was set must not stop a server for hours.
    return Math.min(LONGEST_MS, Math.max(0, this.#notBefore - now));
  }
}
