// Starts a web server on this machine, and calls http_request like an agent.
import type { HttpRequestOptions } from "../../../../runtime/tools/builtin/http_request.ts";
import { createHttpRequest } from "../../../../runtime/tools/builtin/http_request.ts";
import type { HttpPolicy } from "../../../../runtime/tools/http/http_policy.ts";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import type { ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import { call, failureOf, testContext } from "../files/sandbox_fixture.ts";

/** A running web server that records the requested addresses. */
export interface Site extends AsyncDisposable {
  port: number;
  origin: string;
  seen: string[];
}

/** Starts a web server with this handler. */
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

/** A policy that refuses only the addresses that are always refused. */
export const OPEN_POLICY: HttpPolicy = { allow: [], deny: [], ownPorts: () => [] };

/** A sandbox without files, because http_request reads none. */
const NO_FILES = new PathSandbox({
  workspace: "/nonexistent",
  agentsDir: null,
  configDir: "/nonexistent",
  stateDir: "/nonexistent",
  paths: [],
  home: "/nonexistent",
});

/** Returns a context for calls of http_request. */
export const webContext = (options: Parameters<typeof testContext>[1] = {}): ToolContext =>
  testContext(NO_FILES, options);

export interface Setting {
  policy?: Partial<HttpPolicy>;
  options?: HttpRequestOptions;
}

/** Calls http_request and returns its result for the model. */
export async function ask(args: Record<string, unknown>, setting: Setting = {}): Promise<string> {
  const tool = createHttpRequest({ ...OPEN_POLICY, ...setting.policy }, setting.options);
  return await call(tool, args, webContext());
}

/** Calls http_request and returns the message of its failure. */
export const refusal = (args: Record<string, unknown>, setting: Setting = {}): Promise<string> =>
  failureOf(ask(args, setting));
