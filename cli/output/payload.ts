// Reading the payload of a frame, which is JSON from elsewhere: what is missing or of another kind counts as absent.
import { isJsonObject } from "../../base/json.ts";

/** The payload of a frame, as the wire has it. */
export type FramePayload = Readonly<Record<string, unknown>>;

/** A text; empty where there is none. */
export function textOf(payload: FramePayload, name: string): string {
  const value = payload[name];
  return typeof value === "string" ? value : "";
}

/** A number, if there is one. */
export function numberOf(payload: FramePayload, name: string): number | undefined {
  const value = payload[name];
  return typeof value === "number" ? value : undefined;
}

/** The objects in an array; none where there is no array. */
export function objectsOf(payload: FramePayload, name: string): FramePayload[] {
  const value = payload[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The object that a JSON text holds, if it does. */
export function parseObject(text: string): FramePayload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // No JSON: no object either.
    return undefined;
  }
}
