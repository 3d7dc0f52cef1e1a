// Tests the requests that follow redirects, without a network.
import assert from "node:assert/strict";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import type { ExchangeReply } from "../../../../runtime/tools/http/http_exchange.ts";
import type { ExchangeRequest } from "../../../../runtime/tools/http/http_exchange.ts";
import { followRedirects } from "../../../../runtime/tools/http/http_redirects.ts";

const SENT = {
  "accept": "*/*",
  "authorization": "Bearer k",
  "content-length": "1",
  "content-type": "text/plain",
  "cookie": "c=1",
  "x-api-key": "k",
};

/** Returns the request that follows a reply with this status and location, or undefined. */
async function requestAfter(
  first: { url?: string; method?: string; body?: string },
  { status, location }: { status: number; location: string },
): Promise<ExchangeRequest | undefined> {
  const { url = "https://near.test/", method = "GET", body } = first;
  const asked: ExchangeRequest[] = [];
  const ask = (request: ExchangeRequest): Promise<ExchangeReply> => {
    const isFirst = asked.push(request) === 1;
    return Promise.resolve({
      status: isFirst ? status : 200,
      statusText: "",
      headers: new Map(isFirst ? [["location", location]] : []),
      body: new Uint8Array(),
      cut: false,
    });
  };
  await followRedirects(
    {
      url: new URL(url),
      method,
      headers: SENT,
      body: body === undefined ? undefined : new TextEncoder().encode(body),
    },
    { ask, redactor: new Redactor(() => []) },
  );
  assert.ok(asked.length <= 2);
  return asked[1];
}

Deno.test("followRedirects() repeats the request or sends a GET, depending on method and status", async () => {
  const statuses = [301, 302, 303, 307, 308];
  // `same`: the request is repeated with its method and body.
  const expected: Record<string, string> = {
    GET: "same same GET same same",
    HEAD: "same same same same same",
    POST: "GET GET GET same same",
    PUT: "same same GET same same",
    PATCH: "same same GET same same",
    DELETE: "same same GET same same",
    OPTIONS: "same same GET same same",
  };
  for (const [method, row] of Object.entries(expected)) {
    const seen = [];
    for (const status of statuses) {
      const next = await requestAfter({ method, body: "b" }, { status, location: "/next" });
      assert.equal(next?.url.href, "https://near.test/next");
      const hasContent = "content-type" in next.headers && "content-length" in next.headers;
      assert.equal(hasContent, next.body !== undefined, `${method} ${status}`);
      assert.equal(next.headers["authorization"], "Bearer k");
      seen.push(next.method === method && hasContent ? "same" : next.method);
    }
    assert.equal(seen.join(" "), row, method);
  }
});

Deno.test("followRedirects() follows only redirect statuses", async () => {
  for (const status of [200, 201, 300, 304, 305, 306, 404]) {
    assert.equal(await requestAfter({}, { status, location: "/next" }), undefined, `${status}`);
  }
});

Deno.test("followRedirects() sends no keys to another scheme, host or port", async () => {
  const ours = { "accept": "*/*", "accept-encoding": "identity", "user-agent": "Inkling" };
  const expected: Record<string, Record<string, string>> = {
    "https://near.test/other": SENT,
    "https://near.test:443/": SENT,
    "http://near.test/": ours,
    "https://near.test:8443/": ours,
    "https://far.near.test/": ours,
    "//far.test/": ours,
  };
  for (const [location, headers] of Object.entries(expected)) {
    const next = await requestAfter({}, { status: 307, location });
    assert.deepEqual(next?.headers, headers, location);
  }
  const url = "http://near.test/";
  const upgraded = await requestAfter({ url }, { status: 307, location: "https://near.test/" });
  assert.deepEqual(upgraded?.headers, ours);
});

Deno.test("followRedirects() refuses to send a body to another origin, and names both origins", async () => {
  const first = { method: "POST", body: "password=1" };
  const location = "https://far.test/form";
  await assert.rejects(requestAfter(first, { status: 307, location }), {
    name: "ToolFailure",
    message:
      "Cannot follow the redirect of https://near.test to https://far.test: the request has a body, " +
      "which is sent to no other origin by itself. Request the new address, if that is right.",
  });
  const next = await requestAfter(first, { status: 303, location });
  assert.deepEqual([next?.method, next?.body], ["GET", undefined]);
});

Deno.test("followRedirects() drops user name and password from a redirect's address", async () => {
  for (const user of ["me:pw", "me", ":pw"]) {
    const next = await requestAfter({}, {
      status: 302,
      location: `https://${user}@near.test/next`,
    });
    assert.equal(next?.url.href, "https://near.test/next");
  }
});
