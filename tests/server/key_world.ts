// A service over TCP with a real runtime, whose callers have keys of their own.
import type { Role } from "../../runtime/vocabulary/rights.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { serveWorkspace } from "../support/test_service.ts";
import { createTestWorkspace, type TestWorkspace } from "../support/test_workspace.ts";

export interface KeyWorld extends AsyncDisposable {
  place: TestWorkspace;
  runtime: Runtime;
  /** The origin: `http://127.0.0.1:port`. */
  base: string;
  send(path: string, key: string, init?: RequestInit): Promise<Response>;
  /** Sends a request, as POST if it has a body. */
  call(path: string, key: string, init?: RequestInit & { json?: unknown }): Promise<Answer>;
  /** Adds a key and returns its secret. */
  add(
    name: string,
    role?: Role,
    limits?: { agents?: string[] | null; lifeMs?: number | null },
  ): Promise<string>;
  /** Approves the open question of an execution. */
  approve(id: number, key: string, more?: object): Promise<Answer>;
}

interface Answer {
  status: number;
  // deno-lint-ignore no-explicit-any -- tests compare whole bodies
  body: any;
}

/** Starts a service with these lines of config.yaml. `writer` runs these steps and has these lines of front matter. */
export async function openKeyWorld(
  { config = "", agent = "", steps = [{ say: "Done." }] }: {
    config?: string;
    agent?: string;
    steps?: object[];
  } = {},
): Promise<KeyWorld> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await createTestWorkspace());
  if (config !== "") await place.configure(config);
  await place.writeScript("writer", steps, agent);
  const { runtime, origin: base } = opened.use(await serveWorkspace(place));
  const kept = opened.move();
  const send: KeyWorld["send"] = (path, key, init = {}) =>
    fetch(base + path, { ...init, headers: { "x-api-key": key, ...init.headers } });
  const call: KeyWorld["call"] = async (path, key, { json, ...init } = {}) => {
    const response = await send(path, key, {
      ...init,
      ...(json !== undefined && {
        method: "POST",
        body: JSON.stringify(json),
        headers: { "content-type": "application/json" },
      }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    place,
    runtime,
    base,
    send,
    call,
    async add(name, role = "operator", { agents = null, lifeMs = null } = {}) {
      const keys = await runtime.keys();
      return await keys.add({ name, role, agents, lifeMs }, { via: "terminal", name: "owner" });
    },
    async approve(id, key, more = {}) {
      const { requestId } = await runtime.pendingRequest(id);
      const json = { request_id: requestId, response: { approved: true }, ...more };
      return await call(`/executions/${id}/respond`, key, { json });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
