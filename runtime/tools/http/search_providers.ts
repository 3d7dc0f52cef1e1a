// The services that answer searches: their requests, and their answers as results.
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { SearchProvider } from "../../config/search_schema.ts";

/** A search, and the key of the service. */
export interface SearchQuery {
  query: string;
  count: number;
  key: string;
}

/** A result of a search. Missing facts are empty texts. */
export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
  date: string;
}

/** The requests and answers of a service. */
interface SearchAdapter {
  /** Returns the request: its path with parameters, its headers, and the body of a POST. */
  request(
    search: SearchQuery,
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

/** Returns the request of a search: path, headers and body. */
export function toSearchRequest(
  provider: SearchProvider,
  search: SearchQuery,
): ReturnType<SearchAdapter["request"]> {
  return ADAPTERS[provider].request(search);
}

/** Returns the results in an answer. Undefined if the answer has another form. */
export function parseSearchAnswer(
  provider: SearchProvider,
  text: string,
): SearchResult[] | undefined {
  const { list, fields } = ADAPTERS[provider];
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined; // The caller reports the answer.
  }
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
