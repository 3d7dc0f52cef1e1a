// One conversation with a server: greeted, its tools listed, calls in flight. Heavy (the client package), so loaded late.
import { Client } from "@modelcontextprotocol/client";
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool_failure.ts";
import { toFailureText } from "./failure_text.ts";
import { HttpTransport } from "./http_transport.ts";
import type { ServerConfinement } from "./server_sandbox.ts";
import type { McpLimits } from "./mcp_limits.ts";
import type { RemoteTool } from "./remote_tool.ts";
import { showMedia, toResultText } from "./result_content.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import { ServerUnavailable, SessionExpired } from "./server_unavailable.ts";
import { logServerMessages, toLoggedLine } from "./server_log.ts";
import {
  describeFailedCall,
  describeFailure,
  describeRefusedHosts,
  describeWithheld,
  type FailedServer,
  isConnectionFailure,
  isRefusal,
  isUnknownMethod,
  mayKnowNewerGreeting,
} from "./session_failure.ts";
import { StdioTransport } from "./stdio_transport.ts";
import { fetchToolPages, ToolList } from "./tool_list.ts";

/** The client's own timer knows another clock than ours; it never decides. */
const NEVER_MS = 2 ** 31 - 1;
/** For a server that has just refused another greeting: it is there, and answers this one, too, or does not know it. */
const NEWER_GREETING_MS = 5_000;
/** The stream that reports changes can be lost unnoticed, so a remote list is not trusted for longer. */
const REMOTE_LIST_MS = 60_000;

/** What sessions need. */
export interface SessionPorts {
  clock: Clock;
  log: ServiceLog;
  limits: McpLimits;
  confinement: ServerConfinement;
  /** Our version, which a server is told. */
  version: string;
  /** The names of the variables that the service has and a server may be given. */
  variableNames(): readonly string[];
}

/** How one call is made. */
export interface CallOptions {
  signal: AbortSignal;
  /** Knows the secrets that are not the server's own. */
  redactor: Redactor;
  /** Resolves when the tool, as the server lists it now, may be called; what it throws ends the call. */
  admit(tool: RemoteTool): Promise<void>;
  /** What the server says on the way, one line each. */
  onProgress(line: string): void;
  /** See ToolContext. */
  show?: ToolContext["show"];
}

type Era = "legacy" | "auto";

/** A greeted server. */
export class Session {
  /** Aborts when the session is over; the reason is a ServerUnavailable, or SessionExpired. */
  readonly ended: AbortSignal;
  readonly startedAt: number;
  readonly #server: FailedServer;
  /** The names of the variables that its program gets; undefined for an address. */
  readonly #given: readonly string[] | undefined;
  readonly #ports: SessionPorts;
  readonly #client: Client;
  readonly #list: ToolList;
  readonly #end = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  #listing: Promise<void> | undefined;
  #isClosing = false;

  /**
   * Starts or reaches the server, greets it and lists its tools. Rejects with ServerUnavailable, or with the signal's reason;
   * nothing is left running then.
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
      const refusal = await session.#greet(limited, signal);
      if (refusal === undefined) return session;
      // Decision: the greeting that nearly all servers know comes first, the newer protocol's only after a refusal (rejected:
      // asking for the newer one first), because some servers end at a first message that they do not know.
      if (!mayKnowNewerGreeting(refusal.cause)) throw refusal;
      const newer = new Session(name, definition, { ...options, era: "auto" });
      const within = { clock, ms: NEWER_GREETING_MS, reason: refusal, signal: limited };
      const failure = await withinTime(within, (brief) => newer.#greet(brief, signal)).catch(
        (error: unknown) => error,
      );
      if (failure === undefined) return newer;
      // What the server said to the greeting that it may know is more to the point.
      signal.throwIfAborted();
      throw refusal;
    });
  }

  private constructor(
    name: string,
    definition: ServerDefinition,
    { era, ...ports }: SessionPorts & { era: Era },
  ) {
    const { clock, log } = ports;
    const { secrets } = definition;
    const link = definition.kind === "program"
      ? new StdioTransport(definition, ports)
      : new HttpTransport(definition, ports);
    const net = definition.kind === "program" ? definition.sandbox?.net ?? [] : [];
    this.#server = { name, secrets, link, net };
    this.#given = definition.kind === "program" ? Object.keys(definition.env) : undefined;
    this.#ports = ports;
    this.ended = this.#end.signal;
    this.startedAt = clock.now();
    // No capability is offered: a server can neither ask the user nor use our models.
    this.#client = new Client({ name: "inkling", version: ports.version }, {
      versionNegotiation: { mode: era },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#list.doubt() },
      },
    });
    this.#client.onclose = () => this.#finish(new Error("it ended"));
    logServerMessages(this.#client, { name, secrets, clock, log });
    this.#list = new ToolList({
      clock,
      maxAgeMs: definition.kind === "program" ? Infinity : REMOTE_LIST_MS,
      fetch: (signal) => fetchToolPages(this.#client, { signal, timeout: NEVER_MS }),
      onProblem: (problem) => log.write("warn", problem, { server: name }),
    });
  }

  /** The server's tools as they are now. Rejects with ServerUnavailable or SessionExpired when a changed list is not available. */
  async tools(signal: AbortSignal): Promise<readonly RemoteTool[]> {
    if (this.#list.isStale) {
      // One for all who ask; it has a limit of its own and outlives each of them.
      this.#listing ??= this.#refreshTools().finally(() => this.#listing = undefined);
      await untilAborted(this.#listing, signal);
    }
    return this.#list.tools;
  }

  /**
   * Calls a tool; resolves to its result as text. Rejects with ToolFailure when the tool or the server refuses, fails or goes,
   * with SessionExpired when it never got the call, and with the signal's reason, which cancels the call at the server.
   */
  async call(tool: RemoteTool, args: JsonObject, options: CallOptions): Promise<string> {
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
    await this.#server.link.close();
    this.#finish(new Error("it was ended"));
  }

  /** Undefined when all is well, else why the server refuses our greeting. Everything else is thrown. */
  async #greet(limited: AbortSignal, signal: AbortSignal): Promise<ServerUnavailable | undefined> {
    try {
      const options = { signal: limited, timeout: NEVER_MS };
      await untilAborted(this.#client.connect(this.#server.link, options), limited);
      await untilAborted(this.#list.refresh(limited), limited);
      return undefined;
    } catch (error) {
      const withheld = this.#given === undefined ? "" : describeWithheld(error, {
        ...this.#server,
        given: this.#given,
        known: this.#ports.variableNames(),
      });
      const text = describeFailure(error, this.#server) + withheld + this.#tellRefusedHosts();
      const failure = new ServerUnavailable(text, { cause: error });
      await this.close();
      signal.throwIfAborted();
      if (isRefusal(error)) return failure;
      throw failure;
    }
  }

  async #call(
    { name, parameters }: RemoteTool,
    args: JsonObject,
    { signal, redactor, onProgress, show }: CallOptions,
  ): Promise<string> {
    const { secrets } = this.#server;
    let result;
    try {
      result = await this.#client.callTool({ name, arguments: args }, {
        signal,
        timeout: NEVER_MS,
        onprogress: ({ progress, total, message }) => {
          const part = total === undefined ? `${progress}` : `${progress}/${total}`;
          onProgress(toLoggedLine(`${part} ${message ?? ""}`, secrets));
        },
        // Without the schema of the results: it would be compiled to code, for a check that helps no model.
        toolDefinition: { name, inputSchema: { ...parameters, type: "object" } },
      });
    } catch (error) {
      // The server may be stuck: whoever uses it next asks first.
      if (signal.aborted) this.#list.doubt();
      signal.throwIfAborted();
      throw await this.#toCallFailure(error, signal);
    }
    const text = toResultText(result, await showMedia(result, show));
    const refused = this.#tellRefusedHosts();
    if (result.isError !== true) return (text || "[no content]") + refused;
    throw new ToolFailure(toFailureText(text, { secrets, redactor }) + refused);
  }

  async #toCallFailure(error: unknown, signal: AbortSignal): Promise<Error> {
    if (isRefusal(error) && await this.#isForgotten(signal)) {
      const expired = new SessionExpired();
      this.#finish(expired);
      return expired;
    }
    if (isConnectionFailure(error)) this.#finish(error);
    const text = describeFailedCall(error, this.#server) + this.#tellRefusedHosts();
    return new ToolFailure(text, { cause: error });
  }

  /**
   * Returns whether a server that has just refused a call refuses a ping, too: then it has forgotten the session, whatever
   * words and codes it has for that. A server that does not know pings says so by the code for an unknown method.
   */
  async #isForgotten(signal: AbortSignal): Promise<boolean> {
    if (this.#server.link.sessionId === undefined) return false;
    try {
      await this.#client.ping({ signal, timeout: NEVER_MS });
      return false;
    } catch (error) {
      signal.throwIfAborted();
      return isRefusal(error) && !isUnknownMethod(error);
    }
  }

  /** To the log, and as an end of what the model is told. */
  #tellRefusedHosts(): string {
    const text = describeRefusedHosts(this.#server);
    if (text !== "") this.#ports.log.write("warn", text.trim(), { server: this.#server.name });
    return text;
  }

  async #refreshTools(): Promise<void> {
    const { clock, limits } = this.#ports;
    const reason = new Error(`it did not list its tools within ${limits.connectMs / 1_000} s`);
    try {
      await withinTime(
        { clock, ms: limits.connectMs, reason, signal: this.ended },
        (signal) => untilAborted(this.#list.refresh(signal), signal),
      );
    } catch (error) {
      if (this.ended.aborted) throw this.ended.reason;
      throw new ServerUnavailable(describeFailure(error, this.#server), { cause: error });
    }
  }

  #finish(reason: unknown): void {
    if (this.ended.aborted) return;
    this.#end.abort(
      reason instanceof SessionExpired
        ? reason
        : new ServerUnavailable(describeFailure(reason, this.#server), { cause: reason }),
    );
  }
}
