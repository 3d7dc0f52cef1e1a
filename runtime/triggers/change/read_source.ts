// Reads the source of a change trigger: requests an address, or runs a command in the agent's shell. Calls no model.
import type { Agent, Trigger } from "../../agents/agent.ts";
import type { Environment } from "../../config/files/environment.ts";
import { HEADER_VARIABLE } from "../../agents/triggers/change_rules.ts";
import { withinTime } from "../../../base/bounded_wait.ts";
import { sha256Of } from "../../../base/sha256.ts";
import type { AgentTools } from "../../tools/agent_tools.ts";
import type { OpenToolsOptions } from "../../tools/definition/open_tools_options.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { PathSandbox } from "../../tools/files/path_sandbox.ts";
import { resolveHostBySystem } from "../../tools/http/host_lookup.ts";
import { exchange } from "../../tools/http/http_exchange.ts";
import { servicePolicy } from "../../tools/http/http_policy.ts";
import { followRedirects, OWN_HEADERS } from "../../tools/http/http_redirects.ts";
import { decodeText } from "../../tools/http/http_reply_text.ts";
import { outputOf } from "../../tools/shell/shell.ts";
import type { TriggeredAgent } from "../firing/fire.ts";
import type { TriggerContext } from "../firing/trigger_context.ts";
import { type Content, toContent } from "./content.ts";

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 5 * 1024 * 1024;

/** The headers by which a server recognizes an unchanged content. */
export interface Validators {
  etag?: string;
  modified?: string;
}

/** A read content with its validators. `content` is undefined if the server says that nothing has changed. */
export interface ReadContent extends Validators {
  content: Content | undefined;
}

/** The collaborators of readSource(). */
export interface SourcePorts extends TriggerContext {
  ownPorts: () => readonly number[];
  openTools: (agent: Agent, options: OpenToolsOptions) => Promise<AgentTools>;
  openSandbox: (agent: Agent) => Promise<PathSandbox>;
}

/** Reads the source of an agent's trigger. Throws ToolFailure with the reason, or `signal.reason` on abort. */
export async function readSource(
  agent: TriggeredAgent<"change">,
  ports: SourcePorts,
  { known, signal }: { known: Validators; signal: AbortSignal },
): Promise<ReadContent> {
  const { url, command = "", select, ignore } = agent.trigger;
  if (url !== undefined) return await requestAddress(agent.trigger, url, ports, { known, signal });
  const source = await runCommand(agent, command, ports, signal);
  return { content: await toContent(source, { type: "", url: "", select, ignore }) };
}

async function requestAddress(
  { headers, select, ignore }: Trigger<"change">,
  address: string,
  ports: SourcePorts,
  { known, signal: stopped }: { known: Validators; signal: AbortSignal },
): Promise<ReadContent> {
  const { settings, clock, redactor } = ports;
  const request = {
    url: new URL(address),
    method: "GET",
    headers: {
      ...OWN_HEADERS,
      ...(known.etag !== undefined && { "if-none-match": known.etag }),
      ...(known.modified !== undefined && { "if-modified-since": known.modified }),
      ...withVariables(headers, settings.environment),
    },
    body: undefined,
  };
  const limit = {
    clock,
    ms: TIMEOUT_MS,
    reason: new ToolFailure(`no complete reply came within ${TIMEOUT_MS / 1_000} seconds`),
    signal: stopped,
  };
  return await withinTime(limit, async (signal) => {
    const policy = servicePolicy(settings, ports.ownPorts);
    const bounds = { policy, maxBytes: MAX_BYTES, signal, resolveHost: resolveHostBySystem };
    const { url, reply } = await followRedirects(request, {
      ask: (one) => exchange(one, bounds),
      redactor,
    });
    if (reply.status === 304) return { content: undefined, ...known };
    if (reply.status < 200 || reply.status > 299) {
      throw new ToolFailure(`the answer is ${`${reply.status} ${reply.statusText}`.trim()}`);
    }
    if (reply.cut) throw new ToolFailure(`the content has more than ${MAX_BYTES / 1024 / 1024} MB`);
    const type = reply.headers.get("content-type") ?? "";
    const [etag, modified] = ["etag", "last-modified"].map((name) => reply.headers.get(name));
    const text = decodeText(reply.body, type);
    const content = text === undefined
      ? { text: `(${reply.body.length} bytes, SHA-256 ${await digestOf(reply.body)})` }
      : await toContent(text, { type, url: url.href, select, ignore });
    return { content, ...(etag && { etag }), ...(modified && { modified }) };
  });
}

const digestOf = (bytes: Uint8Array) => sha256Of(new Uint8Array(bytes));

function withVariables(
  headers: Readonly<Record<string, string>>,
  environment: Environment,
): Record<string, string> {
  const valueOf = (name: string) => {
    const value = environment.get(name);
    if (value === undefined) {
      throw new ToolFailure(`the variable ${name} of trigger.headers is not set`);
    }
    if (!/^[\t\x20-\x7e]*$/.test(value)) {
      throw new ToolFailure(`the variable ${name} of trigger.headers has a line break`);
    }
    return value;
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name.toLowerCase(),
      text.replaceAll(HEADER_VARIABLE, (_whole, variable: string) => valueOf(variable)),
    ]),
  );
}

/** Runs a command in the agent's shell and returns its output. The person who wrote the file has approved the command. */
async function runCommand(
  agent: TriggeredAgent<"change">,
  command: string,
  { openTools, openSandbox, clock, timeZone, redactor }: SourcePorts,
  signal: AbortSignal,
): Promise<string> {
  const only = { ...agent, agents: [], skills: [], customTools: [], mcp: [] };
  const { toolbox, sandboxGap } = await openTools(only, { signal });
  if (sandboxGap !== undefined) throw new ToolFailure(sandboxGap);
  const shell = toolbox.get("shell");
  if (shell === undefined || !("run" in shell)) {
    throw new ToolFailure(
      "the agent has no shell, or config.yaml requires a sandbox that is missing",
    );
  }
  try {
    const result = await shell.run({ command }, {
      ...{ signal, executionId: 0, toolCallId: "", startedAt: clock.now() },
      ...{ agent, clock, timeZone, answers: [], redactor },
      sandbox: await openSandbox(agent),
      log: () => {},
      report: () => Promise.resolve(),
    });
    return outputOf(typeof result === "string" ? result : result.content);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    // Equal failures have equal reasons: the first line has the time that the command took.
    throw new ToolFailure(outputOf(error.message).trim() || error.message);
  }
}
