// Tests of requests whose URL is invalid. The server builds the URL from the Host header and the request's target.
import assert from "node:assert/strict";
import { createTestService } from "../../support/test_service.ts";
import { sendRaw } from "../raw_http.ts";

Deno.test("serve() returns 400 for a request with an invalid URL, and logs no error", async () => {
  await using on = await createTestService();
  await on.start();
  const connect = () => Deno.connect({ transport: "unix", path: on.socketFile });
  const answerTo = (target: string, host: string) =>
    sendRaw(connect, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  assert.equal((await answerTo("/health", "x")).status, 200);
  const unreadable: [target: string, host: string][] = [
    ...["[", "[::1", "a b", "a<b", "x:y", "x:99999"].map((
      host,
    ): [string, string] => ["/health", host]),
    ["http://[/health", "x"],
    ["http://x:99999/health", "x"],
  ];
  for (const [target, host] of unreadable) {
    const { status, text } = await answerTo(target, host);
    assert.equal(status, 400, `${target} of ${host}`);
    assert.match(text, /\r\n\r\n\{"detail":"Bad Request"\}$/);
  }
  assert.deepEqual(on.runtime.log.lines.filter(({ level }) => level === "error"), []);
});
