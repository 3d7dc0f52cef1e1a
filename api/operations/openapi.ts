// Generates the API description (OpenAPI 3.1) from the operations and their schemas.
import { z } from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { ErrorBody } from "../schemas/error_schemas.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { rolesWith } from "../../runtime/vocabulary/rights.ts";
import type { DescribedOperation } from "./operation.ts";

/** Returns the document for `/openapi.json`. Throws TypeError for a schema that JSON Schema cannot express. */
export function describeApi(
  operations: readonly DescribedOperation[],
  options: { version: string },
): JsonObject {
  const components: JsonObject = {};
  const error = describe(ErrorBody, components, "output");
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ??= {};
    path[operation.method.toLowerCase()] = describeOperation(operation, { components, error });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Inkling",
      version: options.version,
      description:
        "Runs agents that are defined in Markdown files, records their executions and streams " +
        'them live. The body of an error is `{"detail"}`. The Unix socket needs no key. Over TCP every ' +
        "path except `/health` requires `X-API-Key` (401), and a `Host` (421) and an `Origin` (403) " +
        "of this service.",
      license: { name: "MIT", identifier: "MIT" },
    },
    // A relative URL, because a client on the socket may use any host name.
    servers: [{ url: "/" }],
    tags: [...new Set(operations.map(toTag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: { ApiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
    },
  };
}

/** The response header `ETag`, for operations that clients may poll. */
const TAG_HEADER: JsonObject = {
  ETag: { description: "The tag of this response", schema: { type: "string" } },
};
/** The request header `If-None-Match`, with which clients that poll receive 304 for unchanged data. */
const TAGS_PARAMETER: JsonObject = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "Tags of the responses that the client has; 304 if this response is among them",
  schema: { type: "string" },
};

/** Returns the tag under which the API description groups an operation: the first segment of its path. */
function toTag({ path }: DescribedOperation): string {
  return path.split("/")[1] ?? "";
}

interface Shared {
  components: JsonObject;
  error: JsonValue;
}

function describeOperation(operation: DescribedOperation, shared: Shared): JsonObject {
  const { id: operationId, summary, description, body, right } = operation;
  const said = [description, describeRight(right)].filter((text) => text !== undefined);
  return {
    operationId,
    summary,
    ...(said.length > 0 && { description: said.join(" ") }),
    tags: [toTag(operation)],
    ...(right !== "open" && { "x-right": right }),
    // The second alternative, `{}`, means that a request may have no key, because the Unix socket needs none.
    security: right === "open" ? [] : [{ ApiKey: [] }, {}],
    parameters: [
      ...describeParameters(operation.params, "path", shared.components),
      ...describeParameters(operation.query, "query", shared.components),
      ...describeParameters(operation.headers, "header", shared.components),
      ...(operation.isPolled ? [TAGS_PARAMETER] : []),
    ],
    ...(body !== undefined && {
      requestBody: {
        // The body is required unless `{}` is valid, because a missing body is validated as an empty object.
        required: !body.safeParse({}).success,
        content: { "application/json": { schema: describe(body, shared.components, "input") } },
      },
    }),
    responses: describeResponses(operation, shared),
  };
}

function describeRight(right: DescribedOperation["right"]): string | undefined {
  if (right === "open") return undefined;
  return `Needs the right \`${right}\` (roles: ${rolesWith(right).join(", ")}).`;
}

function describeParameters(
  schema: z.ZodObject | undefined,
  place: "path" | "query" | "header",
  components: JsonObject,
): JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    // Describe the parsed value, such as an integer from 1 to 500, and not the pattern of its text.
    const described = describe(field, components, "output");
    const list = isJsonObject(described) && described["type"] === "array";
    return {
      name,
      in: place,
      required: place === "path",
      schema: described,
      // Several values are written in one parameter, separated by commas.
      ...(list && { style: "form", explode: false }),
    };
  });
}

const REASONS: Readonly<Record<number, string>> = {
  401: "The API key is missing or wrong (TCP only)",
  403: "The key does not have the right, or the request comes from a page of another origin",
  404: "Not found",
  408: "The body did not arrive in time",
  409: "Conflicts with the current state",
  412: "The file was changed since the version in If-Match",
  413: "The body is larger than 1 MiB",
  415: "Content-Type must be application/json",
  421: "The Host header is not a host name of this service (TCP only)",
  422: "The request does not match its schema",
  428: "If-Match is missing",
  503: "The service is shutting down, or its database does not answer",
};

/** The statuses with which a body is refused before its validation; see request_body.ts. */
const BODY_REFUSALS = [408, 413, 415];

function describeResponses(
  operation: DescribedOperation,
  { components, error }: Shared,
): JsonObject {
  const { response, method, path, params, query, headers, body, errors, events } = operation;
  const { isPolled } = operation;
  const success = response === EVENT_STREAM
    ? {
      [EVENT_STREAM]: {
        schema: {
          type: "string",
          description: "Server-sent events. The data of each event is one line of JSON.",
          ...(events !== undefined && {
            contentMediaType: EVENT_STREAM,
            contentSchema: describe(events, components, "output"),
          }),
        },
      },
    }
    : { "application/json": { schema: describe(response, components, "output") } };
  // The service reads every body, even an unused one, and may refuse it.
  const takesBody = method !== "GET";
  const checked = takesBody ||
    [params, query, headers, body].some((schema) => schema !== undefined);
  const refusals = [
    ...(path === "/health" ? [403, 421] : [401, 403, 421]),
    ...errors,
    ...(takesBody ? BODY_REFUSALS : []),
    ...(checked ? [422] : []),
  ];
  const described = refusals.map((status) => [
    String(status),
    {
      description: REASONS[status] ?? "Refused",
      content: { "application/json": { schema: error } },
    },
  ]);
  return {
    "200": { description: "Success", content: success, ...(isPolled && { headers: TAG_HEADER }) },
    ...(isPolled && { "304": { description: "`If-None-Match` lists the `ETag` of the response" } }),
    ...(headers !== undefined && "last-event-id" in headers.shape &&
      {
        "204": { description: "`Last-Event-ID` or `after` is the last event, so no more follow" },
      }),
    ...Object.fromEntries(described),
  };
}

/** Returns a schema as JSON Schema. Adds schemas with an id to `components` and returns references to them. */
function describe(schema: z.ZodType, components: JsonObject, io: "input" | "output"): JsonValue {
  const { $schema: _, $defs, ...described } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // Allow further fields in responses, because later versions may add some.
      if (io === "output" && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      // Remove constraints that every date and every integer of JavaScript satisfies.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  for (const [id, definition] of Object.entries($defs ?? {})) {
    components[id] = toComponentReferences(toJson(definition));
  }
  return toComponentReferences(toJson(described));
}

/** Returns a value as plain JSON without undefined members. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

function toComponentReferences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(toComponentReferences);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "$ref" && typeof one === "string"
        ? one.replace("#/$defs/", "#/components/schemas/")
        : toComponentReferences(one),
    ]),
  );
}
