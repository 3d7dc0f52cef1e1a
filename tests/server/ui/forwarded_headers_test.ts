// Which headers cross the loopback proxy, in both directions.
import assert from "node:assert/strict";
import { toBrowserHeaders, toServiceHeaders } from "../../../server/ui/forwarded_headers.ts";

Deno.test("toServiceHeaders() keeps what the service reads and drops what lets a browser in", () => {
  const kept = toServiceHeaders(
    new Headers({
      accept: "text/event-stream",
      "content-type": "application/json",
      "last-event-id": "12",
      "idempotency-key": "a",
      host: "127.0.0.1:1",
      cookie: "inkling_ui_1=secret",
      origin: "http://127.0.0.1:1",
      referer: "http://127.0.0.1:1/open?token=secret",
      "x-api-key": "secret",
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": "10.0.0.1",
      forwarded: "for=10.0.0.1",
      "accept-encoding": "gzip, br",
    }),
  );
  assert.deepEqual(Object.fromEntries(kept), {
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "idempotency-key": "a",
    "last-event-id": "12",
  });
});

Deno.test("toServiceHeaders() drops the headers of the connection, those that Connection names, too", () => {
  const kept = toServiceHeaders(
    new Headers({
      connection: "keep-alive, X-Mine, not a name, ",
      "keep-alive": "timeout=5",
      "x-mine": "1",
      te: "trailers",
      "transfer-encoding": "chunked",
      upgrade: "websocket",
      "proxy-authorization": "secret",
      accept: "*/*",
    }),
  );
  assert.deepEqual([...kept.keys()], ["accept", "accept-encoding"]);
});

Deno.test("toBrowserHeaders() keeps the policies of a page and lets the service set no cookie", () => {
  const headers = new Headers({
    "content-type": "text/html",
    "content-length": "3",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  headers.append("set-cookie", "a=1");
  headers.append("set-cookie", "b=2");
  assert.deepEqual([...toBrowserHeaders(headers).keys()], [
    "content-length",
    "content-security-policy",
    "content-type",
    "referrer-policy",
  ]);
});
