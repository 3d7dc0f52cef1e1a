// Serves the endpoint of a model in OpenAI's format, which can be switched to an outage.

/** A model endpoint that answers every request with 503 while `isOut` is true. */
export interface NightModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** The number of requests that have no response yet. */
  readonly open: number;
  isOut: boolean;
}

/** Starts the endpoint without an outage. */
export function openNightModel(): NightModel {
  let open = 0;
  const answer = (): Response => {
    if (model.isOut) return Response.json({ error: { message: "outage" } }, { status: 503 });
    const choice = { index: 0, delta: { content: "All is well." }, finish_reason: "stop" };
    const body = `data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`;
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (_request, { completed }) => {
      open++;
      void completed.catch(() => {}).finally(() => open--);
      return answer();
    },
  );
  const model: NightModel = {
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    get open() {
      return open;
    },
    isOut: false,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return model;
}
