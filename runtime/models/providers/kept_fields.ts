// Handles provider-specific fields of messages and tool calls, such as reasoning. They are collected from a stream, stored
// with the reply, and sent back unchanged to the model that wrote them.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { findProvider } from "../../config/providers.ts";
import { type AssistantMessage, THOUGHT, type ToolCall } from "../message.ts";

/**
 * The maximum size of the fields of a reply, in characters. A reply with larger fields keeps none, because a part of a
 * signature is invalid.
 */
const MOST_CHARACTERS = 1_000_000;
/** Matches fields that arrive in pieces, which are joined. Other fields arrive complete, perhaps several times. */
const GROWS = /reason|think|content|text|summary/;

/**
 * Adds the fields of a stream fragment to the collected fields, except those in `known`. Returns the approximate number of
 * added characters.
 */
export function addFields(
  fields: JsonObject,
  fragment: JsonObject,
  known: ReadonlySet<string>,
): number {
  let characters = 0;
  for (const [name, value] of Object.entries(fragment)) {
    if (known.has(name) || name === "__proto__" || value === null || value === "") continue;
    characters += JSON.stringify(value).length;
    fields[name] = merge(name, fields[name], value);
  }
  return characters;
}

function merge(name: string, before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (typeof before === "string" && typeof value === "string" && GROWS.test(name)) {
    return before + value;
  }
  if (isJsonObject(before) && isJsonObject(value)) {
    addFields(before, value, new Set());
    return before;
  }
  if (!Array.isArray(before) || !Array.isArray(value)) return structuredClone(value);
  for (const item of value) {
    const last = before.at(-1);
    const isPiece = isJsonObject(item) && isJsonObject(last) && item.index !== undefined &&
      item.index === last.index && item.type === last.type;
    if (isPiece) addFields(last, item, new Set());
    else before.push(structuredClone(item));
  }
  return before;
}

/**
 * Returns the `providerData` of a reply: its provider-specific fields and those of its tool calls. A reply without tool
 * calls keeps only its thought.
 */
export function keepFields(
  owner: BlockOwner,
  reply: { fields: JsonObject; ofCalls: JsonObject[]; characters: number; thought: string },
): { providerData?: JsonObject } {
  const { ofCalls, characters, thought } = reply;
  const isKept = ofCalls.length > 0 && characters <= MOST_CHARACTERS;
  const fields = {
    ...(isKept ? reply.fields : {}),
    ...(thought !== "" && thought.length <= MOST_CHARACTERS && { [THOUGHT]: thought }),
  };
  const blocks = isKept ? [fields, ...ofCalls] : [fields];
  const isEmpty = blocks.every((block) => Object.keys(block).length === 0);
  return isEmpty ? {} : { providerData: keepBlocks(owner, blocks) };
}

/** The model that may get stored fields back, and the fields that it refuses. */
export interface KeptParts {
  owner: BlockOwner;
  refused: ReadonlySet<string>;
}

/**
 * Returns a reply with tool calls in the format of its model, with the stored fields and the thought. `format` has the
 * differences between formats: the fields of a tool call beside its function, the form of its arguments, and the content of
 * a message without text.
 */
export function restoreCalls(
  message: AssistantMessage,
  { owner, refused }: KeptParts,
  format: {
    call: (call: ToolCall) => JsonObject;
    toArguments: (text: string) => JsonValue;
    empty: "" | null;
  },
): JsonObject {
  const [kept = {}, ...ofCalls] = (keptBlocks(message, owner) ?? [])
    .map((block) => withoutRefused(block, refused));
  const { [THOUGHT]: thought, ...fields } = kept;
  for (const name of refused) {
    const missing = name.startsWith("fill:") ? name.slice("fill:".length) : undefined;
    // A reply of another model lacks this required field. The endpoint treats an empty value as missing, so the value is a
    // space.
    if (missing !== undefined) fields[missing] ??= " ";
  }
  const content = typeof thought === "string"
    ? `<think>${thought}</think>${message.content}`
    : message.content;
  return {
    ...fields,
    role: "assistant",
    content: content === "" ? format.empty : content,
    tool_calls: message.toolCalls.map((call, index) => {
      const { function: ofFunction, ...ofCall } = ofCalls[index] ?? {};
      return {
        ...ofCall,
        ...format.call(call),
        function: {
          ...(isJsonObject(ofFunction) ? ofFunction : {}),
          name: call.name,
          arguments: format.toArguments(call.arguments),
        },
      };
    }),
  };
}

function withoutRefused(block: JsonObject, refused: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(block).filter(([name]) => !refused.has(`field:${name}`)).map(([name, value]) => [
      name,
      name === "function" && isJsonObject(value) ? withoutRefused(value, refused) : value,
    ]),
  );
}

/** Returns the names of the stored fields of messages. An endpoint may refuse them. */
export function keptNames(messages: readonly { providerData?: JsonObject }[]): Set<string> {
  const blocks = messages.flatMap(({ providerData: data }) =>
    findProvider(String(data?.format))?.keepsFields && Array.isArray(data?.blocks)
      ? data.blocks.filter(isJsonObject)
      : []
  );
  // The object `function` of a tool call contains further stored fields.
  return new Set(blocks.flatMap(({ function: ofFunction, ...fields }) => [
    ...Object.keys(fields),
    ...isJsonObject(ofFunction) ? Object.keys(ofFunction) : [],
  ]));
}

/** The format of stored blocks, and the model that wrote them. */
export interface BlockOwner {
  /** The wire format, such as `anthropic` or `google`. */
  format: string;
  /** The provider's name for the model. */
  model: string;
}

/** Returns the `providerData` of a reply with unchanged blocks. */
export function keepBlocks(owner: BlockOwner, blocks: readonly JsonObject[]): JsonObject {
  return { format: owner.format, model: owner.model, blocks: [...blocks] };
}

/** Returns the stored blocks of a message; undefined if it has none, or if another format or model wrote them. */
export function keptBlocks(message: AssistantMessage, owner: BlockOwner): JsonObject[] | undefined {
  const data = message.providerData;
  if (data === undefined || data.format !== owner.format || data.model !== owner.model) {
    return undefined;
  }
  return Array.isArray(data.blocks) ? data.blocks.filter(isJsonObject) : undefined;
}
