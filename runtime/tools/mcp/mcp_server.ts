// Manages one MCP server of a workspace. It has at most one session, which is opened on demand. After a session has ended,
// the next one is delayed by a backoff.
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { ReportActivity } from "../definition/open_tools_options.ts";
import type { JsonObject } from "../../../base/json.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { RemoteTool } from "./listing/remote_tool.ts";
import type { McpLimits } from "./mcp_limits.ts";
import type { ResolvedServer } from "./servers_file/resolve_server.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import { ServerUnavailable, SessionExpired } from "./server_unavailable.ts";
import type { SessionPorts } from "./server_link.ts";
import type { CallOptions, Session } from "./session.ts";
import { findSignInNeeded } from "./sign_in/sign_in_needed.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { backoffMs } from "../../../base/backoff.ts";

const loadSession = lazyModule(() => import("./open_session.ts"));

/** The first and the longest delay before the next session of a server, in milliseconds. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** The duration of a session after which the number of ends is reset, in milliseconds. */
const HEALTHY_MS = 60_000;
/** The maximum wait for a delayed start in milliseconds. A caller that would have to wait longer fails at once. */
const PATIENCE_MS = 5_000;

/** An MCP server with its definition, shared by all agents and runs. */
export class McpServer implements AsyncDisposable {
  readonly definition: ServerDefinition;
  readonly #name: string;
  readonly #ports: SessionPorts;
  readonly #closing = new AbortController();
  /** The sessions that are being closed, each with the promise of its end. */
  readonly #retiring = new Map<Session, Promise<void>>();
  #session: Session | undefined;
  #opening: Promise<Session> | undefined;
  #lastFailure = "";
  /** The number of sessions that ended soon, one after the other, and the time before which no other one starts. */
  #ends = 0;
  #notBefore = 0;
  /** True if the server accepts no more calls. */
  #isRetired = false;

  constructor(name: string, definition: ServerDefinition, ports: SessionPorts) {
    this.#name = name;
    this.definition = definition;
    this.#ports = ports;
  }

  get limits(): McpLimits {
    return this.#ports.limits;
  }

  /** Returns true if the entry has the definition of this server. */
  matches(entry: ResolvedServer | undefined): boolean {
    return JSON.stringify(entry) === JSON.stringify(this.definition);
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
   * Calls a tool by its name at the server, and returns the result. Rejects with ToolFailure or ServerUnavailable, with
   * SessionExpired if the server was retired before it received the call, or with the signal's reason on abort.
   */
  async call(name: string, args: JsonObject, options: CallOptions): Promise<string> {
    for (let isRepeated = false;; isRepeated = true) {
      try {
        return await this.#call(name, args, options);
      } catch (error) {
        // Only a session that could not be opened is unavailable here, so the server did not receive the call.
        if (this.#isRetired && error instanceof ServerUnavailable) {
          throw new SessionExpired(error.message, { cause: error });
        }
        if (this.#isRetired || !(error instanceof SessionExpired)) throw error;
        if (isRepeated) {
          const message = `The MCP server "${this.#name}" loses its sessions at once`;
          throw new ToolFailure(message, { cause: error });
        }
        // The server did not receive the call, so a second attempt is safe.
      }
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

  /** Accepts no more calls. Resolves when the running calls and the server have ended. Never rejects. */
  async retire(): Promise<void> {
    await this.#stopOpening();
    if (this.#session !== undefined) this.#retire(this.#session);
    await Promise.all(this.#retiring.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopOpening();
    await Promise.all([this.#session, ...this.#retiring.keys()].map((one) => one?.close()));
    await Promise.all(this.#retiring.values());
  }

  async #stopOpening(): Promise<void> {
    this.#isRetired = true;
    this.#closing.abort(this.#retirement());
    await this.#opening?.catch(() => {/* Its callers got the error. */});
  }

  #retirement(): ServerUnavailable {
    return new ServerUnavailable(`The MCP server "${this.#name}" is being ended`);
  }

  /** Calls a tool after it was admitted. */
  async #call(name: string, args: JsonObject, options: CallOptions): Promise<string> {
    const { signal, admit } = options;
    const tool = (await this.tools(signal)).find((one) => one.name === name);
    if (tool === undefined) {
      throw new ToolFailure(`The MCP server "${this.#name}" does not offer this tool any more`);
    }
    await admit(tool);
    const session = await this.#open(signal);
    return await session.call(tool, args, options);
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
    // The wait has both limits, so that a change of the system's clock cannot block a server for hours.
    const wait = Math.min(LONGEST_MS, Math.max(0, this.#notBefore - clock.now()));
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
        this.#delayStart(error.message);
      }
      throw error;
    }
  }

  #keep(session: Session): void {
    this.#session = session;
    const onEnd = () => {
      if (this.#session === session) this.#noteEnd(session);
      this.#retire(session);
    };
    if (session.ended.aborted) onEnd();
    else session.ended.addEventListener("abort", onEnd, { once: true });
  }

  /** Stores and logs the reason for which the current session ended by itself. */
  #noteEnd({ ended: { reason }, startedAt }: Session): void {
    if (this.#closing.signal.aborted) return;
    if (!(reason instanceof ServerUnavailable)) {
      this.#delayStart(`The MCP server "${this.#name}" loses its sessions.`, startedAt);
      return;
    }
    this.#delayStart(reason.message, startedAt);
    this.#ports.log.write("warn", reason.message, { server: this.#name });
  }

  /**
   * Stores the reason of an end, and delays the next start. The delay grows with each end. `startedAt` is the start of the
   * session, or undefined for a start that failed.
   */
  #delayStart(reason: string, startedAt?: number): void {
    const now = this.#ports.clock.now();
    this.#lastFailure = reason;
    if (now - (startedAt ?? now) >= HEALTHY_MS) this.#ends = 0;
    const delay = this.#ends === 0
      ? 0
      : backoffMs(this.#ends, { firstMs: FIRST_MS, longestMs: LONGEST_MS });
    this.#ends++;
    this.#notBefore = now + delay;
  }

  #retire(session: Session): void {
    if (this.#session === session) this.#session = undefined;
    if (this.#retiring.has(session)) return;
    const gone = session.retire().catch((error) => {
      // No caller awaits the promise. An error of one server must not end the service.
      const message = "An MCP server could not be ended cleanly";
      this.#ports.log.write("error", message, { server: this.#name, error });
    }).finally(() => this.#retiring.delete(session));
    this.#retiring.set(session, gone);
  }
}
