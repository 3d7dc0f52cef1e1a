// Declares operations: input, response, refusals and handler. The routes of app.ts, the API description and the types of
// the client are derived from the declarations.
import { z } from "zod";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import type { ValidationIssue } from "../schemas/error_schemas.ts";
import { type EVENT_STREAM, STREAM_HEADERS } from "../../base/text/event_stream.ts";
import { RequestRefused } from "../errors.ts";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import type { OperationPath } from "./operation_paths.ts";
import { type Source, toWire } from "../schemas/wire.ts";
import type { Lifecycle } from "../streams/lifecycle.ts";
import { PolledAnswers } from "./polled_answers.ts";
import { cutEnd } from "../../base/text/cut_text.ts";

/** The objects that the handlers of operations use. */
export interface Services {
  runtime: Runtime;
  lifecycle: Lifecycle;
  /** The sender of the request. */
  caller: Caller;
  /** True only for requests over the Unix socket, which come from the user of this machine and may name folders. */
  isLocal?: boolean;
  /** Returns the addresses of the open listeners: `unix:/path`, `tcp://host:port`. */
  transports: () => readonly string[];
}

type Answer = z.ZodType | typeof EVENT_STREAM;
/** The type of a handler's result; null for a stream that has no more events. */
type AnswerOf<R extends Answer> = R extends z.ZodType ? Source<R>
  : ReadableStream<Uint8Array> | null;

/** The kind of resource that `{id}` in a path identifies. */
export interface PathResource<Id> {
  /** The schema of the id in the path. */
  readonly id: z.ZodType<Id, string>;
  /** Throws if the resource does not exist. This check precedes all other checks of a request. */
  find(id: Id, services: Services): Promise<unknown>;
}

/** The declaration of an operation without its handler. Header names are in lower case. */
interface Declaration<R, I, Q, H, B> {
  summary: string;
  /** Details that the summary does not contain. */
  description?: string;
  /** The resource that `{id}` in the path identifies, if there is one. */
  resource?: PathResource<I>;
  query?: Q;
  headers?: H;
  /** The schema of the body. A missing body is validated as `{}`. */
  body?: B;
  /** The schema of the response. The handler returns the source from which toWire() makes the response. */
  response: R;
  /**
   * True if clients poll the operation. The response is 304 if the `If-None-Match` of the request lists the ETag of the
   * response.
   */
  isPolled?: true;
  /** The schema of the events' data, if the response is a stream. */
  events?: z.ZodType;
  /**
   * The statuses of the operation's own refusals. Does not contain 404 (implied by `resource`), 422, 500, and the refusals
   * of every body.
   */
  errors?: readonly number[];
}

/** A request before its validation. */
export interface RawRequest {
  params: Readonly<Record<string, string>>;
  /** The query parameters. A repeated parameter is a list. */
  query: Readonly<Record<string, string | string[]>>;
  headers: Headers;
  /** Reads the body. Throws RequestRefused. */
  readBody(): Promise<unknown>;
}

type Fields = z.ZodObject | undefined;
type Read<S> = S extends z.ZodType ? z.output<S> : undefined;

/** An operation without its path. Its type parameters give the client the types of input and response. */
export interface Operation<
  R extends Answer = Answer,
  I = unknown,
  Q extends Fields = Fields,
  B extends z.ZodType | undefined = z.ZodType | undefined,
> extends Omit<Declaration<R, I, Q, z.ZodObject, B>, "query" | "body"> {
  params: z.ZodObject<{ id: z.ZodType<I, string> }> | undefined;
  query: Q;
  body: B;
  errors: readonly number[];
  /**
   * Validates the request, runs the handler, and returns a response with status 200, 204 or 304. Throws RequestRefused
   * (422), or the handler's error.
   */
  respond(request: RawRequest, services: Services): Promise<Response>;
}

/** An operation with its path. */
export type DescribedOperation = Operation & OperationPath;

/** Creates an operation from its declaration and its typed handler. */
export function operation<
  R extends Answer,
  I = undefined,
  Q extends Fields = undefined,
  H extends Fields = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  declaration: Declaration<R, I, Q, H, B> & {
    handle(
      request: {
        id: I;
        query: Read<Q>;
        headers: Read<H>;
        body: Read<B>;
        /** Sets a header of the response. */
        setHeader: (name: string, value: string) => void;
      },
      services: Services,
    ): Promise<AnswerOf<R>>;
  },
): Operation<R, I, Q, B> {
  const { handle, resource, errors = [], query, headers, body, ...described } = declaration;
  const params = resource && z.object({ id: resource.id });
  const polled = new PolledAnswers();
  return {
    ...described,
    params,
    query: query as Q,
    ...(headers && { headers }),
    body: body as B,
    errors: resource === undefined ? errors : [404, ...errors],
    async respond(raw, services) {
      const issues: ValidationIssue[] = [];
      const { id } = check(params, raw.params, "path", issues) as { id: I };
      const isKnown = issues.length === 0;
      const read = {
        query: check(query, raw.query, "query", issues) as Read<Q>,
        headers: check(
          headers,
          headers && Object.fromEntries(raw.headers),
          "header",
          issues,
        ) as Read<H>,
      };
      let checked;
      try {
        const given = await raw.readBody();
        checked = check(body, given === undefined ? {} : given, "body", issues) as Read<B>;
        if (issues.length > 0) throw new RequestRefused(422, issues.slice(0, MAX_ISSUES));
      } catch (error) {
        if (isKnown && error instanceof RequestRefused) await resource?.find(id, services);
        throw error;
      }
      const given = new Headers();
      const setHeader = (name: string, value: string) => given.set(name, value);
      const answer = await handle({ id, ...read, body: checked, setHeader }, services);
      if (answer === null) return new Response(null, { status: 204 });
      if (answer instanceof ReadableStream) {
        return new Response(answer, { headers: STREAM_HEADERS });
      }
      // Streams were handled above, so `declaration.response` is a schema here. The type does not show that.
      const schema = declaration.response as z.ZodType;
      return declaration.isPolled === true
        ? polled.respond(schema, answer, raw.headers.get("if-none-match"))
        : Response.json(toWire(schema, answer), { headers: given });
    },
  };
}

/** The maximum number of problems in one refusal. */
const MAX_ISSUES = 20;

function check<S extends z.ZodType>(
  schema: S | undefined,
  value: unknown,
  location: string,
  issues: ValidationIssue[],
): z.output<S> {
  // Without a schema, the handler's argument has no type for this part, so no handler reads this value.
  if (schema === undefined) return {} as z.output<S>;
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  issues.push(...result.error.issues.flatMap((issue) => toIssues(issue, [location])));
  // This value is never read, because the caller throws if there are issues.
  return {} as z.output<S>;
}

/** The maximum number of characters shown of an invalid input. */
const MAX_INPUT_SHOWN = 500;

/**
 * Converts an issue of the schema. After the issue of a union, the list also contains the issues of the alternative that
 * the client probably meant.
 */
function toIssues(
  issue: z.core.$ZodIssue,
  parent: readonly (string | number)[],
): ValidationIssue[] {
  const loc = [
    ...parent,
    ...issue.path.map((part) => typeof part === "number" ? part : String(part)),
  ];
  const own = { type: issue.code, loc, msg: issue.message, input: toShown(issue.input) };
  if (issue.code !== "invalid_union") return [own];
  return [own, ...likelyAlternative(issue.errors).flatMap((inner) => toIssues(inner, loc))];
}

/**
 * Returns the issues of the only alternative with an issue below its top level; empty if no alternative or several have
 * such an issue.
 */
function likelyAlternative(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const [likely = [], ...others] = alternatives.filter((issues) =>
    issues.every((one) => one.path.length > 0)
  );
  return others.length === 0 ? likely : [];
}

function toShown(input: unknown): unknown {
  const text = JSON.stringify(input) ?? "null";
  return text.length <= MAX_INPUT_SHOWN ? input ?? null : cutEnd(text, MAX_INPUT_SHOWN);
}
