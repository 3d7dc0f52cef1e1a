// An endpoint as data: what it takes, what it answers, which refusals it may give, and how it is done. app.ts
// registers the table of them; the API description and the types of the client come from the same table.
import { z } from "zod";
import type { Runtime } from "../../runtime/runtime.ts";
import type { ValidationIssue } from "../schemas/error_schemas.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { RequestRefused } from "../errors.ts";
import type { OperationPath } from "./operation_paths.ts";
import { type Source, toWire } from "./wire.ts";
import type { Lifecycle } from "../lifecycle.ts";
import { cutEnd } from "../../base/text/cut_text.ts";

/** What every operation works with. */
export interface Services {
  runtime: Runtime;
  lifecycle: Lifecycle;
  /** Where the service listens now: `unix:/path`, `tcp://host:port`. */
  transports: () => readonly string[];
}

type Answer = z.ZodType | typeof EVENT_STREAM;
/** A stream of which the client has had all is null. */
type AnswerOf<R extends Answer> = R extends z.ZodType ? Source<R>
  : ReadableStream<Uint8Array> | null;

/** The kind of thing that `{id}` of a path names. */
export interface Named<Id> {
  /** Parses the id in the path. */
  readonly id: z.ZodType<Id, string>;
  /** Throws where there is no such thing: that is told before what else is wrong with a request. */
  find(id: Id, services: Services): Promise<unknown>;
}

/** What a declared operation says of itself. Header names in lower case. */
interface Declaration<R, I, Q, H, B> {
  summary: string;
  /** More than the summary can hold. */
  description?: string;
  /** What `{id}` of its path names; absent where there is none. */
  of?: Named<I>;
  query?: Q;
  headers?: H;
  /** An absent body is checked as `{}`. */
  body?: B;
  /** The handler gives what toWire() makes this of. */
  response: R;
  /** Whoever shows it asks again and again: 304 where the answer is the one that the client names by its `ETag`. */
  isPolled?: true;
  /** The data of the events, where it answers with a stream. */
  events?: z.ZodType;
  /** Statuses of the refusals that are this operation's own (404 with `of`, 422, 500 and those of any body go without saying). */
  errors?: readonly number[];
}

/** A request before it is checked. */
export interface RawRequest {
  params: Readonly<Record<string, string>>;
  /** A parameter given several times is a list. */
  query: Readonly<Record<string, string | string[]>>;
  headers: Readonly<Record<string, string>>;
  /** Its body. Throws RequestRefused. */
  readBody(): Promise<unknown>;
}

type Fields = z.ZodObject | undefined;
type Read<S> = S extends z.ZodType ? z.output<S> : undefined;

/** An operation without its path, typed for the client by what it takes and answers. */
export interface Operation<
  R extends Answer = Answer,
  I = unknown,
  Q extends Fields = Fields,
  B extends z.ZodType | undefined = z.ZodType | undefined,
> extends Omit<Declaration<R, I, Q, z.ZodObject, B>, "of" | "query" | "body"> {
  params: z.ZodObject<{ id: z.ZodType<I, string> }> | undefined;
  query: Q;
  body: B;
  errors: readonly number[];
  /** Checks the request, does the work, answers 200, or 204 where a stream has ended before. Throws RequestRefused (422) or what the work throws. */
  respond(request: RawRequest, services: Services): Promise<Response>;
}

/** An operation, ready to be registered and described. */
export type DescribedOperation = Operation & OperationPath;

/** Ties a declaration to its checked, typed handler. */
export function operation<
  R extends Answer,
  I = undefined,
  Q extends Fields = undefined,
  H extends Fields = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  declaration: Declaration<R, I, Q, H, B> & {
    handle(
      request: { id: I; query: Read<Q>; headers: Read<H>; body: Read<B> },
      services: Services,
    ): Promise<AnswerOf<R>>;
  },
): Operation<R, I, Q, B> {
  const { handle, of, errors = [], query, headers, body, ...described } = declaration;
  const params = of && z.object({ id: of.id });
  return {
    ...described,
    params,
    query: query as Q,
    ...(headers && { headers }),
    body: body as B,
    errors: of === undefined ? errors : [404, ...errors],
    async respond(raw, services) {
      const issues: ValidationIssue[] = [];
      const { id } = check(params, raw.params, "path", issues) as { id: I };
      const isKnown = issues.length === 0;
      const read = {
        query: check(query, raw.query, "query", issues) as Read<Q>,
        headers: check(headers, raw.headers, "header", issues) as Read<H>,
      };
      let checked;
      try {
        const given = await raw.readBody();
        checked = check(body, given === undefined ? {} : given, "body", issues) as Read<B>;
        if (issues.length > 0) throw new RequestRefused(422, issues.slice(0, MAX_ISSUES));
      } catch (error) {
        if (isKnown && error instanceof RequestRefused) await of?.find(id, services);
        throw error;
      }
      const answer = await handle({ id, ...read, body: checked }, services);
      if (answer === null) return new Response(null, { status: 204 });
      if (answer instanceof ReadableStream) {
        return new Response(answer, {
          headers: {
            "content-type": EVENT_STREAM,
            "cache-control": "no-store",
            "x-accel-buffering": "no",
          },
        });
      }
      const wire = declaration.response === EVENT_STREAM
        ? answer
        : toWire(declaration.response as z.ZodType, answer);
      return declaration.isPolled === true
        ? answerPoll(wire, raw.headers["if-none-match"])
        : Response.json(wire);
    },
  };
}

/** The answer with a tag of its text, or 304 with none where `known` (If-None-Match) lists that tag. */
function answerPoll(answer: unknown, known: string | undefined): Response {
  const text = JSON.stringify(answer);
  const etag = `"${tagOf(text)}"`;
  // A proxy that compresses marks a tag as weak; for the comparison that makes no difference.
  const tags = known?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  const headers = { etag, "cache-control": "no-cache" };
  if (tags.includes(etag) || tags.includes("*")) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(text, { headers: { ...headers, "content-type": "application/json" } });
}

/**
 * Two hashes of 32 bits, as FNV-1a makes them. No digest: that takes ten times as long, a third of a whole answer, and nobody
 * gains by an answer that has the tag of another.
 */
function tagOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995);
  }
  return [one, other].map((hash) => (hash >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The most problems that one refusal lists. */
const MAX_ISSUES = 20;

function check<S extends z.ZodType>(
  schema: S | undefined,
  value: unknown,
  location: string,
  issues: ValidationIssue[],
): z.output<S> {
  // Nothing declared: the handler's type gives it nothing to read either.
  if (schema === undefined) return {} as z.output<S>;
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  issues.push(...toValidationIssues(result.error, location));
  // Never read: the caller throws when there are issues.
  return {} as z.output<S>;
}

/** The most characters of an input that are repeated. */
const MAX_INPUT_SHOWN = 500;

/** Every problem, with its place below `location` (`body`, `query`, ...). */
function toValidationIssues(error: z.ZodError, location: string): ValidationIssue[] {
  return error.issues.flatMap((issue) => toIssues(issue, [location]));
}

/** A union gives its alternatives, then what is wrong with the one that is meant. */
function toIssues(
  issue: z.core.$ZodIssue,
  parent: readonly (string | number)[],
): ValidationIssue[] {
  const loc = [
    ...parent,
    ...issue.path.map((part) => typeof part === "number" ? part : String(part)),
  ];
  const told = { type: issue.code, loc, msg: issue.message, input: toShown(issue.input) };
  if (issue.code !== "invalid_union") return [told];
  return [told, ...meantAlternative(issue.errors).flatMap((inner) => toIssues(inner, loc))];
}

/** The issues of the only alternative that has every key of the value and fails further inside; none for no such one. */
function meantAlternative(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const [meant = [], ...others] = alternatives.filter((issues) =>
    issues.every((one) => one.path.length > 0)
  );
  return others.length === 0 ? meant : [];
}

function toShown(input: unknown): unknown {
  const text = JSON.stringify(input) ?? "null";
  return text.length <= MAX_INPUT_SHOWN ? input ?? null : cutEnd(text, MAX_INPUT_SHOWN);
}
