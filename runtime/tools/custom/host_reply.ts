// Reads what a host process says. It is our own program, but a tool lives in it: the shape is checked once more.
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

/** The message in a line that bore the mark. Throws when it is not one: then a tool disturbed the host. */
export function parseHostMessage(line: string): FromHost {
  return fromHost.parse(JSON.parse(line));
}
