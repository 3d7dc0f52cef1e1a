// The message of a reply at its end, for the formats whose messages have fields that only their provider understands.
import type { JsonObject } from "../../../base/json.ts";
import type { AssistantMessage } from "../message.ts";
import { keepFields } from "./kept_fields.ts";
import type { BlockOwner } from "./provider_blocks.ts";
import type { ThinkTag } from "./think_tag.ts";
import type { ToolCallAssembly } from "./tool_call_assembly.ts";

/** Returns the message of a reply that has ended. `characters`: of `fields`; `isCut`: the reply broke off at its limit. */
export function toReplyMessage(owner: BlockOwner, reply: {
  text: string;
  think: ThinkTag;
  calls: ToolCallAssembly;
  fields: JsonObject;
  characters: number;
  isCut: boolean;
}): AssistantMessage {
  const { think, calls, fields, isCut } = reply;
  const content = reply.text + think.finish({ isCut });
  const { ofCalls, characters } = calls.kept();
  return {
    role: "assistant",
    content,
    toolCalls: calls.finish(),
    ...keepFields(owner, {
      fields,
      ofCalls,
      characters: characters + reply.characters,
      thought: think.thought,
    }),
  };
}
