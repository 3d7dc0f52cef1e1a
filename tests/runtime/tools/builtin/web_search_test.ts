// Tests web_search with servers on this machine that speak the formats of the services.
import assert from "node:assert/strict";
import {
  SEARCH_PROVIDERS,
  type SearchProvider,
  toSearch,
} from "../../../../runtime/config/search_schema.ts";
import { createWebSearch } from "../../../../runtime/tools/builtin/web_search.ts";
import type { HttpPolicy } from "../../../../runtime/tools/http/http_policy.ts";
import { call, failureOf } from "../files/sandbox_fixture.ts";
import { OPEN_POLICY, serve, webContext } from "./http_site.ts";

const KEY = "key-0123456789";
const ENTRIES = [1, 2, 3].map((at) => ({
  title: `Page <b>${at}</b>`,
  url: `https://p.example/${at}`,
  content: `Text\n of <strong>${at}</strong>`,
  description: `Text\n of <strong>${at}</strong>`,
  ...(at === 1 &&
    { publishedDate: "2025-05-05", page_age: "2025-05-05", published_date: "2025-05-05" }),
}));

/** Answers a request as the service does, or with an error if the request is not in its format. */
const SERVERS: Record<SearchProvider, (request: Request) => Promise<unknown> | unknown> = {
  searxng({ method, url }) {
    const { pathname, searchParams } = new URL(url);
    assert.deepEqual([method, pathname], ["GET", "/own/search"]);
    assert.deepEqual(Object.fromEntries(searchParams), { q: "ferry & boat", format: "json" });
    return { query: "x", results: ENTRIES };
  },
  brave({ method, url, headers }) {
    const { pathname, searchParams } = new URL(url);
    assert.deepEqual([method, pathname], ["GET", "/own/res/v1/web/search"]);
    assert.deepEqual(Object.fromEntries(searchParams), { q: "ferry & boat", count: "2" });
    assert.equal(headers.get("x-subscription-token"), KEY);
    return { type: "search", web: { results: ENTRIES } };
  },
  async tavily(request) {
    assert.deepEqual([request.method, new URL(request.url).pathname], ["POST", "/own/search"]);
    assert.equal(request.headers.get("authorization"), `Bearer ${KEY}`);
    assert.deepEqual(await request.json(), { query: "ferry & boat", max_results: 2 });
    return { results: ENTRIES };
  },
};

interface Setting {
  policy?: Partial<HttpPolicy>;
  key?: string | undefined;
}

const search = (
  provider: SearchProvider,
  origin: string,
  { policy, key = KEY }: Setting = {},
): Promise<string> => {
  const settings = toSearch({ provider, base_url: `${origin}/own/`, key_env: undefined });
  const tool = createWebSearch({
    settings: () => settings,
    lookup: (name) => name.endsWith("_API_KEY") && key !== "" ? key : undefined,
    policy: { ...OPEN_POLICY, ...policy },
  });
  return call(tool, { query: "ferry & boat", count: 2 }, webContext());
};

for (const provider of SEARCH_PROVIDERS) {
  Deno.test(`web_search asks ${provider} and lists its results`, async () => {
    const faults: unknown[] = [];
    await using site = serve(async (request) => {
      try {
        return Response.json(await SERVERS[provider](request));
      } catch (error) {
        faults.push(error);
        return new Response(null, { status: 400 });
      }
    });
    const shown = await search(provider, site.origin).catch((error) => String(error));
    assert.deepEqual(faults, []);
    assert.equal(
      shown,
      "1. Page 1\nhttps://p.example/1\n2025-05-05\nText of 1\n\n2. Page 2\nhttps://p.example/2\nText of 2",
    );
  });
}

Deno.test("web_search says that nothing was found", async () => {
  for (const answer of [{ type: "search" }, { web: { results: [] } }]) {
    await using site = serve(() => Response.json(answer));
    assert.equal(await search("brave", site.origin), 'Nothing was found for "ferry & boat".');
  }
});

Deno.test("web_search reports refusals and wrong answers of the service", async () => {
  const answers: [provider: SearchProvider, response: () => Response, expected: RegExp][] = [
    [
      "brave",
      () => new Response("no", { status: 401 }),
      /^brave answered 401 Unauthorized: check the key in BRAVE_API_KEY\.$/,
    ],
    [
      "searxng",
      () => new Response("no", { status: 403 }),
      /^searxng answered 403 Forbidden: allow the format json in its settings\.$/,
    ],
    [
      "tavily",
      () => new Response("no", { status: 429 }),
      /^tavily answered 429 Too Many Requests: too many searches; try again later\.$/,
    ],
    [
      "tavily",
      () => new Response(null, { status: 302, headers: { location: "/" } }),
      /^tavily answered 302 Found\.$/,
    ],
    [
      "searxng",
      () => new Response("<html>"),
      /^The answer of searxng is no list of results\. Check search\.base_url in config\.yaml\.$/,
    ],
    ["tavily", () => Response.json({ results: "none" }), /^The answer of tavily is no list/],
  ];
  for (const [provider, response, expected] of answers) {
    await using site = serve(response);
    assert.match(await failureOf(search(provider, site.origin)), expected);
  }
  await using site = serve();
  assert.match(
    await failureOf(search("brave", site.origin, { key: "" })),
    /^web_search needs the key of brave in the variable BRAVE_API_KEY, which is not set\.$/,
  );
  const refused = await failureOf(
    search("searxng", site.origin, { policy: { deny: ["private"] } }),
  );
  assert.match(
    refused,
    /^Cannot request 127\.0\.0\.1:\d+: http\.deny in config\.yaml closes private addresses/,
  );
  assert.deepEqual(site.seen, []);
});
