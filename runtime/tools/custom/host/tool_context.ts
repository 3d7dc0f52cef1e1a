// Creates the context that a tool's `run` gets. The worker sends the tool's requests as messages, and replies answer them.
import type { ToolRunContext } from "../custom_tool.ts";
import type { CallFacts, FromWorker, HostReply, ToolRequest } from "../host_messages.ts";

/** Creates the context of one call, with functions for replies and an abort. `post` sends a message to the host. */
export function openToolContext(
  surroundings: CallFacts,
  post: (message: FromWorker) => void,
): { context: ToolRunContext; reply(reply: HostReply): void; abort(): void } {
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
  const ask = (kind: "confirm" | "input", message: string) =>
    request({ kind, message: String(message), options: null, multi: false });
  const context: ToolRunContext = {
    ...surroundings,
    signal: stop.signal,
    resolvePath: async (text, access = "read") =>
      String(await request({ kind: "path", text: String(text), access })),
    confirm: async (message) => await ask("confirm", message) === true,
    ask: async (message) => String(await ask("input", message)),
    choose: async (message, options, { multi = false } = {}) => {
      const choice = { message: String(message), options: options.map(String), multi };
      const chosen = await request({ kind: "choice", ...choice });
      return Array.isArray(chosen) ? chosen.map(String) : [];
    },
    log: (text) => post({ type: "log", text: String(text) }),
  };
  return {
    context,
    /** Settles the tool's request that this reply answers. */
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
