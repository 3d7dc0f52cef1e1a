// Opens the OpenAI-compatible endpoint at /v1 over the API of the same service. Loaded at the first request.
import { MAX_BYTES, OpenAiEndpoint } from "../../reach/openai/endpoint.ts";
import {
  type InProcessRequest,
  inProcessTransport,
} from "../../api/client/in_process_transport.ts";
import { readJsonBody } from "../../api/operations/request_body.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";

/** Returns the function that answers requests. `request` calls the API, in which the caller is a program. */
export function openProtocol(
  { clock, log }: Pick<Runtime, "clock" | "log">,
  request: InProcessRequest,
): (request: Request) => Promise<Response> {
  const endpoint = new OpenAiEndpoint({
    ...inProcessTransport(request),
    clock,
    readBody: (request) => readJsonBody(request, { clock, maxBytes: MAX_BYTES }),
    onBug: (error) => log.write("error", "A request below /v1 failed unexpectedly", { error }),
  });
  return (incoming) => endpoint.respond(incoming);
}
