// The terms of a model call, which are its settings and its tools. They are stored with each reply, so that a later replay
// can report changes. Equal terms are stored once.
import { sha256Of } from "../../../base/sha256.ts";
import type { Agent } from "../../agents/agent.ts";
import type { ServerOrigin } from "../../agents/guarded_tools.ts";
import type { HistoryLevel } from "../../config/agent_settings.ts";
import type { ToolDescription } from "../../vocabulary/tool_vocabulary.ts";
import type { Tool } from "../../tools/definition/tool.ts";

/** A tool's declaration for the model, with the fields that decide if calls of the tool wait for approval. */
export interface DeclaredTool extends ToolDescription {
  otherNames?: readonly string[];
  /** See ToolDeclaration. */
  replacesBuiltin?: boolean;
  origin?: ServerOrigin;
  /** The maximum length of a result in bytes, see ActionTool. */
  maxResultBytes?: number;
}

/** The settings of a model call. */
export interface CallSettings {
  /** The model as `provider/name`, or an empty string if none is configured. */
  model: string;
  /** The temperature. Null for the provider's default. */
  temperature: number | null;
  maxTokens: number;
  /** The amount of earlier conversation that the run received. */
  history: HistoryLevel;
  /** The agent's entries in `custom_tools`. Their tools are unknown until they are started. */
  customTools: readonly string[];
  mcp: readonly string[];
}

/** The settings and tools of a model call. */
export interface CallTerms {
  settings: CallSettings;
  tools: readonly DeclaredTool[];
}

/** A JSON text with its digest, which is its key in the store. */
export interface DigestedText {
  digest: string;
  body: string;
}

/**
 * The settings and tools of a model call, serialized. The tools are a separate text, so that a changed setting does not
 * store them again.
 */
export interface PackedTerms {
  /** The settings with the digest of the tools. */
  terms: DigestedText;
  tools: DigestedText;
}

/** The settings and tools of the model call that produced a stored message. */
export interface RecordedTerms {
  packed: PackedTerms;
  /** False if an earlier message of the execution has the same settings and tools, so that these are already stored. */
  isNew: boolean;
}

/** Returns the agent's settings for model calls, together with the declarations of these tools. */
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
      const { description, parameters, otherNames, replacesBuiltin, origin } = tool;
      const maxResultBytes = "maxResultBytes" in tool ? tool.maxResultBytes : undefined;
      return [{
        name,
        description,
        parameters,
        ...(otherNames !== undefined && { otherNames }),
        ...(replacesBuiltin !== undefined && { replacesBuiltin }),
        ...(origin !== undefined && { origin }),
        ...(maxResultBytes !== undefined && { maxResultBytes }),
      }];
    }),
  };
}

/** Serializes the settings and tools of a model call for the store. */
export async function packTerms({ settings, tools }: CallTerms): Promise<PackedTerms> {
  const packedTools = await digest(JSON.stringify(tools));
  return {
    terms: await digest(JSON.stringify({ ...settings, tools: packedTools.digest })),
    tools: packedTools,
  };
}

/**
 * Parses the stored settings and tools of a model call. `find` returns the text with a digest. Returns undefined if a text
 * is missing.
 */
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

/**
 * The digests of the newest texts, by text. Most runs of an agent have the same settings and tools, so that their texts
 * repeat.
 */
const digests = new Map<string, string>();
const MAX_DIGESTS = 20;

async function digest(body: string): Promise<DigestedText> {
  const known = digests.get(body);
  if (known !== undefined) return { digest: known, body };
  const found = await sha256Of(body);
  if (digests.size === MAX_DIGESTS) digests.clear();
  digests.set(body, found);
  return { digest: found, body };
}
