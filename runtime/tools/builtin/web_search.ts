// The tool web_search: asks the service that config.yaml names. Agents have it with `tools: [web_search]`.
import { z } from "zod";
import { withinTime } from "../../../base/bounded_wait.ts";
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";
import { cutEnd } from "../../../base/text/cut_text.ts";
import {
  describeMissingSearch,
  type SearchProvider,
  type SearchSettings,
} from "../../config/search_schema.ts";
import { defineTool } from "../definition/define_tool.ts";
import type { ActionTool } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { resolveHostBySystem } from "../http/host_lookup.ts";
import { exchange } from "../http/http_exchange.ts";
import type { HttpPolicy } from "../http/http_policy.ts";
import { OWN_HEADERS } from "../http/http_redirects.ts";

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_RESULTS = 20;
const MAX_SNIPPET = 500;

/** A result of a search. Missing facts are empty texts. */
interface SearchResult {
  title: string;
  url: string;
  snippet: string;
  date: string;
}

/** The requests and answers of a service. */
interface SearchAdapter {
  /** Returns the request: its path with parameters, its headers, and the body of a POST. */
  request(
    search: { query: string; count: number; key: string },
  ): { path: string; headers: Record<string, string>; body?: JsonObject };
  /** Returns the list of results in an answer. */
  list(answer: JsonObject): unknown;
  /** The fields of a result that contain its text and its date. */
  fields: { snippet: string; date: readonly string[] };
}

const parameters = (values: Record<string, string>) => `?${new URLSearchParams(values)}`;
const bearer = (key: string) => key === "" ? {} : { authorization: `Bearer ${key}` };

const ADAPTERS: Readonly<Record<SearchProvider, SearchAdapter>> = {
  searxng: {
    request: ({ query, key }) => ({
      path: `/search${parameters({ q: query, format: "json" })}`,
      headers: bearer(key),
    }),
    list: ({ results }) => results,
    fields: { snippet: "content", date: ["publishedDate"] },
  },
  brave: {
    request: ({ query, count, key }) => ({
      path: `/res/v1/web/search${parameters({ q: query, count: String(count) })}`,
      headers: { "x-subscription-token": key },
    }),
    list: ({ web }) => isJsonObject(web) ? web["results"] : web,
    fields: { snippet: "description", date: ["page_age", "age"] },
  },
  tavily: {
    request: ({ query, count, key }) => ({
      path: "/search",
      headers: { ...bearer(key), "content-type": "application/json" },
      body: { query, max_results: count },
    }),
    list: ({ results }) => results,
    fields: { snippet: "content", date: ["published_date"] },
  },
};

/** The service of searches, and the connections to it. */
export interface WebSearchOptions {
  /** Returns the settings in config.yaml. Null if there is no service. */
  settings(): SearchSettings | null;
  /** Returns a variable's value. */
  lookup(name: string): string | undefined;
  policy: HttpPolicy;
}

/** Creates the web_search tool. */
export function createWebSearch(options: WebSearchOptions): ActionTool {
  return defineTool({
    name: "web_search",
    description: "Searches the web. Returns title, address, snippet and date of pages.",
    schema: z.object({
      query: z.string().min(1).max(400),
      count: z.int().min(1).max(MAX_RESULTS).default(10),
    }),
    effect: "read",
    timeoutMs: TIMEOUT_MS + 5_000,
    run: async ({ query, count }, { clock, signal, redactor }) => {
      const search = options.settings();
      const problem = describeMissingSearch(search, options.lookup);
      if (search === null || problem !== undefined) throw new ToolFailure(`${problem}.`);
      const reason = new ToolFailure(`${search.provider} did not answer within 30 seconds.`);
      const results = await withinTime(
        { clock, ms: TIMEOUT_MS, reason, signal },
        (ending) => request(search, { query, count }, { ...options, signal: ending }),
      );
      const shown = results.slice(0, count).map((one, at) => formatResult(one, at + 1));
      return shown.length === 0
        ? `Nothing was found for ${JSON.stringify(redactor.redact(query))}.`
        : shown.join("\n\n");
    },
  });
}

async function request(
  { provider, baseUrl, keyEnv }: SearchSettings,
  search: { query: string; count: number },
  { lookup, policy, signal }: WebSearchOptions & {
    signal: AbortSignal;
  },
): Promise<SearchResult[]> {
  const key = keyEnv === undefined ? "" : lookup(keyEnv) ?? "";
  const { path, headers, body } = ADAPTERS[provider].request({ ...search, key });
  const bytes = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body));
  const { status, statusText, body: answer } = await exchange({
    url: new URL(baseUrl + path),
    method: bytes === undefined ? "GET" : "POST",
    headers: {
      ...OWN_HEADERS,
      ...headers,
      ...(bytes !== undefined && { "content-length": String(bytes.length) }),
    },
    body: bytes,
  }, { policy, maxBytes: MAX_ANSWER_BYTES, signal, resolveHost: resolveHostBySystem });
  if (status !== 200) {
    const remedy = status === 401 || status === 403
      ? keyEnv === undefined
        ? ": allow the format json in its settings"
        : `: check the key in ${keyEnv}`
      : status === 429
      ? ": too many searches; try again later"
      : "";
    throw new ToolFailure(`${provider} answered ${status} ${statusText}`.trimEnd() + `${remedy}.`);
  }
  const results = parseAnswer(provider, new TextDecoder().decode(answer));
  if (results !== undefined) return results;
  throw new ToolFailure(
    `The answer of ${provider} is no list of results. Check search.base_url in config.yaml.`,
  );
}

function formatResult({ title, url, snippet, date }: SearchResult, number: number): string {
  const lines = [`${number}. ${title || "(no title)"}`, url, date, cutEnd(snippet, MAX_SNIPPET)];
  return lines.filter((line) => line !== "").join("\n");
}

/** Returns the results in an answer. Undefined if the answer has another form. */
function parseAnswer(
  provider: SearchProvider,
  text: string,
): SearchResult[] | undefined {
  const { list, fields } = ADAPTERS[provider];
  const answer: unknown = isWholeJson(text) ? JSON.parse(text) : undefined;
  if (!isJsonObject(answer)) return undefined;
  const results = list(answer);
  // Brave leaves out the list if nothing was found.
  if (!Array.isArray(results)) return results === undefined ? [] : undefined;
  return results.filter(isJsonObject).map((result) => {
    const of = (...names: string[]) =>
      plain(names.map((name) => result[name]).find((value) => typeof value === "string") ?? "");
    const snippet = of(fields.snippet);
    return { title: of("title"), url: of("url"), snippet, date: of(...fields.date) };
  });
}

/** Returns a text in one line, without the tags that mark words of the query. */
function plain(text: unknown): string {
  return String(text).replace(/<\/?[a-z][^<>]{0,100}>/gi, "").replace(/\s+/g, " ").trim();
}
