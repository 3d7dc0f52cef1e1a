// One conversation with a server: greeted, its tools listed, calls in flight. Heavy (the client package), so loaded late.
import { type CallToolResult, Client } from "@modelcontextprotocol/client";
import type { Clock } from "../../clock.ts";
import type { JsonObject } from "../../json.ts";
import type { ServiceLog } from "../../service_log.ts";
import { ToolFailure } from "../tool_failure.ts";
import { toPlainLine, withoutSecrets } from "./foreign_text.ts";
import { HttpTransport } from "./http_transport.ts";
import { LogBudget } from "./log_budget.ts";
import { MAX_TOOLS, type McpLimits } from "./mcp_limits.ts";
import { type RemoteTool, toRemoteTools } from "./remote_tool.ts";
import type { ServerDefinition } from "./server_definition.ts";
import { ServerUnavailable, SessionExpired } from "./server_unavailable.ts";
import {
  isConnectionFailure,
  isRefusal,
  isUnknownSession,
  lastWords,
  reasonOf,
} from "./session_failure.ts";
import { StdioTransport } from "./stdio_transport.ts";
import { untilAborted, withinTime } from "./waiting.ts";

/** The client's own timer knows another clock than ours; it never decides. */
const NEVER_MS = 2 ** 31 - 1;
/** The stream that tells of changes can be lost unnoticed, so a remote list is not believed for longer. */
const REMOTE_LIST_MS = 60_000;
const LOGGED_CHARACTERS = 500;

/** What sessions need. */
export interface SessionPorts {
  clock: Clock;
  log: ServiceLog;
  limits: McpLimits;
  /** Our version, which a server is told. */
  version: string;
}

/** How one call is made. */
export interface CallOptions {
  signal: AbortSignal;
  /** What the server says on the way, one line each. */
  onProgress(line: string): void;
}

type Era = "legacy" | "auto";

/** A greeted server. */
export class Session {
  /** Aborts when the session is over; the reason is a ServerUnavailable, or SessionExpired. */
  readonly ended: AbortSignal;
  readonly startedAt: number;
  readonly #name: string;
  readonly #definition: ServerDefinition;
  readonly #ports: SessionPorts;
  readonly #client: Client;
  readonly #transport: StdioTransport | HttpTransport;
  readonly #end = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  #tools: readonly RemoteTool[] = [];
  #listedAt = 0;
  #isListStale = true;
  #listing: Promise<void> | undefined;
  #isClosing = false;

  /**
   * Starts or reaches the server, greets it and lists its tools. Rejects with ServerUnavailable, or with the signal's reason;
   * nothing stays behind then.
   */
  static async open(
    name: string,
    definition: ServerDefinition,
    options: SessionPorts & { signal: AbortSignal },
  ): Promise<Session> {
    const { clock, limits, signal } = options;
    const reason = new Error(`it did not answer within ${limits.connectMs / 1_000} s`);
    return await withinTime({ clock, ms: limits.connectMs, reason, signal }, async (limited) => {
      const session = new Session(name, definition, { ...options, era: "legacy" });
      const refusal = await session.#greet(limited, options.signal);
      if (refusal === undefined) return session;
      // Decision: the greeting that nearly all servers know comes first, the newer protocol's only after a refusal (rejected:
      // asking for the newer one first), because some servers end at a first message that they do not know.
      const newer = new Session(name, definition, { ...options, era: "auto" });
      if (await newer.#greet(limited, options.signal) === undefined) return newer;
      throw refusal;
    });
  }

  private constructor(
    name: string,
    definition: ServerDefinition,
    { era, ...ports }: SessionPorts & { era: Era },
  ) {
    this.#name = name;
    this.#definition = definition;
    this.#ports = ports;
    this.ended = this.#end.signal;
    this.startedAt = ports.clock.now();
    this.#transport = definition.kind === "program"
      ? new StdioTransport(definition, ports)
      : new HttpTransport(definition, ports);
    // No capability is offered: a server can neither ask the user nor use our models.
    this.#client = new Client({ name: "inkling", version: ports.version }, {
      versionNegotiation: { mode: era },
      listChanged: {
        tools: {
          autoRefresh: false,
          debounceMs: 0,
          onChanged: () => void (this.#isListStale = true),
        },
      },
    });
    this.#client.onclose = () => this.#finish(this.#describe("it ended"));
    this.#listenToLog();
  }

  /** The server's tools as they are now. Rejects with ServerUnavailable when a changed list cannot be had. */
  async tools(signal: AbortSignal): Promise<readonly RemoteTool[]> {
    if (this.#isListStale || this.#isListOld()) {
      // One for all who ask; it has a limit of its own and outlives each of them.
      this.#listing ??= this.#listAgain().finally(() => this.#listing = undefined);
      await untilAborted(this.#listing, signal);
    }
    return this.#tools;
  }

  /**
   * Calls a tool. Rejects with ToolFailure when the server refuses, fails or goes, with SessionExpired when it never got the
   * call, and with the signal's reason, which cancels the call at the server.
   */
  async call(
    tool: RemoteTool,
    args: JsonObject,
    options: CallOptions,
  ): Promise<CallToolResult> {
    if (this.#isClosing || this.ended.aborted) throw new SessionExpired();
    const work = this.#call(tool, args, options);
    this.#calls.add(work);
    try {
      return await work;
    } finally {
      this.#calls.delete(work);
    }
  }

  /** Takes no more calls; closes once those in flight have ended. */
  async retire(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#calls);
    await this.close();
  }

  /** Ends the session and the program behind it. Calls in flight fail. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#client.close();
    // Where the greeting failed the client has let go of the connection already.
    await this.#transport.close();
    this.#finish(this.#describe("it was ended"));
  }

  /** Undefined when all is well, else why the server refuses our greeting. Everything else is thrown. */
  async #greet(limited: AbortSignal, signal: AbortSignal): Promise<ServerUnavailable | undefined> {
    try {
      await untilAborted(
        this.#client.connect(this.#transport, { signal: limited, timeout: NEVER_MS }),
        limited,
      );
      await this.#list(limited);
      return undefined;
    } catch (error) {
      const cause = limited.aborted ? limited.reason : error;
      const failure = new ServerUnavailable(this.#describe(cause), { cause });
      await this.close();
      signal.throwIfAborted();
      if (isRefusal(error)) return failure;
      throw failure;
    }
  }

  async #call(
    { name, parameters }: RemoteTool,
    args: JsonObject,
    { signal, onProgress }: CallOptions,
  ): Promise<CallToolResult> {
    try {
      return await this.#client.callTool({ name, arguments: args }, {
        signal,
        timeout: NEVER_MS,
        onprogress: ({ progress, total, message }) =>
          onProgress(
            this.#toLine(`${progress}${total === undefined ? "" : `/${total}`} ${message ?? ""}`),
          ),
        // Without the schema of the results: it would be compiled to code, for a check that helps no model.
        toolDefinition: { name, inputSchema: { ...parameters, type: "object" } },
      });
    } catch (error) {
      // The server may be stuck: whoever uses it next asks first.
      if (signal.aborted) this.#isListStale = true;
      signal.throwIfAborted();
      if (isUnknownSession(error)) {
        this.#finish(new SessionExpired());
        throw new SessionExpired();
      }
      const reason = this.#describe(error);
      if (isConnectionFailure(error)) this.#finish(reason);
      throw new ToolFailure(
        this.ended.aborted ? `${reason}\nWhether the call took effect is unknown.` : reason,
        { cause: error },
      );
    }
  }

  async #listAgain(): Promise<void> {
    const { clock, limits } = this.#ports;
    const reason = new Error(`it did not list its tools within ${limits.connectMs / 1_000} s`);
    try {
      await withinTime(
        { clock, ms: limits.connectMs, reason, signal: this.ended },
        (signal) => untilAborted(this.#list(signal), signal),
      );
    } catch (error) {
      this.#isListStale = true;
      if (error instanceof ServerUnavailable) throw error;
      throw isUnknownSession(error)
        ? new SessionExpired()
        : new ServerUnavailable(this.#describe(error), { cause: error });
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    // Before the answer: a change while it is on its way makes it stale again.
    this.#isListStale = false;
    this.#listedAt = this.#ports.clock.now();
    if (this.#client.getServerCapabilities()?.tools === undefined) return;
    const options = { signal, timeout: NEVER_MS, cacheMode: "bypass" } as const;
    const { tools: listed } = await this.#client.listTools(undefined, options);
    signal.throwIfAborted();
    if (listed.length > MAX_TOOLS) {
      throw new RangeError(`it lists ${listed.length} tools, over ${MAX_TOOLS}`);
    }
    const { tools, problems } = toRemoteTools(listed);
    this.#tools = tools;
    for (const problem of problems) this.#ports.log.write("warn", problem, { server: this.#name });
  }

  #isListOld(): boolean {
    return this.#definition.kind === "endpoint" &&
      Math.abs(this.#ports.clock.now() - this.#listedAt) > REMOTE_LIST_MS;
  }

  #finish(reason: string | SessionExpired): void {
    if (this.ended.aborted) return;
    this.#end.abort(typeof reason === "string" ? new ServerUnavailable(reason) : reason);
  }

  /** A whole text of what went wrong, with the program's last words where there is one and it is gone or silent. */
  #describe(error: unknown): string {
    const { secrets } = this.#definition;
    const process = this.#transport instanceof StdioTransport ? this.#transport.process : undefined;
    const reason = process?.exit === undefined
      ? typeof error === "string" ? error : reasonOf(error, secrets)
      : `it ended with ${process.exit}`;
    const words = process === undefined || isRefusal(error)
      ? ""
      : lastWords(process.stderr, secrets);
    return `The MCP server "${this.#name}" cannot be used: ${reason}${words}`;
  }

  #listenToLog(): void {
    const budget = new LogBudget(this.#ports.clock);
    this.#client.setNotificationHandler("notifications/message", ({ params }) => {
      const allowed = budget.take();
      if (allowed === "drop") return;
      const text = typeof params.data === "string" ? params.data : JSON.stringify(params.data);
      const line = this.#toLine(`${params.level}: ${text}`);
      const more = allowed === "write last" ? " (further lines of this minute are dropped)" : "";
      this.#ports.log.write("debug", `An MCP server says: ${line}${more}`, { server: this.#name });
    });
  }

  #toLine(text: string): string {
    return toPlainLine(withoutSecrets(text, this.#definition.secrets), LOGGED_CHARACTERS);
  }
}
