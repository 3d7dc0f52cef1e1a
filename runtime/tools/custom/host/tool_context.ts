// Creates the context that a tool's `run` gets. The worker sends the tool's requests as messages, and replies answer them.
import type { ToolRunContext } from "../custom_tool.ts";
import type { CallFacts, FromWorker, HostReply, ToolRequest } from "../host_messages.ts";

/** The context of a call, with functions that pass replies and an abort to it. */
export interface OpenToolContext {
  context: ToolRunContext;
  /** Settles the tool's request that this reply answers. */
  reply(reply: HostReply): void;
  abort(): void;
}

/** Creates the context of one call. `post` sends a message to the host. */
export function openToolContext(
  surroundings: CallFacts,
  post: (message: FromWorker) => void,
): OpenToolContext {
  const stop = new AbortController();
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let requests = 0;
  const request = (asked: ToolRequest): Promise<unknown> => {
    if (stop.signal.aborted) return Promise.reject(stop.signal.reason);
    const id = ++requests;
    const settled = Promise.withResolvers<unknown>();
    open.set(id, settled);
    post({ type: "request", id, request: asked });
    return settled.promise;
  };
  return {
    context: {
      ...surroundings,
      signal: stop.signal,
      resolvePath: async (text, access = "read") =>
        String(await request({ kind: "path", text: String(text), access })),
      confirm: async (message) =>
        await request({ kind: "confirm", message: String(message) }) === true,
      ask: async (message) => String(await request({ kind: "ask", message: String(message) })),
      choose: async (message, options, { multi = false } = {}) => {
        const chosen = await request({
          kind: "choose",
          message: String(message),
          options: options.map(String),
          multi,
        });
        return Array.isArray(chosen) ? chosen.map(String) : [];
      },
      log: (text) => post({ type: "log", text: String(text) }),
    },
    reply(reply) {
      const settled = open.get(reply.id);
      open.delete(reply.id);
      if ("error" in reply) settled?.reject(new Error(reply.error));
      else settled?.resolve(reply.value);
    },
    abort() {
      stop.abort(new Error("The run was stopped"));
      for (const settled of open.values()) settled.reject(stop.signal.reason);
    },
  };
}
