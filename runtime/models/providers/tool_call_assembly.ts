// Assembles tool calls from the fragments of an OpenAI-style stream. Endpoints may omit the index or the id, repeat the name,
// or send an object instead of text.
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";
import type { ToolCall } from "../message.ts";
import { refusal } from "../model.ts";
import { addFields } from "./kept_fields.ts";

/** The maximum number of calls in one reply. */
const MOST_CALLS = 1_000;

/** Throws ModelError if a reply has more calls than the maximum. */
export function checkCallCount(count: number): void {
  if (count <= MOST_CALLS) return;
  throw refusal(`The model asked for more than ${MOST_CALLS} tool calls in one reply`);
}

interface PartialCall {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** The provider-specific fields of the call. */
  fields: JsonObject;
}

const CALL_FIELDS = new Set(["id", "index", "type", "function"]);
const FUNCTION_FIELDS = new Set(["name", "arguments", "index"]);

/** Assembles the tool calls of one reply. */
export class ToolCallAssembler {
  #calls: PartialCall[] = [];
  #characters = 0;

  /** Adds one element of the `tool_calls` in a chunk. Ignores a value that is not an object. */
  add(fragment: unknown): void {
    if (!isJsonObject(fragment)) return;
    const called = isJsonObject(fragment.function) ? fragment.function : {};
    const part: PartialCall = {
      index: typeof fragment.index === "number" ? fragment.index : undefined,
      id: typeof fragment.id === "string" ? fragment.id : "",
      name: typeof called.name === "string" ? called.name : "",
      arguments: argumentsText(called.arguments),
      fields: {},
    };
    const call = this.#find(part);
    this.#addFields((call ?? part).fields, { fragment, called });
    if (call === undefined) {
      checkCallCount(this.#calls.length + 1);
      this.#calls.push(part);
      return;
    }
    if (call.id === "") call.id = part.id;
    // Some endpoints repeat the whole name in every fragment, others send it in pieces.
    if (part.name !== call.name) call.name += part.name;
    call.arguments += part.arguments;
  }

  /** Returns the calls in the order in which they began, each with a unique id. */
  finish(): ToolCall[] {
    const seen = new Set<string>();
    return this.#whole()
      .map((call) => {
        const id = call.id === "" || seen.has(call.id) ? inventCallId() : call.id;
        seen.add(id);
        return {
          id,
          name: call.name,
          arguments: call.arguments.trim() === "" ? "{}" : call.arguments,
        };
      });
  }

  /** Returns the provider-specific fields of each call, and the approximate number of characters of all fields. */
  kept(): { ofCalls: JsonObject[]; characters: number } {
    return { ofCalls: this.#whole().map(({ fields }) => fields), characters: this.#characters };
  }

  #whole(): PartialCall[] {
    return this.#calls.filter((call) => call.name !== "" || call.arguments !== "");
  }

  #addFields(
    fields: JsonObject,
    { fragment, called }: { fragment: JsonObject; called: JsonObject },
  ): void {
    const ofFunction = isJsonObject(fields.function) ? fields.function : {};
    this.#characters += addFields(fields, fragment, CALL_FIELDS) +
      addFields(ofFunction, called, FUNCTION_FIELDS);
    if (Object.keys(ofFunction).length > 0) fields.function = ofFunction;
  }

  /** Returns the call that a fragment continues, or undefined if it begins a new call. */
  #find(part: PartialCall): PartialCall | undefined {
    const candidate = part.index === undefined
      ? this.#calls.findLast((call) => part.id === "" || call.id === part.id)
      : this.#calls.findLast((call) => call.index === part.index);
    if (candidate === undefined) return undefined;
    if (part.name === "") return candidate;
    // A fragment with another id belongs to another call, even if all calls have index 0.
    if (part.id !== "" && candidate.id !== "" && part.id !== candidate.id) return undefined;
    // Without ids, a name that follows complete arguments begins the next call.
    const sameId = part.id !== "" && part.id === candidate.id;
    if (!sameId && candidate.arguments !== "" && isWholeJson(candidate.arguments)) return undefined;
    return candidate;
  }
}

/** Returns a new id, for a call to which the provider gave none. */
export function inventCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "")}`;
}

function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
