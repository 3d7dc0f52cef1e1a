// What a provider wants back verbatim with a reply (signatures of its thinking, for instance), kept in `providerData`
// together with whose it is: another provider, or another model of the same one, would refuse it.
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { AssistantMessage } from "../message.ts";

/** Whose blocks they are. */
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
