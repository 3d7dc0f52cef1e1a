// A session with an MCP server: its connection, its list of tools and its calls.
import { Client, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import { QuestionRaised } from "../definition/raised.ts";
import type { ToolContext } from "../definition/tool.ts";
import { askUser } from "../builtin/ask_user.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { Elicitations } from "./elicitation/elicitations.ts";
import { HttpTransport } from "./http_transport.ts";
import type { RemoteTool } from "./listing/remote_tool.ts";
import { showMedia, toResultText } from "./result_content.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import type { ServerLink, SessionPorts } from "./server_link.ts";
import { ServerUnavailable, SessionExpired } from "./server_unavailable.ts";
import { logServerMessages, toInstructions, toLogLine } from "./server_log.ts";
import {
  describeFailedCall,
  describeFailure,
  describeMissingVariables,
  describeRefusedHosts,
  isConnectionFailure,
  isRefusal,
  toFailureText,
} from "./session_failure.ts";
import { StdioTransport } from "./stdio_transport.ts";
import { isSignInError } from "./sign_in/sign_in_needed.ts";
import { fetchToolPages, ToolList } from "./listing/tool_list.ts";

/** A timeout that disables the client's timeout, which does not use Inkling's Clock. */
const NEVER_MS = 2 ** 31 - 1;
/** The maximum age of a remote server's list of tools, because the stream that reports changes can be lost unnoticed. */
const REMOTE_LIST_MS = 60_000;

/** The options of one call of a tool. `redactor` knows all secrets except those in the server's entry. */
export interface CallOptions
  extends Pick<ToolContext, "signal" | "redactor" | "answers" | "agent" | "depth" | "show"> {
  /** Called before the call with the tool as the server lists it. If it throws, the call fails with its error. */
  admit(tool: RemoteTool): Promise<void>;
  /** Called with each progress message of the server, as one line. */
  onProgress(line: string): void;
}

/** The protocol of a handshake: the older one, or the newest one that the server knows. */
export type Protocol = "legacy" | "auto";

/** A session with an MCP server. open_session.ts opens it. */
export class Session {
  /** Aborts when the session has ended. The reason is a ServerUnavailable or SessionExpired. */
  readonly ended: AbortSignal;
  readonly startedAt: number;
  readonly #link: ServerLink;
  readonly #ports: SessionPorts;
  readonly #client: Client;
  readonly #list: ToolList;
  readonly #elicitations: Elicitations;
  readonly #end = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  #listing: Promise<void> | undefined;
  #isClosing = false;

  constructor(
    name: string,
    definition: ServerDefinition,
    { era, ...ports }: SessionPorts & { era: Protocol },
  ) {
    const { clock, log } = ports;
    const { secrets } = definition;
    this.#link = definition.kind === "program"
      ? new StdioTransport(name, definition, ports)
      : new HttpTransport(name, definition, ports);
    this.#ports = ports;
    this.ended = this.#end.signal;
    this.startedAt = clock.now();
    // A server may ask a person with a form. It can neither send people to an address nor use the agent's model.
    this.#client = new Client({ name: "inkling", version: ports.version }, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#list.markStale() },
      },
    });
    this.#elicitations = new Elicitations({ server: name, secrets, clock, ended: this.ended });
    this.#client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (params.mode !== "url") return await this.#elicitations.answer(params);
      return { action: "decline" };
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

  /** Returns the server's current tools. Rejects with ServerUnavailable or SessionExpired if it cannot list them. */
  async tools(signal: AbortSignal): Promise<readonly RemoteTool[]> {
    if (this.#list.isStale) {
      // All callers wait for the same request. It has its own time limit, and continues if a caller aborts.
      this.#listing ??= this.#refreshTools().finally(() => this.#listing = undefined);
      await untilAborted(this.#listing, signal);
    }
    return this.#list.tools;
  }

  /**
   * Calls a tool and returns its result as text. Rejects with ToolFailure if the tool or the server fails, and with
   * SessionExpired if the server did not receive the call. On abort, cancels the call and rejects with the signal's reason.
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

  /** The server's instructions for models, see toInstructions(). Empty if it has none. */
  get instructions(): string {
    return toInstructions(this.#client.getInstructions() ?? "", this.#link.secrets);
  }

  /** Returns true if the server has reported a change of its tools, or its list is no longer `listed`. */
  mayDiffer(listed: readonly RemoteTool[]): boolean {
    return this.#list.isDoubtful || this.#list.tools !== listed;
  }

  /** Accepts no more calls, and closes the session after the running calls have ended. */
  async retire(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#calls);
    await this.close();
  }

  /** Ends the session and its program. Running calls fail. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#client.close();
    // After a failed handshake, the client no longer closes the connection.
    await this.#link.close();
    this.#finish(new Error("it was ended"));
  }

  /** Performs the handshake. Returns undefined, or the error if the server refused it. Throws all other errors. */
  async initialize(
    limited: AbortSignal,
    signal: AbortSignal,
  ): Promise<ServerUnavailable | undefined> {
    try {
      const options = { signal: limited, timeout: NEVER_MS };
      await untilAborted(this.#client.connect(this.#link, options), limited);
      await untilAborted(this.#list.refresh(limited), limited);
      return undefined;
    } catch (error) {
      const known = this.#ports.variableNames();
      const withheld = describeMissingVariables(error, this.#link, known);
      const text = describeFailure(error, this.#link) + withheld + this.#reportRefusedHosts();
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
    { signal, redactor, onProgress, show, answers, agent, depth = 0 }: CallOptions,
  ): Promise<string> {
    const { secrets } = this.#link;
    let result;
    const mayAsk = !agent.leftOut.includes(askUser.name);
    try {
      result = await this.#elicitations.run(
        { answers, mayAsk },
        signal,
        (signal) =>
          // An Inkling that is the server, perhaps this one, counts the executions above the run that the call starts.
          this.#client.callTool({ name, arguments: args, _meta: { "inkling/depth": depth + 1 } }, {
            signal,
            timeout: NEVER_MS,
            onprogress: ({ progress, total, message }) => {
              const part = total === undefined ? `${progress}` : `${progress}/${total}`;
              onProgress(toLogLine(`${part} ${message ?? ""}`, secrets));
            },
            // Without the result's schema: the client would compile it to code for a check that does not help the model.
            toolDefinition: { name, inputSchema: { ...parameters, type: "object" } },
          }),
      );
    } catch (error) {
      if (error instanceof QuestionRaised || error instanceof ToolFailure) throw error;
      // The server may hang, so the next use checks the list of tools before a call.
      if (signal.aborted) this.#list.markStale();
      signal.throwIfAborted();
      throw await this.#toCallFailure(error, signal);
    }
    const text = toResultText(result, await showMedia(result, show));
    const refused = this.#reportRefusedHosts();
    if (result.isError !== true) return (text || "[no content]") + refused;
    throw new ToolFailure(toFailureText(text, { secrets, redactor }) + refused);
  }

  async #toCallFailure(error: unknown, signal: AbortSignal): Promise<Error> {
    if (isRefusal(error) && !isSignInError(error) && await this.#isForgotten(signal)) {
      const expired = new SessionExpired();
      this.#finish(expired);
      return expired;
    }
    if (isConnectionFailure(error)) this.#finish(error);
    const text = describeFailedCall(error, this.#link) + this.#reportRefusedHosts();
    return new ToolFailure(text, { cause: error });
  }

  /**
   * Returns true if the server has forgotten the session. It has refused a call, and then refuses a ping, too. A server
   * that does not support pings answers with the code for an unknown method.
   */
  async #isForgotten(signal: AbortSignal): Promise<boolean> {
    if (this.#link.sessionId === undefined) return false;
    try {
      await this.#client.ping({ signal, timeout: NEVER_MS });
      return false;
    } catch (error) {
      signal.throwIfAborted();
      const isUnknownMethod = error instanceof ProtocolError &&
        error.code === ProtocolErrorCode.MethodNotFound;
      return isRefusal(error) && !isUnknownMethod;
    }
  }

  /** Logs the hosts that the sandbox refused. Returns a text about them for the model, or an empty text. */
  #reportRefusedHosts(): string {
    const text = describeRefusedHosts(this.#link);
    if (text !== "") this.#ports.log.write("warn", text.trim(), { server: this.#link.name });
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
      throw new ServerUnavailable(describeFailure(error, this.#link), { cause: error });
    }
  }

  #finish(reason: unknown): void {
    if (this.ended.aborted) return;
    this.#end.abort(
      reason instanceof SessionExpired
        ? reason
        : new ServerUnavailable(describeFailure(reason, this.#link), { cause: reason }),
    );
  }
}
