// A web server on this machine, and http_request as an agent calls it.
import type { HttpRequestOptions } from "../../../../runtime/tools/builtin/http_request.ts";
import { createHttpRequest } from "../../../../runtime/tools/builtin/http_request.ts";
import type { HttpPolicy } from "../../../../runtime/tools/http/http_policy.ts";
import { call, failureOf, SandboxFixture, testContext } from "../files/sandbox_fixture.ts";

/** A running web server, and the addresses that were requested. */
export interface Site extends AsyncDisposable {
  port: number;
  origin: string;
  seen: string[];
}

/** Starts a web server. */
export function serve(
  handler: (request: Request) => Response | Promise<Response> = () => new Response("it answers"),
  hostname = "127.0.0.1",
): Site {
  const seen: string[] = [];
  const server = Deno.serve({ port: 0, hostname, onListen() {} }, (request) => {
    seen.push(request.url);
    return handler(request);
  });
  const { port } = server.addr;
  const origin = `http://${hostname}:${port}`;
  return { port, origin, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A policy that closes nothing more than what is always closed. */
export const OPEN_POLICY: HttpPolicy = { allow: [], deny: [], ownPorts: () => [] };

export interface Setting {
  policy?: Partial<HttpPolicy>;
  options?: HttpRequestOptions;
}

/** Calls http_request. Returns what the model reads. */
export async function ask(args: Record<string, unknown>, setting: Setting = {}): Promise<string> {
  await using fixture = await SandboxFixture.open();
  const tool = createHttpRequest({ ...OPEN_POLICY, ...setting.policy }, setting.options);
  return await call(tool, args, testContext(fixture.sandbox()));
}

/** Calls http_request. Returns why it fails. */
export const refusal = (args: Record<string, unknown>, setting: Setting = {}): Promise<string> =>
  failureOf(ask(args, setting));
