// Parses the messages of a host process. Their structure is checked, because a tool in that process may have changed them.
import { z } from "zod";
import type { FromHost } from "./host_messages.ts";

const request = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("path"), text: z.string(), access: z.enum(["read", "write"]) }),
  z.object({ kind: z.literal("confirm"), message: z.string() }),
  z.object({ kind: z.literal("ask"), message: z.string() }),
  z.object({
    kind: z.literal("choose"),
    message: z.string(),
    options: z.array(z.string()),
    multi: z.boolean(),
  }),
]);

const fromHost = z.discriminatedUnion("type", [
  z.object({ type: z.literal("pong") }),
  z.object({ type: z.literal("started") }),
  z.object({ type: z.literal("described"), tools: z.string() }),
  z.object({ type: z.literal("done"), result: z.string() }),
  z.object({
    type: z.literal("failed"),
    message: z.string(),
    stack: z.string(),
    place: z.string().exactOptional(),
  }),
  z.object({ type: z.literal("ending"), message: z.string() }),
  z.object({ type: z.literal("log"), text: z.string() }),
  z.object({ type: z.literal("request"), id: z.int(), request }),
]);

/** Parses a line that begins with the prefix of messages, without the prefix. Throws if the line is not a message. */
export function parseHostMessage(line: string): FromHost {
  return fromHost.parse(JSON.parse(line));
}
