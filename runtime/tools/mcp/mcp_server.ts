// Manages one MCP server of a workspace. It has at most one session, which is opened on demand. After a session has ended,
// the next one is delayed by a backoff.
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { ReportActivity } from "../definition/open_tools_options.ts";
import type { JsonObject } from "../../../base/json.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { RemoteTool } from "./listing/remote_tool.ts";
import type { ResolvedServer } from "./servers_file/resolve_server.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import { ServerUnavailable, SessionExpired } from "./server_unavailable.ts";
import type { CallOptions, Session, SessionPorts } from "./session.ts";
import { findSignInNeeded } from "./sign_in/sign_in_needed.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { backoffMs } from "../../../base/backoff.ts";

const loadSession = lazyModule(() => import("./open_session.ts"));

/** The maximum wait for a delayed start in milliseconds. A caller that would have to wait longer fails at once. */
const PATIENCE_MS = 5_000;

/** An MCP server with its definition, shared by all agents and runs. */
export class McpServer implements AsyncDisposable {
  readonly definition: ServerDefinition;
  readonly #name: string;
  readonly #ports: SessionPorts;
  readonly #backoff = new RestartBackoff();
  readonly #closing = new AbortController();
  /** The sessions that are not closed yet. */
  readonly #sessions = new Set<Session>();
  /** The sessions that are being closed, each with the promise of its end. */
  readonly #retiring = new Map<Session, Promise<void>>();
  #session: Session | undefined;
  #opening: Promise<Session> | undefined;
  #lastFailure = "";
  /** True if the server accepts no more calls. */
  #isRetired = false;

  constructor(name: string, definition: ServerDefinition, ports: SessionPorts) {
    this.#name = name;
    this.definition = definition;
    this.#ports = ports;
  }

  /** Returns true if the entry has the definition of this server. */
  matches(entry: ResolvedServer | undefined): boolean {
    return entry !== undefined && "definition" in entry &&
      JSON.stringify(entry.definition) === JSON.stringify(this.definition);
  }

  /**
   * Returns the tools that the server lists now. Rejects with ServerUnavailable. Calls `report` if the server must be
   * started, because that may take long.
   */
  async tools(signal: AbortSignal, report?: ReportActivity): Promise<readonly RemoteTool[]> {
    if (report === undefined || this.#session !== undefined) return await this.#list(signal);
    await report("info", `Starts the MCP server "${this.#name}"`);
    try {
      return await this.#list(signal);
    } catch (error) {
      if (!signal.aborted) await report("warn", `The MCP server "${this.#name}" did not start`);
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
      // The session has worked before, so the server hangs or has forgotten it. A new session lists the tools when it
      // opens.
      this.#retire(session);
      return await (await this.#open(signal)).tools(signal);
    }
  }

  /**
   * Calls a tool by its name at the server, and returns the result. Rejects with ToolFailure, with SessionExpired if the
   * server was retired before it received the call, or with the signal's reason on abort.
   */
  async call(name: string, args: JsonObject, options: CallOptions): Promise<string> {
    try {
      return await this.#call(name, args, options);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw asToolFailure(error);
      if (this.#isRetired) throw error;
    }
    // The server did not receive the call, so a second attempt is safe.
    try {
      return await this.#call(name, args, options);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw asToolFailure(error);
      if (this.#isRetired) throw error;
      const message = `The MCP server "${this.#name}" loses its sessions at once`;
      throw new ToolFailure(message, { cause: error });
    }
  }

  /** The server's instructions for models. Empty without a session, or if the server has none. */
  get instructions(): string {
    return this.#session?.instructions ?? "";
  }

  /** Returns true if the server may offer other tools than `listed`, its last list. Sends no request. */
  mayDiffer(listed: readonly RemoteTool[]): boolean {
    return this.#session?.mayDiffer(listed) === true;
  }

  /** Accepts no more calls. Resolves when the running calls and the server have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#session !== undefined) this.#retire(this.#session);
    await Promise.all(this.#retiring.values());
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isRetired = true;
    this.#closing.abort(this.#retirement());
    await this.#opening?.catch(() => {/* Its callers got the error. */});
    await Promise.all([...this.#sessions].map((session) => session.close()));
    await Promise.all(this.#retiring.values());
  }

  #retirement(): ServerUnavailable {
    return new ServerUnavailable(`The MCP server "${this.#name}" is being ended`);
  }

  async #call(name: string, args: JsonObject, options: CallOptions): Promise<string> {
    const { session, tool } = await this.#prepare(name, options).catch((error) => {
      if (!this.#isRetired || !(error instanceof ServerUnavailable)) throw error;
      throw new SessionExpired(error.message, { cause: error });
    });
    return await session.call(tool, args, options);
  }

  /** Returns the session for a call and the called tool, after the tool was admitted. */
  async #prepare(name: string, { signal, admit }: CallOptions) {
    const tool = (await this.tools(signal)).find((one) => one.name === name);
    if (tool === undefined) {
      throw new ToolFailure(`The MCP server "${this.#name}" does not offer this tool any more`);
    }
    await admit(tool);
    return { session: await this.#open(signal), tool };
  }

  async #open(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    if (this.#isRetired) throw this.#retirement();
    if (this.#session !== undefined) return this.#session;
    this.#opening ??= this.#start().finally(() => this.#opening = undefined);
    // All callers wait for the same start. If one caller aborts, the start continues for the others.
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
      const { openSession } = await loadSession();
      const session = await openSession(this.#name, this.definition, { ...this.#ports, signal });
      this.#keep(session);
      return session;
    } catch (error) {
      // A person may sign in at any time, so a start without a sign-in delays no later one.
      const isLasting = findSignInNeeded(error) === undefined;
      if (error instanceof ServerUnavailable && !signal.aborted && isLasting) {
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

  /** Stores and logs the reason for which the current session ended by itself. */
  #noteEnd({ ended, startedAt }: Session): void {
    const { clock, log } = this.#ports;
    this.#backoff.ended(clock.now(), startedAt);
    if (this.#closing.signal.aborted) return;
    if (!(ended.reason instanceof ServerUnavailable)) {
      this.#lastFailure = `The MCP server "${this.#name}" loses its sessions.`;
      return;
    }
    this.#lastFailure = ended.reason.message;
    log.write("warn", ended.reason.message, { server: this.#name });
  }

  #retire(session: Session): void {
    if (this.#session === session) this.#session = undefined;
    if (this.#retiring.has(session)) return;
    const gone = session.retire().catch((error) => {
      // No caller awaits the promise. An error of one server must not end the service.
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
/** The duration of a session after which the number of ends is reset, in milliseconds. */
const HEALTHY_MS = 60_000;

/** The delay before the next session of a server. The delay grows each time a session ends. */
class RestartBackoff {
  #ends = 0;
  #notBefore = 0;

  /** Counts an end at `now`. `startedAt` is the start of the session, or undefined for a start that failed. */
  ended(now: number, startedAt?: number): void {
    if (startedAt !== undefined && now - startedAt >= HEALTHY_MS) this.#ends = 0;
    this.#ends++;
    const again = this.#ends - 1;
    const delay = again === 0 ? 0 : backoffMs(again, { firstMs: FIRST_MS, longestMs: LONGEST_MS });
    this.#notBefore = now + delay;
  }

  /** Returns the time until the next start is allowed, in milliseconds. */
  remaining(now: number): number {
    // The result has a lower and an upper limit, so that a change of the system's clock cannot block a server for hours.
    return Math.min(LONGEST_MS, Math.max(0, this.#notBefore - now));
  }
}
