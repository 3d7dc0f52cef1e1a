// Sets up the API conformance tests: a real runtime in a new workspace, over TCP, and also over the Unix socket if the
// transport matters.
import { type Client, openSocketClient, type StreamFrame } from "../../../api/client/client.ts";
import { openHttpClient } from "../../../api/client/http_client.ts";
import type { ExecutionDetail } from "../../../api/schemas/execution_schemas.ts";
import { serve, type Service } from "../../../server/mod.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { createTcpClient } from "../../support/machine/tcp_client.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

export const API_KEY = "conformance-key";

export type Transport = "unix" | "tcp";

export interface Answer {
  status: number;
  // deno-lint-ignore no-explicit-any -- tests compare whole bodies
  body: any;
  text: string;
  headers: Headers;
}

/** A service that listens on both transports, and the client of the tested transport. */
export interface Reached {
  transport: Transport;
  workspace: TestWorkspace;
  runtime: Runtime;
  service: Service;
  client: Client;
  /** The client of the other transport. */
  otherClient: Client;
  /** Sends one request unchanged. `json` is sent as a JSON body. Over TCP the request contains the key. */
  call(path: string, init?: RequestInit & { json?: unknown }): Promise<Answer>;
  /** Runs an agent and waits until the execution ends. */
  runToEnd(agentId: string, body?: Parameters<Client["run"]>[1]): Promise<ExecutionDetail>;
  /** Returns all frames of an execution's stream. */
  framesOf(id: number): Promise<StreamFrame[]>;
  /** Closes the service and the runtime, and opens both over the same workspace. */
  restart(): Promise<void>;
}

/** Calls `use` with a workspace and a service on both transports, and closes everything afterwards. */
export async function withService(
  transport: Transport,
  use: (reached: Reached) => Promise<void>,
): Promise<void> {
  await using workspace = await createTestWorkspace();
  await workspace.writeScript("writer", [{ say: "Done." }], "name: The Writer");
  let runtime = await workspace.open();
  const tcp = { port: 0, apiKey: API_KEY };
  let service = await serve(runtime, { tcp });
  let clients = openClients(runtime, service);
  const close = async () => {
    clients.http.close();
    clients.unix[Symbol.dispose]();
    await service.shutdown("requested");
    await runtime[Symbol.asyncDispose]();
  };
  const reached: Reached = {
    transport,
    workspace,
    get runtime() {
      return runtime;
    },
    get service() {
      return service;
    },
    get client() {
      return clients[transport];
    },
    get otherClient() {
      return transport === "unix" ? clients.tcp : clients.unix;
    },
    async call(path, { json, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (json !== undefined) headers.set("content-type", "application/json");
      if (transport === "tcp") headers.set("x-api-key", API_KEY);
      const base = transport === "tcp"
        ? `http://127.0.0.1:${service.ports[0]}`
        : "http://localhost";
      const response = await fetch(base + path, {
        ...init,
        headers,
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(transport === "unix" && { client: clients.http }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return {
        status: response.status,
        body: isJson ? JSON.parse(text) : undefined,
        text,
        headers: response.headers,
      };
    },
    async runToEnd(agentId, body = {}) {
      const { execution_id } = await clients[transport].run(agentId, body);
      await Array.fromAsync(clients[transport].follow(execution_id));
      return await clients[transport].execution(execution_id);
    },
    framesOf: (id) => Array.fromAsync(clients[transport].follow(id)),
    async restart() {
      await close();
      runtime = await workspace.open();
      service = await serve(runtime, { tcp });
      clients = openClients(runtime, service);
    },
  };
  try {
    await use(reached);
  } finally {
    await close();
  }
}

function openClients(
  runtime: Runtime,
  service: Service,
): { unix: Client; tcp: Client; http: Deno.HttpClient } {
  const path = runtime.directories.socketFile;
  return {
    unix: openSocketClient(path),
    tcp: createTcpClient({ host: "127.0.0.1", port: service.ports[0] ?? 0, apiKey: API_KEY }),
    http: openHttpClient(path),
  };
}

/** Registers a test over TCP. */
export function overTcp(name: string, use: (reached: Reached) => Promise<void>): void {
  Deno.test(`over tcp: ${name}`, () => withService("tcp", use));
}

/** Registers a test for each transport. */
export function overBoth(name: string, use: (reached: Reached) => Promise<void>): void {
  overTcp(name, use);
  Deno.test(`over unix: ${name}`, () => withService("unix", use));
}

/** Matches a time in ISO 8601 with milliseconds, in UTC with `Z`. */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
