// The resources of the server: the executions of the exposed agents, and a report of each as text.
import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail, LogRow } from "../../api/schemas/execution_schemas.ts";
import { callsOf, parseObject, textOf } from "../../present/payload.ts";
import type { Exposed } from "../exposed.ts";

const JSON_TYPE = "application/json";
const REPORT_TYPE = "text/markdown";
const MOST_LISTED = 50;

/** The addresses of the resources. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "inkling://executions/{id}",
    name: "execution",
    description: "The state, the answer and the cost of an execution",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "inkling://executions/{id}/report",
    name: "report",
    description: "The steps of an execution as text: messages, calls, results and the answer",
    mimeType: REPORT_TYPE,
  },
] as const;

/** Returns the resources of the newest executions. */
export async function listResources(exposed: Exposed): Promise<Resource[]> {
  return (await exposed.executions({ limit: MOST_LISTED })).flatMap(
    ({ id, agent_id, status, started_at }) => {
      const uri = `inkling://executions/${id}`;
      const title = `${agent_id}, execution ${id}`;
      const description = `${status}, started ${started_at}`;
      return [
        { uri, name: `execution-${id}`, title, description, mimeType: JSON_TYPE },
        {
          uri: `${uri}/report`,
          name: `report-${id}`,
          title: `Report: ${title}`,
          description,
          mimeType: REPORT_TYPE,
        },
      ];
    },
  );
}

/** Returns the text of a resource. Throws ResourceNotFoundError, also for an execution of another agent. */
export async function readResource(exposed: Exposed, uri: string): Promise<ReadResourceResult> {
  const [, digits, report] = /^inkling:\/\/executions\/([1-9]\d{0,14})(\/report)?$/.exec(uri) ?? [];
  const execution = digits && await orMissing(exposed.execution(Number(digits)));
  if (!execution) throw new ResourceNotFoundError(uri);
  const [mimeType, text] = report === undefined
    ? [JSON_TYPE, JSON.stringify(execution, null, 2)]
    : [REPORT_TYPE, writeReport(execution, await exposed.client.messages(execution.id))];
  return { contents: [{ uri, mimeType, text }] };
}

function writeReport(execution: ExecutionDetail, rows: readonly LogRow[]): string {
  const { id, agent_id, status, started_at, model, cost_usd, error } = execution;
  const head = [
    `# ${agent_id}, execution ${id}`,
    `Started ${started_at}, ${status}${error === null ? "" : `: ${error}`}. Model: ${
      model || "none"
    }.` +
    (cost_usd === null ? "" : ` Cost: $${cost_usd}.`),
  ];
  return [...head, ...rows.flatMap(writeStep)].join("\n\n") + "\n";
}

/** Returns the paragraphs of a step, or none for an entry that repeats another or only counts tokens. */
function writeStep({ event_type: type, message, metadata }: LogRow): string[] {
  const fields = parseObject(metadata ?? "{}") ?? {};
  const content = textOf(fields, "content") || message;
  switch (type) {
    case "human":
      return [`## User`, content];
    case "tool_call": {
      const calls = callsOf(fields).map(({ name, args }) => `- ${name} ${args}`).join("\n");
      return ["## Calls", ...(textOf(fields, "content") === "" ? [] : [content]), calls];
    }
    case "tool_result":
      return [`## Result of ${textOf(fields, "tool_name")}`, content];
    case "interrupt":
      return ["## Question", content];
    case "meta":
      return [`> ${content.replaceAll("\n", "\n> ")}`];
    case "final_answer":
      return ["## Answer", content];
    default:
      return [];
  }
}
