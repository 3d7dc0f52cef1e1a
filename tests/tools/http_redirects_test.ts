// Redirects without a network: which request follows a reply.
import assert from "node:assert/strict";
import { Redactor } from "../../runtime/secrets/redactor.ts";
import type { ExchangeReply, ExchangeRequest } from "../../runtime/tools/http_exchange.ts";
import { followRedirects } from "../../runtime/tools/http_redirects.ts";

const SENT = {
  "accept": "*/*",
  "authorization": "Bearer k",
  "content-length": "1",
  "content-type": "text/plain",
  "cookie": "c=1",
  "x-api-key": "k",
};

/** The request that follows when the first one is answered with this status and location; undefined when none does. */
async function requestAfter(
  first: { url?: string; method?: string },
  { status, location }: { status: number; location: string },
): Promise<ExchangeRequest | undefined> {
  const { url = "https://near.test/", method = "GET" } = first;
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
    { url: new URL(url), method, headers: SENT, body: new TextEncoder().encode("b") },
    { ask, redactor: new Redactor(() => []) },
  );
  assert.ok(asked.length <= 2);
  return asked[1];
}

Deno.test("followRedirects(): a table of methods and statuses: what is sent again, and what becomes a GET without a body", async () => {
  const statuses = [301, 302, 303, 307, 308];
  // same: sent again with its body.
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
      const next = await requestAfter({ method }, { status, location: "/next" });
      assert.equal(next?.url.href, "https://near.test/next");
      const hasContent = "content-type" in next.headers && "content-length" in next.headers;
      assert.equal(hasContent, next.body !== undefined, `${method} ${status}`);
      assert.equal(next.headers["authorization"], "Bearer k");
      seen.push(next.method === method && hasContent ? "same" : next.method);
    }
    assert.equal(seen.join(" "), row, method);
  }
});

Deno.test("followRedirects() follows no other status", async () => {
  for (const status of [200, 201, 300, 304, 305, 306, 404]) {
    assert.equal(await requestAfter({}, { status, location: "/next" }), undefined, `${status}`);
  }
});

Deno.test("followRedirects() takes keys to no other scheme, host or port", async () => {
  const harmless = ["accept", "content-length", "content-type"];
  const expected: Record<string, string[]> = {
    "https://near.test/other": Object.keys(SENT),
    "https://near.test:443/": Object.keys(SENT),
    "http://near.test/": harmless,
    "https://near.test:8443/": harmless,
    "https://far.near.test/": harmless,
    "//far.test/": harmless,
  };
  for (const [location, names] of Object.entries(expected)) {
    const next = await requestAfter({}, { status: 307, location });
    assert.deepEqual(Object.keys(next?.headers ?? {}), names, location);
  }
  const upgraded = await requestAfter({ url: "http://near.test/" }, {
    status: 307,
    location: "https://near.test/",
  });
  assert.deepEqual(Object.keys(upgraded?.headers ?? {}), harmless);
});

Deno.test("followRedirects() sends no user name and no password that a redirect brings along", async () => {
  for (const user of ["me:pw", "me", ":pw"]) {
    const next = await requestAfter({}, {
      status: 302,
      location: `https://${user}@near.test/next`,
    });
    assert.equal(next?.url.href, "https://near.test/next");
  }
});
