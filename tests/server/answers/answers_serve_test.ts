// Tests of answer links of a running service: behind a proxy that forwards its own host name, and on the socket.
import assert from "node:assert/strict";
import { createTestService } from "../../support/test_service.ts";
import { sendRaw } from "../raw_http.ts";

const KEY = "correct horse battery";
const TOKEN = "t".repeat(43);

Deno.test("only the host and the origin of public_url are accepted", async () => {
  await using on = await createTestService();
  const { runtime } = on;
  runtime.publicUrl = "https://inkling.example/team";
  const { id } = runtime.addExecution({ status: "waiting" });
  runtime.requests.set(id, {
    requestId: "r1",
    executionId: id,
    position: 1,
    kind: "confirm",
    message: "May it?",
    options: null,
    multi: false,
    toolName: "file_write",
    toolArgs: {},
    createdAt: 0,
    expiresAt: null,
  });
  runtime.links.set(TOKEN, { requestId: "r1", executionId: id, state: "open" });
  const { ports: [port = 0] } = await on.start({ tcp: { port: 0, apiKey: KEY } });
  const tcp = () => Deno.connect({ hostname: "127.0.0.1", port });
  const send = async (head: string[], body = "") =>
    (await sendRaw(
      tcp,
      [...head, `Content-Length: ${body.length}`, "Connection: close", "", body].join("\r\n"),
    ))
      .status;
  const path = `/answer/${TOKEN}`;
  assert.equal(await send([`GET ${path} HTTP/1.1`, "Host: inkling.example"]), 200);
  assert.equal(await send([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`]), 200);
  assert.equal(await send([`GET ${path} HTTP/1.1`, "Host: evil.example"]), 421);
  const form = "Content-Type: application/x-www-form-urlencoded";
  const post = [`POST ${path} HTTP/1.1`, "Host: inkling.example", form];
  const approve = "decision=approve";
  assert.equal(await send([...post, "Origin: https://evil.example"], approve), 403);
  assert.equal(await send([...post, "Origin: null"], approve), 403);
  assert.equal(runtime.responses.length, 0);
  assert.equal(await send([...post, "Origin: https://inkling.example"], approve), 200);
  assert.equal(runtime.responses.length, 1);

  const unix = () => Deno.connect({ transport: "unix", path: on.socketFile });
  const onSocket = await sendRaw(
    unix,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(onSocket.status, 404);
});

Deno.test("a public_url without a port is reported in the log", async () => {
  await using on = await createTestService();
  on.runtime.publicUrl = "https://inkling.example";
  await on.start();
  const told = on.runtime.log.lines.filter(({ level }) => level === "warn");
  assert.match(told[0]?.message ?? "", /^Links in messages cannot be opened: public_url is set/);
});
