// What a model call sends besides its messages, and what decides on them: kept with each reply, so that a later replay can tell
// what has changed since. The same terms are stored once, however many calls have them.
import { sha256Of } from "../../../base/sha256.ts";
import type { Agent } from "../../agents/agent.ts";
import type { ServerOrigin } from "../../agents/guarded_tools.ts";
import type { HistoryLevel } from "../../config/agent_settings.ts";
import type { ToolDescription } from "../../tool_vocabulary.ts";
import type { Tool } from "../../tools/tool.ts";

/** A tool as the model was told of it, with what decides whether a call of it is guarded. */
export interface DeclaredTool extends ToolDescription {
  otherNames?: readonly string[];
  origin?: ServerOrigin;
  /** See ActionTool. */
  maxResultBytes?: number;
}

/** What holds for all calls but for their messages and tools. */
export interface CallSettings {
  /** `provider/name`; empty where none is configured. */
  model: string;
  /** Null leaves it to the provider. */
  temperature: number | null;
  maxTokens: number;
  /** How much of earlier conversations the run was sent. */
  history: HistoryLevel;
  /** What the agent named: their tools cannot be known without starting them. */
  customTools: readonly string[];
  mcp: readonly string[];
}

/** The terms of a model call. */
export interface CallTerms {
  settings: CallSettings;
  tools: readonly DeclaredTool[];
}

/** JSON text and what it is stored under. */
export interface DigestedText {
  digest: string;
  body: string;
}

/** Terms as they are stored: the tools by themselves, so that another setting does not copy them. */
export interface PackedTerms {
  /** The settings, and the digest of the tools. */
  terms: DigestedText;
  tools: DigestedText;
}

/** The terms of an agent's calls with these tools. */
export function toCallTerms(
  agent: Agent,
  toolbox: { names(): string[]; get(name: string): Tool | undefined },
): CallTerms {
  const { model, settings: { temperature, maxTokens }, history, customTools, mcp } = agent;
  return {
    settings: {
      model: model === undefined ? "" : `${model.provider}/${model.name}`,
      temperature: temperature ?? null,
      maxTokens,
      history,
      customTools,
      mcp,
    },
    tools: toolbox.names().flatMap((name): DeclaredTool[] => {
      const tool = toolbox.get(name);
      if (tool === undefined) return [];
      const { description, parameters, otherNames, origin } = tool;
      const maxResultBytes = "maxResultBytes" in tool ? tool.maxResultBytes : undefined;
      return [{
        name,
        description,
        parameters,
        ...(otherNames !== undefined && { otherNames }),
        ...(origin !== undefined && { origin }),
        ...(maxResultBytes !== undefined && { maxResultBytes }),
      }];
    }),
  };
}

/** Terms made ready to be stored. */
export async function packTerms({ settings, tools }: CallTerms): Promise<PackedTerms> {
  const packedTools = await digest(JSON.stringify(tools));
  return {
    terms: await digest(JSON.stringify({ ...settings, tools: packedTools.digest })),
    tools: packedTools,
  };
}

/** Terms as they were; `find` gives the text that is stored under a digest. Undefined where a part of them is gone. */
export function unpackTerms(
  termsDigest: string,
  find: (digest: string) => string | undefined,
): CallTerms | undefined {
  const body = find(termsDigest);
  if (body === undefined) return undefined;
  const { tools: toolsDigest, ...settings } = JSON.parse(body) as CallSettings & { tools: string };
  const tools = find(toolsDigest);
  return tools === undefined ? undefined : { settings, tools: JSON.parse(tools) as DeclaredTool[] };
}

async function digest(body: string): Promise<DigestedText> {
  return { digest: await sha256Of(body), body };
}
