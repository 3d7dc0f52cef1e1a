// Recognizes refused requests by the error texts of providers and servers. No other file matches these texts. This module
// is loaded with the first failure.
import type { AssistantMessage } from "../message.ts";
import type { ModelError, ModelRequest } from "../model.ts";
import { familyNames } from "../pricing.ts";
import { keptNames } from "../providers/kept_fields.ts";
import { keywordsOf, type KnownLimits } from "./known_limits.ts";

/** The reason for a refused call. */
export type Refusal =
  /** The conversation is too long. `limit` is the maximum number of tokens, if the error names it. */
  | { kind: "too_long"; limit?: number }
  /** The request has more tools than the endpoint accepts. */
  | { kind: "too_many_tools" }
  /**
   * The endpoint refuses parts of the request, named as in KnownLimits. With `isBroken`, only the file in this request is
   * refused; other files of this kind may be accepted.
   */
  | { kind: "parts"; names: string[]; isBroken?: boolean };

/** Error texts about conversations that are too long. The group `limit` is the maximum; the last patterns have none. */
const TOO_LONG = [
  /max(?:imum)?(?: model)? (?:context|prompt|input|sequence) (?:length|size)(?: is| of|:| =)?[ `(]*(?<limit>\d+)/,
  /(?<limit>\d+) max(?:imum)? context length/,
  /too long: \d+ tokens > (?<limit>\d+)/,
  /exceeds? (?:the )?context limit: [^>]*> (?<limit>\d+)/,
  /maximum number of (?:input )?tokens(?: allowed)?\D{0,10}(?<limit>\d+)/,
  /(?:token limit|token count of \d+ exceeds the limit of|available context size)\D{0,5}(?<limit>\d+)/,
  /input length should be \[\d+, (?<limit>\d+)\]/,
  /inputs?`? (?:tokens )?(?:\+ `?max_new_tokens`? )?must (?:be <=|have less than) (?<limit>\d+)/,
  /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large/,
  /\b(?:context|prompt|input|conversation|number of tokens|request)\b[^.]{0,60}\b(?:too (?:long|large)|exceed\w*|longer than|greater than|overflow\w*)/,
  /\b(?:exceed\w*|longer than|greater than|overflow\w*|larger than)\b[^.]{0,60}\b(?:context|prompt|window|token limit)/,
  /reduce (?:the|your) (?:length|size) of|too many (?:input )?tokens|\bcontent'?: string too long|no room .{0,30}context/,
];
/** Matches an error about a rate limit per minute that a single request exceeds, so that waiting does not help. */
const OVER_MINUTE_LIMIT = /request too large .{0,200}limit (?<limit>\d+), requested/;

const TOO_MANY_TOOLS =
  /\b(?:tools|functions|function_?declarations)\b.{0,80}\b(?:array too long|too many|at most|maximum|exceed\w*|more than|less than)\b|too many (?:tools|functions)/;

/** Matches the names that error texts use for a refused answer schema. */
const SCHEMA =
  /response.?(format|mime.?type)|output.?(config|format)|structured.?output|json.?schema|\b(schema|format|grammar)\b/;
const UNSUPPORTED =
  /unsupported|not (?:\w+ )?(?:support|permit|allow|recogni[sz]|accept|know|implement)\w*|does(?:n't| not) (?:support|accept|allow)|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs?|fields?)|additional propert|(?:must|should|can) ?not\b|instead\b/;
const MISSING =
  /must be (?:passed|included|provided|present)|is missing|missing in|(?:is|are) required/;

/**
 * Returns the refusal that an error of this request shows. Returns undefined for other failures, and for parts that are
 * already known to be refused.
 */
export function recognizeRefusal(
  error: ModelError,
  request: ModelRequest,
  { refused }: KnownLimits,
): Refusal | undefined {
  const { status } = error;
  const media = refusedMedia(error, request);
  if (media !== undefined) return media;
  const text = textOf(error).replaceAll(/(?<=\d)[,_](?=\d{3})/g, "");
  const overLimit = OVER_MINUTE_LIMIT.exec(text);
  if (overLimit !== null) return toTooLong(overLimit);
  if (status !== undefined && [401, 402, 403, 404, 429].includes(status)) return undefined;
  if (status === 413) return toTooLong(TOO_LONG.map((one) => one.exec(text)).find(isMatch));
  // Some servers report an unknown parameter with status 500 or inside the stream, so the text decides, too.
  const isRefusal = status === 400 || status === 422 || UNSUPPORTED.test(text);
  const names = isRefusal ? refusedParts(text, request) : [];
  const fresh = names.filter((name) => !refused.has(name));
  if (fresh.length > 0) return { kind: "parts", names: fresh };
  if (request.tools.length > 0 && TOO_MANY_TOOLS.test(text)) return { kind: "too_many_tools" };
  const tooLong = TOO_LONG.map((one) => one.exec(text)).find(isMatch);
  return tooLong && toTooLong(tooLong);
}

/** Matches error texts about the account that pays for the calls. */
const ACCOUNT =
  /quota|\bbilling\b|\borgani[sz]ation|\baccount\b|credit balance|insufficient[_ ](?:funds|balance)/;
/** Matches error texts about an unusable model or account, for errors whose status does not show it. */
const UNUSABLE_MODEL =
  /authentication_error|permission_(?:error|denied)|not_found_error|api.?key (?:is )?(?:not valid|invalid)|(?:invalid|incorrect) api.?key|credit balance|\bbilling\b|insufficient[_ ](?:quota|funds|balance)|(?:organi[sz]ation|account) (?:is|has been|was) (?:disabled|suspended|restricted|deactivated|blocked)|model_not_found|(?:invalid|unknown|no such) model\b(?! (?:param|setting|option|in|out))|\bmodel\b.{0,80}\b(?:not found|(?:does|did) ?n[o']t exist|is not available|(?:is|was|been) (?:deprecated|decommissioned|retired)|no longer (?:available|served))/;
/** Matches error texts that refuse the content of the conversation. They may have any status. */
const CONTENT_REFUSAL = /moderation|flagged|content.?(?:policy|filter)|safety/;

/**
 * Returns true if a failure concerns all calls of the account: its text is about an account and does not name the model.
 * `model` is `provider/name`.
 */
export function concernsAccount(error: ModelError, model: string): boolean {
  const text = textOf(error);
  const name = model.slice(model.indexOf("/") + 1);
  return ACCOUNT.test(text) && !familyNames(name).some((one) => isNamed(text, one));
}

/** Returns true if another model may succeed with the same request: this model is down, or its account is refused. */
export function concernsModel(error: ModelError): boolean {
  const { status, retryable } = error;
  if (retryable) return true;
  const text = textOf(error);
  if (CONTENT_REFUSAL.test(text)) return false;
  if (status !== undefined && [401, 402, 403, 404, 410].includes(status)) return true;
  const isUnclear = status === undefined ? error.providerText !== undefined : status === 400;
  return isUnclear && UNUSABLE_MODEL.test(text);
}

function textOf({ providerText, message }: ModelError): string {
  return (providerText ?? message).toLowerCase();
}

/** Matches the words that endpoints use for PDF files and pictures. */
const MEDIA = {
  pdf: /\bpdf|\bdocuments?\b|\bfiles?\b|\bpages\b/,
  image:
    /\bimages?(?:\b|_)|\bpictures?\b|\bvision\b|multi-?modal|inline_?data|\bmedia\b|content\b.*must be a string/,
};
const NO_MEDIA =
  /no endpoints found|not a (?:vision|multi-?modal)|only support|missing data required|must be a string/;
/** Matches error texts about a single file, such as its format or size. */
const ONE_OF_MEDIA = /mime.?type|image\/[a-z]|\bformat\b|dimension|exceed|too (?:large|many)/;

/**
 * Returns the refusal of media that an error shows, or undefined. A 404 may mean that no endpoint of the model accepts
 * pictures.
 */
function refusedMedia(error: ModelError, { messages }: ModelRequest): Refusal | undefined {
  const { status = 400 } = error;
  if (![400, 404, 415, 422, 500, 501].includes(status)) return undefined;
  const text = textOf(error);
  const sent = messages.flatMap((one) => one.role === "tool" ? one.media ?? [] : []);
  const names = [...new Set(sent.map(({ kind }) => kind))].filter((kind) => MEDIA[kind].test(text));
  const isBroken = ONE_OF_MEDIA.test(text) || !UNSUPPORTED.test(text) && !NO_MEDIA.test(text);
  return names.length === 0 ? undefined : { kind: "parts", names, isBroken };
}

const isMatch = (match: RegExpExecArray | null) => match !== null;

function toTooLong(match: RegExpExecArray | null | undefined): Refusal {
  const limit = Number(match?.groups?.["limit"]);
  return { kind: "too_long", ...(limit > 0 && { limit }) };
}

/**
 * Returns the refused parts that an error text names. If it could mean several kinds of parts, returns the most likely
 * kind.
 */
function refusedParts(text: string, request: ModelRequest): string[] {
  const { messages, tools, temperature, schema } = request;
  const isUnsupported = UNSUPPORTED.test(text);
  const [missing] = /\breasoning(?:_content)?\b/.exec(text) ?? [];
  if (missing !== undefined && MISSING.test(text)) return [`fill:${missing}`];
  const replies = messages.filter((one): one is AssistantMessage => one.role === "assistant");
  const fields = isUnsupported ? [...keptNames(replies)].filter((name) => isNamed(text, name)) : [];
  if (fields.length > 0) return fields.map((name) => `field:${name}`);
  for (const name of ["max_completion_tokens", "max_tokens"]) {
    // The error may name the parameter to use instead (`Use 'max_completion_tokens' instead`), which is not the refused
    // one.
    const wanted = new RegExp(`\\buse\\W+${name}\\b`);
    if (isUnsupported && isNamed(text, name) && !wanted.test(text)) return [name];
  }
  if (isNamed(text, "stream_options")) return ["stream_options"];
  if (temperature !== undefined && isNamed(text, "temperature")) return ["temperature"];
  if (
    tools.length > 0 &&
    /\b(?:tools?|functions?|function_declarations|input_schema|parameters|keywords?)\b/.test(text)
  ) {
    const keywords = [...keywordsOf(tools)].filter((one) => namesKeyword(text, one.toLowerCase()));
    if (keywords.length > 0) return keywords.map((keyword) => `schema:${keyword}`);
  }
  return schema !== undefined && SCHEMA.test(text) ? ["response_format"] : [];
}

function isNamed(text: string, name: string): boolean {
  return new RegExp(`(?<!\\w)${RegExp.escape(name.toLowerCase())}(?!\\w)`).test(text);
}

/** Schema keywords that are never removed, because a schema is useless without them. */
const STRUCTURE = new Set(["type", "properties", "items", "required", "description"]);

/** Returns true if a text names a keyword: in quotes, after the word "keyword", or a keyword that is no English word. */
function namesKeyword(text: string, keyword: string): boolean {
  if (STRUCTURE.has(keyword) || !isNamed(text, keyword)) return false;
  const escaped = RegExp.escape(keyword);
  return /\$|additionalprop|patternprop|[a-z]of$|exclusivem|^(?:min|max)[a-z]+$|propertynames/.test(
    keyword,
  ) ||
    new RegExp(`['"\`.]${escaped}['"\`]?|keywords?\\W{1,3}${escaped}\\b`).test(text);
}
