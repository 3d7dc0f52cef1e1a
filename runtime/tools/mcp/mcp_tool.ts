// Converts a tool of an MCP server to a tool of an agent.
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import { cutEnd } from "../../../base/text/cut_text.ts";
import { matchesPattern } from "../../vocabulary/tool_vocabulary.ts";
import type { ServerOrigin } from "../../agents/guarded_tools.ts";
import { compileArgumentsCheck } from "../json_schema/arguments_check.ts";
import type { ActionTool, ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { McpLimits } from "./mcp_limits.ts";
import { DESCRIPTION_CHARACTERS, type RemoteTool } from "./listing/remote_tool.ts";
import { usualNames } from "./listing/tool_names.ts";
import type { CallOptions } from "./session.ts";

/** The maximum number of progress messages of one call in the service log. */
const PROGRESS_LINES = 10;
/** The minimum time between two progress messages that the viewers of a run see, in milliseconds. */
const REPORT_MS = 5_000;

function toOrigin(
  server: string,
  { name, effect }: Pick<RemoteTool, "name" | "effect">,
  autoApprove: readonly string[] | undefined,
): ServerOrigin {
  const asks = autoApprove && !autoApprove.some((one) => matchesPattern(name, one));
  const isReadOnly = effect === "read";
  return { server, tool: name, isReadOnly, ...(asks !== undefined && { asks }) };
}

/** The beginning of a tool's description, which shows the model that the description comes from the server. */
export const saysOf = (server: string): string => `The server ${JSON.stringify(server)} says: `;

/** Creates the tool with its name among the agent's tools. `call` sends the call to the server. */
export async function createMcpTool(
  tool: RemoteTool,
  options: {
    name: string;
    server: string;
    /** The patterns of the server's entry, see ServerDefinition. */
    autoApprove: readonly string[] | undefined;
    limits: Pick<McpLimits, "callMs" | "longestCallMs">;
    call(args: JsonObject, context: ToolContext & Pick<CallOptions, "onProgress">): Promise<string>;
  },
): Promise<ActionTool> {
  const { name, server, autoApprove, limits, call } = options;
  const { description, parameters, effect } = tool;
  // Only the service's part of the check is used, because the server checks the arguments against the whole schema.
  const { check } = await compileArgumentsCheck(name, parameters);
  return {
    name,
    otherNames: usualNames({ server, tool: tool.name }),
    origin: toOrigin(server, tool, autoApprove),
    description: cutEnd(
      `${saysOf(server)}${description || "nothing"}`,
      DESCRIPTION_CHARACTERS,
    ),
    parameters,
    timeoutMs: limits.longestCallMs,
    check,
    fixedEffect: effect,
    effect: () => effect,
    async run(args, context) {
      let lines = 0;
      let reportedAt = -Infinity;
      let reporting = Promise.resolve();
      const silence = {
        clock: context.clock,
        ms: limits.callMs,
        reason: new ToolFailure(`${name} took longer than ${limits.callMs / 1_000} s`),
        signal: context.signal,
      };
      return await withinTime(silence, async (signal, restart) => {
        const onProgress = (line: string) => {
          restart();
          if (++lines <= PROGRESS_LINES) context.log(line);
          const now = context.clock.now();
          if (now - reportedAt < REPORT_MS) return;
          reportedAt = now;
          reporting = reporting.then(() => context.report(`${name}: ${line}`));
          reporting.catch(() => {/* The error is thrown at the end of the call. */});
        };
        try {
          return await untilAborted(call(args, { ...context, signal, onProgress }), signal);
        } finally {
          await reporting;
        }
      });
    },
  };
}
