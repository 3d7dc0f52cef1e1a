// A port behind a proxy, with the routes that `serve` sets up, a question and its answer link.
import { FakeRuntime } from "../../support/fake_runtime.ts";
import { createAnswers } from "../../../server/answers/answers.ts";
import { createApp } from "../../../server/app.ts";
import { createLogin } from "../../../server/login/login.ts";
import { createFindKey } from "../../../server/login/key_owners.ts";
import { apiKey, RefusedKeys } from "../../../server/middleware/api_key.ts";
import { hostCheck } from "../../../server/middleware/host_check.ts";
import type { HumanRequest } from "../../../runtime/executions/human_request.ts";
import { createTestApp, type TestApp } from "../../support/test_app.ts";
import { TestClock } from "../../support/test_clock.ts";

const KEY = "correct horse battery";
export const HOST = "inkling.example";
export const ORIGIN = `https://${HOST}`;
export const TOKEN = "t".repeat(43);
export const OTHER = "o".repeat(43);
export const BROWSER = { accept: "text/html", "sec-fetch-site": "same-origin" };

type Headers = Record<string, string>;

/** The application of the port, with its runtime. */
export interface AnswerPort extends TestApp {
  /** The id of the execution that asks the question. */
  id: number;
  send(method: string, path: string, headers?: Headers, body?: string): Promise<Response>;
  /** Requests the page of a link. */
  open(token?: string, headers?: Headers): Promise<Response>;
  /** Sends the page's form to a link. */
  answer(form: Headers | [string, string][], token?: string, headers?: Headers): Promise<Response>;
}

/** Creates the port. The link's token is TOKEN. */
export function openPort(changes: Partial<HumanRequest> = {}): AnswerPort {
  const findKey = createFindKey(KEY, new FakeRuntime({ clock: new TestClock(), directory: "/" }));
  const world = createTestApp();
  const { runtime, lifecycle } = world;
  const refused = new RefusedKeys(runtime.log);
  const login = createLogin({ findKey, refused, clock: new TestClock(), port: 8420 });
  const answers = createAnswers(runtime);
  const guards = [
    apiKey({
      findKey,
      refused,
      clock: new TestClock(),
      isOpen: answers.admits,
      findLogin: login.find,
      explain: login.explain,
    }),
    login.explainRefusals,
    hostCheck({ hosts: [HOST], origins: [ORIGIN], isFollowed: answers.isFollowed }),
    answers.respond,
    login.respond,
  ];
  const app = createApp({ runtime, lifecycle, transports: () => [] }, { via: "tcp", guards });
  const { id } = runtime.addExecution({ status: "waiting", displayName: "Daily" });
  const request: HumanRequest = {
    requestId: "r1",
    executionId: id,
    position: 1,
    kind: "confirm",
    message: "May it write?",
    options: null,
    multi: false,
    toolName: "file_write",
    toolArgs: { path: "a.md" },
    createdAt: 0,
    expiresAt: null,
    ...changes,
  };
  runtime.requests.set(id, request);
  runtime.links.set(TOKEN, { requestId: "r1", executionId: id, state: "open" });
  runtime.onRespond = (one) => {
    runtime.links.set(TOKEN, { requestId: "r1", executionId: one, state: "answered" });
  };
  const send: AnswerPort["send"] = async (method, path, headers = {}, body) =>
    await app.request(`http://${HOST}${path}`, {
      method,
      headers: { host: HOST, ...headers },
      ...(body !== undefined && { body }),
    });
  return {
    ...world,
    app,
    id,
    send,
    open: (token = TOKEN, headers = {}) =>
      send("GET", `/answer/${token}`, { ...BROWSER, ...headers }),
    answer: (form, token = TOKEN, headers = {}) =>
      send(
        "POST",
        `/answer/${token}`,
        {
          ...BROWSER,
          origin: ORIGIN,
          "content-type": "application/x-www-form-urlencoded",
          ...headers,
        },
        new URLSearchParams(form).toString(),
      ),
  };
}
