// The message of a reply as it grows, for the formats whose messages have fields that only their provider understands.
import type { JsonObject } from "../../../base/json.ts";
import type { AssistantMessage } from "../message.ts";
import { addFields, keepFields } from "./kept_fields.ts";
import type { BlockOwner } from "./provider_blocks.ts";
import { ThinkTag } from "./think_tag.ts";
import { ToolCallAssembly } from "./tool_call_assembly.ts";

/** The message of one reply. */
export class ReplyMessage {
  readonly calls = new ToolCallAssembly();
  readonly #owner: BlockOwner;
  readonly #known: ReadonlySet<string>;
  readonly #think = new ThinkTag();
  readonly #fields: JsonObject = {};
  #characters = 0;
  #text = "";

  /** `known`: the fields of a message that are not kept. */
  constructor(owner: BlockOwner, known: ReadonlySet<string>) {
    this.#owner = owner;
    this.#known = known;
  }

  /** Adds a part of the message; returns the part of the answer's text that it has. `behind` is no content of its own. */
  add(part: JsonObject, content: string, behind = ""): string {
    this.#characters += addFields(this.#fields, part, this.#known);
    const text = this.#think.push(content) + behind;
    this.#text += text;
    return text;
  }

  /** The message at the end of the reply. `isCut`: it broke off at its limit. */
  finish({ isCut }: { isCut: boolean }): AssistantMessage {
    const content = this.#text + this.#think.finish({ isCut });
    const { ofCalls, characters } = this.calls.kept();
    const { thought } = this.#think;
    const kept = {
      fields: this.#fields,
      ofCalls,
      characters: characters + this.#characters,
      thought,
    };
    return {
      role: "assistant",
      content,
      toolCalls: this.calls.finish(),
      ...keepFields(this.#owner, kept),
    };
  }
}
