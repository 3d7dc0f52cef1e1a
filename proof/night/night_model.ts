// The model with an outage of an hour: a local endpoint of OpenAI's format that answers, or is out of service.

/** An endpoint that can be taken out of service. */
export interface NightModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** The number of unanswered requests. */
  readonly open: number;
  isOut: boolean;
}

/** Starts the endpoint in working order. */
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
