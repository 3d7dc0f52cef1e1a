// Fields that a provider puts on its messages and calls and that only it understands, its reasoning for instance: collected
// from a stream, kept with the reply, and sent back as they came to the model that they are from.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AssistantMessage, ToolCall } from "../message.ts";

/** A reply with more of them keeps none: half a signature is worse than none. */
const MOST_CHARACTERS = 1_000_000;
/** The name under which the text of a `<think>` tag is kept. */
const THINK = "<think>";
/** Fields that come piece by piece; others come whole, perhaps several times. */
const GROWS = /reason|think|content|text|summary/;

/** Adds the fields of a fragment but for those in `known`. Returns about how many characters they have. */
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

/** The `providerData` that keeps the fields of a reply and of its calls; a reply without calls keeps its thought alone. */
export function keepFields(
  owner: BlockOwner,
  reply: { fields: JsonObject; ofCalls: JsonObject[]; characters: number; thought: string },
): { providerData?: JsonObject } {
  const { ofCalls, characters, thought } = reply;
  const isKept = ofCalls.length > 0 && characters <= MOST_CHARACTERS;
  const fields = {
    ...(isKept ? reply.fields : {}),
    ...(thought !== "" && thought.length <= MOST_CHARACTERS && { [THINK]: thought }),
  };
  const blocks = isKept ? [fields, ...ofCalls] : [fields];
  const isEmpty = blocks.every((block) => Object.keys(block).length === 0);
  return isEmpty ? {} : { providerData: keepBlocks(owner, blocks) };
}

/** The owner of kept fields, and the fields that it refuses. */
export interface KeptParts {
  owner: BlockOwner;
  refused: ReadonlySet<string>;
}

/** The form of calls in a format: the fields beside the function, the arguments, and a content without text. */
export interface CallFormat {
  call: (call: ToolCall) => JsonObject;
  toArguments: (text: string) => JsonValue;
  empty: "" | null;
}

/** A reply with calls as it goes back to its model: the fields beside the known ones, and the text with its thought. */
export function restoreCalls(
  message: AssistantMessage,
  { owner, refused }: KeptParts,
  format: CallFormat,
): JsonObject {
  const [kept = {}, ...ofCalls] = (keptBlocks(message, owner) ?? [])
    .map((block) => withoutRefused(block, refused));
  const { [THINK]: thought, ...fields } = kept;
  for (const name of refused) {
    const missing = name.startsWith("fill:") ? name.slice("fill:".length) : undefined;
    // Another model's reply has none, and an empty one counts as none.
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

/** The names of the fields that messages keep: what an endpoint may refuse of them. */
export function keptNames(messages: readonly { providerData?: JsonObject }[]): Set<string> {
  const blocks = messages.flatMap(({ providerData: data }) =>
    (data?.format === "openai" || data?.format === "ollama") && Array.isArray(data.blocks)
      ? data.blocks.filter(isJsonObject)
      : []
  );
  // Below `function` stand fields of a call's own.
  return new Set(blocks.flatMap(({ function: ofFunction, ...fields }) => [
    ...Object.keys(fields),
    ...isJsonObject(ofFunction) ? Object.keys(ofFunction) : [],
  ]));
}

/** The format and the model that the blocks belong to. */
export interface BlockOwner {
  /** The wire format: `anthropic`, `google`. */
  format: string;
  /** The model as the provider names it. */
  model: string;
}

/** `providerData` that keeps a reply's blocks as the provider sent them. */
export function keepBlocks(owner: BlockOwner, blocks: readonly JsonObject[]): JsonObject {
  return { format: owner.format, model: owner.model, blocks: [...blocks] };
}

/** The blocks that a message keeps for this owner; undefined when it has none, or somebody else's. */
export function keptBlocks(message: AssistantMessage, owner: BlockOwner): JsonObject[] | undefined {
  const data = message.providerData;
  if (data === undefined || data.format !== owner.format || data.model !== owner.model) {
    return undefined;
  }
  return Array.isArray(data.blocks) ? data.blocks.filter(isJsonObject) : undefined;
}
