// The MCP server of a service: its tools run the exposed agents and read their executions.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ApiError, type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS } from "../../base/time_units.ts";
import { Exposed } from "../exposed.ts";
import { describeAgentTool, nameAgentTools } from "./agent_tools.ts";
import { listResources, readResource, RESOURCE_TEMPLATES } from "./resources.ts";
import { failed } from "./results.ts";
import { type Call, callAgentTool } from "./run.ts";
import { describeTool, TOOL_NAMES, TOOLS } from "./tools.ts";

/** The parts of the program that the server uses. */
export interface McpPorts {
  version: string;
  clock: Clock;
  /** Returns a client of the running service, which the caller disposes. Starts the service if it does not run. */
  open(): Promise<Client>;
  /** True if the server runs on when the service stops, and waits for its restart. */
  outlivesService: boolean;
}

/** The maximum number of questions that one call passes on to a client of the older protocol. */
const MOST_QUESTIONS = 100;

const INSTRUCTIONS =
  "Each tool with the name of an agent runs this agent and returns its answer. " +
  "An agent may need minutes. If a run waits for an answer, the result says how to give it; get_execution " +
  "then returns the end of the run.";

/** Creates the server of one request, or of one connection over standard input and output. */
export function createMcpServer(ports: McpPorts, { era }: Pick<McpRequestContext, "era">): Server {
  const server = new Server({ name: "inkling", title: "Inkling", version: ports.version }, {
    capabilities: { tools: {}, resources: {} },
    instructions: INSTRUCTIONS,
    inputRequired: { maxRounds: MOST_QUESTIONS, roundTimeoutMs: DAY_MS },
  });
  const withService = async <Result>(work: (exposed: Exposed) => Promise<Result>) => {
    using client = await ports.open();
    return await work(new Exposed(client));
  };
  server.setRequestHandler("tools/list", () =>
    withService(async (exposed) => {
      const named = nameAgentTools(await exposed.agents(), TOOL_NAMES);
      const agents = [...named].map(async ([name, { id }]) =>
        describeAgentTool(name, await exposed.agent(id))
      );
      return { tools: [...await Promise.all(agents), ...TOOLS.map(describeTool)] };
    }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: input = {} } = params;
    try {
      return await withService(async (exposed) => {
        const call = toCall(exposed, { ports, server, era, context });
        const tool = TOOLS.find((one) => one.name === name);
        if (tool !== undefined) return await tool.call(input, call);
        const agent = nameAgentTools(await exposed.agents(), TOOL_NAMES).get(name);
        if (agent !== undefined) return await callAgentTool(agent.id, input, call);
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
      });
    } catch (error) {
      if (error instanceof ApiError || error instanceof ServiceUnreachable) {
        return failed(error.message);
      }
      throw error;
    }
  });
  server.setRequestHandler(
    "resources/list",
    () => withService(async (exposed) => ({ resources: await listResources(exposed) })),
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [...RESOURCE_TEMPLATES],
  }));
  server.setRequestHandler(
    "resources/read",
    ({ params }) => withService((exposed) => readResource(exposed, params.uri)),
  );
  return server;
}

function toCall(
  exposed: Exposed,
  { ports, server, era, context }: {
    ports: McpPorts;
    server: Server;
    era: McpRequestContext["era"];
    context: ServerContext;
  },
): Call {
  const { mcpReq: request, http } = context;
  const { signal, _meta: meta = {} } = request;
  const { progressToken: token } = meta;
  const depth = meta["inkling/depth"];
  // The newest protocol sends the capabilities with each request, the older one with the handshake. An empty capability
  // means forms.
  const envelope: Record<string, unknown> = request.envelope ?? {};
  // The package has checked the envelope against the protocol's schema.
  const sent = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const asks = (sent ?? server.getClientCapabilities())?.elicitation;
  let progress = 0;
  return {
    exposed,
    signal,
    restarts: ports.outlivesService ? ports.clock : undefined,
    depth: typeof depth === "number" && Number.isSafeInteger(depth) && depth > 0 ? depth : 0,
    mayAsk: asks !== undefined && (asks.form !== undefined || asks.url === undefined),
    state: request.requestState(),
    responses: request.inputResponses,
    // The end of a connection cancels no run. In the newest protocol over HTTP, however, a client cancels a call by closing
    // its stream.
    isCancelled: () =>
      signal.aborted &&
      (!(signal.reason instanceof SdkError) || (era === "modern" && http !== undefined)),
    ...(token !== undefined && {
      report: async (message: string) => {
        const params = { progressToken: token, progress: ++progress, message };
        await request.notify({ method: "notifications/progress", params });
      },
    }),
  };
}
