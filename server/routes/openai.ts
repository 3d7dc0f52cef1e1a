// Opens the OpenAI-compatible endpoint at /v1 over the API of the same service. Loaded at the first request.
import { MAX_BYTES, OpenAiEndpoint } from "../../reach/openai/endpoint.ts";
import type { Transport } from "../../api/client/client.ts";
import { readJsonBody } from "../../api/operations/request_body.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";

/** Returns the function that answers requests. `fetch` sends a request to the API, in which the caller is a program. */
export function openProtocol(
  { clock, log }: Pick<Runtime, "clock" | "log">,
  fetch: Transport,
): (request: Request) => Promise<Response> {
  const endpoint = new OpenAiEndpoint({
    fetch,
    clock,
    readBody: (request) => readJsonBody(request, { clock, maxBytes: MAX_BYTES }),
    onBug: (error) => log.write("error", "A request below /v1 failed unexpectedly", { error }),
  });
  return (request) => endpoint.respond(request);
}
