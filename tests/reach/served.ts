// A service on a TCP port over a real runtime, with the real `openai` package as its client.
import OpenAI, { type ClientOptions } from "openai";
import type { JsonObject } from "../../base/json.ts";
import { OpenAiServer, type OpenAiStep } from "../support/models/openai_server.ts";
import { KEY, type ServedWorkspace, serveWorkspace } from "../support/test_service.ts";
import { createTestWorkspace } from "../support/test_workspace.ts";

/** A service, its clients, and the endpoint of its agent `talk`, which is exposed. */
export interface Served extends ServedWorkspace {
  model: OpenAiServer;
  openai: OpenAI;
  /** Writes an exposed agent that plays a script. */
  script(id: string, steps: unknown[], lines?: string): Promise<void>;
  /** Returns another client of the `openai` package. */
  connect(options: ClientOptions): OpenAI;
  /** Sends a request with the key. */
  send(path: string, init?: RequestInit & { json?: unknown }): Promise<Response>;
  /** Returns the messages of the model's request `index`, without the system message. */
  sent(index: number): [role: string, content: unknown][];
}

/** Starts the service. `judge` returns the answer of the model, or undefined for `Answer n`. */
export async function served(
  judge: (body: JsonObject) => OpenAiStep | undefined = () => undefined,
  config = "",
): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await createTestWorkspace());
  await place.configure(config);
  let count = 0;
  const model = stack.use(
    new OpenAiServer([], (body) => judge(body) ?? { text: [`Answer `, `${++count}`] }),
  );
  await place.writeAgent(
    "talk",
    `---\nname: Talk\ndescription: Talks.\nexpose: true\n` +
      `model: { provider: local, name: m, base_url: "${model.url}", input: [text, image] }\n` +
      `auto_approve: "*"\n---\nTalk.\n`,
  );
  await place.writeScript("hidden", [{ say: "Secret." }]);
  const service = stack.use(await serveWorkspace(place));
  const { origin, client } = service;
  const connect = (options: ClientOptions) =>
    new OpenAI({ apiKey: KEY, baseURL: `${origin}/v1`, maxRetries: 0, ...options });
  const owned = stack.move();
  return {
    ...service,
    model,
    openai: connect({}),
    connect,
    async script(id, steps, lines = "") {
      await place.writeScript(id, steps, `expose: true\n${lines}`);
      await client.reload();
    },
    send: (path, { json, ...init } = {}) =>
      fetch(`${origin}${path}`, {
        ...init,
        ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
        headers: {
          authorization: `Bearer ${KEY}`,
          "content-type": "application/json",
          ...init.headers,
        },
      }),
    sent(index) {
      const messages = model.request(index).body.messages as { role: string; content: unknown }[];
      return messages.slice(1).map(({ role, content }) => [role, content]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
