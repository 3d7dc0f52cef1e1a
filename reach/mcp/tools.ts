// The tools about all exposed agents: list, run, read and answer.
import type { CallToolResult, InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { orMissing } from "../../api/client/client.ts";
import { explain } from "../../present/why/explain.ts";
import { describeWaiting } from "./question.ts";
import { checkInput, failed, succeeded } from "./results.ts";
import { type Call, runAgent } from "./run.ts";

type Result = CallToolResult | InputRequiredResult;

/** A tool of the server. */
interface FixedTool extends Pick<Tool, "name" | "description"> {
  input: z.ZodObject;
  isReadOnly: boolean;
  call(input: unknown, call: Call): Promise<Result>;
}

function tool<Input extends z.ZodObject>(
  { handle, ...declared }: Omit<FixedTool, "call" | "input"> & {
    input: Input;
    handle(input: z.output<Input>, call: Call): Promise<Result>;
  },
): FixedTool {
  return {
    ...declared,
    async call(given, call) {
      const checked = checkInput(declared.input, given);
      return "isError" in checked ? checked : await handle(checked.value, call);
    },
  };
}

const agent_id = z.string().describe("The id of an agent from list_agents");
const execution_id = z.int().min(1).describe("The number of an execution");
const moment = z.iso.datetime({ offset: true });

/** The tools that are always in the list. */
export const TOOLS: readonly FixedTool[] = [
  tool({
    name: "list_agents",
    description: "List the agents that can be run: id, description, state of the last run",
    input: z.strictObject({}),
    isReadOnly: true,
    async handle(_, { exposed }) {
      const agents = (await exposed.agents()).map((one) => ({
        id: one.id,
        name: one.display_name,
        description: one.description,
        last_run: one.last_run,
        last_status: one.last_status,
        last_execution_id: one.last_execution_id,
      }));
      return toJson({ agents });
    },
  }),
  tool({
    name: "run_agent",
    description:
      "Run an agent and return the end of its execution, or the question for which it waits. " +
      "With wait: false, return at once; get_execution then has the state",
    input: z.strictObject({
      agent_id,
      message: z.string().describe("The message to the agent"),
      wait: z.boolean().default(true).describe("False to return before the end of the run"),
    }),
    isReadOnly: false,
    async handle({ agent_id: agentId, message, wait }, call) {
      if (!wait) {
        const { id } = await call.exposed.agent(agentId);
        const request = { message, depth: call.depth };
        const { execution_id } = await call.exposed.client.run(id, request);
        return toJson({ execution_id, status: "running" });
      }
      const outcome = await runAgent({ agentId, message }, call);
      return "resultType" in outcome ? outcome : await readExecution(outcome.execution.id, call);
    },
  }),
  tool({
    name: "get_execution",
    description: "Return the state, the answer and the cost of an execution, and its open question",
    input: z.strictObject({ execution_id }),
    isReadOnly: true,
    handle: ({ execution_id: id }, call) => readExecution(id, call),
  }),
  tool({
    name: "list_pending",
    description: "List the open questions of the agents, with the way to answer each",
    input: z.strictObject({}),
    isReadOnly: true,
    async handle(_, { exposed }) {
      const questions = await exposed.questions();
      if (questions.length === 0) return succeeded("No execution waits for an answer");
      return succeeded(questions.map(describeWaiting).join("\n\n---\n\n"));
    },
  }),
  tool({
    name: "respond",
    description:
      "Answer the question of an execution, which then goes on: `approved`, `text` or `selected`, as the question asks. " +
      "Approvals of calls and budgets are a person's, unless this service allows them here",
    input: z.strictObject({
      execution_id,
      request_id: z.string().describe("The id of the question"),
      approved: z.boolean().optional(),
      reason: z.string().optional().describe("A remark about the approval or denial"),
      text: z.string().optional(),
      selected: z.array(z.string()).optional(),
    }),
    isReadOnly: false,
    async handle({ execution_id: id, request_id, approved, reason, text, selected }, { exposed }) {
      await exposed.execution(id);
      const response = approved !== undefined
        ? { approved, ...(reason !== undefined && { reason }) }
        : text !== undefined
        ? { text }
        : selected && { selected };
      if (response === undefined) return failed("Give one of approved, text and selected");
      await exposed.client.respond(id, { request_id, response, via: "program" });
      return toJson({ execution_id: id, status: "resuming" });
    },
  }),
  tool({
    name: "recap",
    description:
      "Summarize the agents' executions of a period (default: the last 24 hours): counts, cost, failures, questions, next runs",
    input: z.strictObject({ since: moment.optional(), until: moment.optional() }),
    isReadOnly: true,
    handle: async (span, { exposed }) => toJson(await exposed.recap(span)),
  }),
  tool({
    name: "why",
    description:
      "Explain why an agent ran or did not run, now or at a time, and what to do about it",
    input: z.strictObject({ agent_id, time: moment.optional() }),
    isReadOnly: true,
    async handle({ agent_id, time }, { exposed }) {
      const { id } = await exposed.agent(agent_id);
      const at = time === undefined ? undefined : Date.parse(time);
      return toJson({ ...await explain(exposed.client, id, at) });
    },
  }),
];

/** The names of these tools, which no agent's tool has. */
export const TOOL_NAMES: ReadonlySet<string> = new Set(TOOLS.map(({ name }) => name));

/** Returns the entry of a tool in the list of tools. */
export function describeTool({ name, description, input, isReadOnly }: FixedTool): Tool {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: { ...schema, type: "object" } as Tool["inputSchema"],
    annotations: { readOnlyHint: isReadOnly },
  };
}

function toJson(value: Record<string, unknown>): CallToolResult {
  return { ...succeeded(JSON.stringify(value, null, 2)), structuredContent: value };
}

async function readExecution(id: number, { exposed }: Call): Promise<CallToolResult> {
  const { args: _, asked_redacted: _redacted, output_data, ...execution } = await exposed.execution(
    id,
  );
  const question = execution.status === "waiting"
    ? await orMissing(exposed.client.pending(id))
    : undefined;
  return toJson({
    ...execution,
    output: output_data,
    ...(question && { question, how_to_answer: describeWaiting(question) }),
  });
}
