// An agent whose reply stops in its middle until a test lets the rest follow.
import type { DashboardWorld } from "./dashboard_world.ts";

/** A slow agent. Disposing it ends its model. */
export interface SlowAgent extends AsyncDisposable {
  /** Lets the model send the rest of the reply. */
  finish(): void;
}

/**
 * Adds an agent with a slow model. Its reply consists of `halves`; the second half follows after `finish`. `lines` are
 * further front matter.
 */
export async function addSlowAgent(
  { workspace, runtime }: DashboardWorld,
  halves: readonly [string, string],
  { id = "teller", lines = "name: The Teller" }: { id?: string; lines?: string } = {},
): Promise<SlowAgent> {
  const gate = Promise.withResolvers<void>();
  const chunk = (content: string, finish_reason: string | null) => {
    const choices = [{ index: 0, delta: { content }, finish_reason }];
    return new TextEncoder().encode(`data: ${JSON.stringify({ choices })}\n\n`);
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(chunk(halves[0], null));
        await gate.promise;
        controller.enqueue(chunk(halves[1], "stop"));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const model =
    `{ provider: local, name: slow, base_url: "http://127.0.0.1:${server.addr.port}/v1" }`;
  await workspace.writeAgent(id, `---\nmodel: ${model}\n${lines}\n---\nTell a story.`);
  await runtime().reloadAgents();
  return {
    finish: () => gate.resolve(),
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await server.shutdown();
    },
  };
}
