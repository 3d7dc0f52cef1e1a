// The reference of the HTTP API as Markdown, from the OpenAPI document that the service serves.
import { describeApi } from "../../api/operations/openapi.ts";
import { loadOperations } from "../../api/routes/operations.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { code, tableOf } from "./markdown_table.ts";

const DOCUMENT = describeApi(await loadOperations(), { version: "" });

/** The statuses that every operation has: the table of errors explains them. */
const SHARED_STATUSES: ReadonlySet<string> = new Set(["401", "403", "408", "413", "415", "421"]);

/** Returns a section for each operation. */
export function operationSections(): string {
  return Object.entries(objectAt(DOCUMENT, "paths")).flatMap(([path, methods]) =>
    Object.entries(toObject(methods)).map(([method, operation]) =>
      operationSection(`${method.toUpperCase()} ${path}`, toObject(operation))
    )
  ).join("\n\n");
}

/** Returns a section for each schema. */
export function schemaSections(): string {
  const schemas = objectAt(objectAt(DOCUMENT, "components"), "schemas");
  return Object.entries(schemas).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, schema]) => {
      const parts = [`### ${name}`, ...describeSchema(toObject(schema))];
      return parts.filter((part) => part !== "").join("\n\n");
    }).join("\n\n");
}

function operationSection(title: string, operation: JsonObject): string {
  const parameters = listAt(operation, "parameters").map(toObject).map((one) => [
    code(textAt(one, "name")),
    textAt(one, "in"),
    typeOf(one["schema"]),
    textAt(one, "description") || textAt(toObject(one["schema"]), "description"),
  ]);
  const body = bodyOf(objectAt(operation, "requestBody"));
  const responses = Object.entries(objectAt(operation, "responses"));
  const results = responses.filter(([status]) => !SHARED_STATUSES.has(status))
    .map(([status, response]) => {
      const type = bodyOf(toObject(response));
      const isError = type === "[Error](#error)";
      const meaning = textAt(toObject(response), "description");
      return [code(status), type === "" || isError ? meaning : type];
    });
  return [
    `### ${textAt(operation, "summary")}`,
    code(title),
    textAt(operation, "description"),
    parameters.length === 0 ? "" : tableOf(["Parameter", "In", "Type", "Meaning"], parameters),
    body === "" ? "" : `The body is ${body}.`,
    tableOf(["Status", "Response"], results),
  ].filter((part) => part !== "").join("\n\n");
}

/** Returns the type of the JSON or of the events that a request or a response contains; empty if it has no body. */
function bodyOf(message: JsonObject): string {
  const [[kind, content] = []] = Object.entries(objectAt(message, "content"));
  if (kind === undefined) return "";
  const schema = toObject(toObject(content ?? null)["schema"]);
  if (kind === "application/json") return typeOf(schema);
  const events = schema["contentSchema"];
  return `a stream of events${events === undefined ? "" : `, each ${typeOf(events)}`}`;
}

function describeSchema(schema: JsonObject): string[] {
  const description = textAt(schema, "description");
  const alternatives = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")];
  const fields = Object.entries(objectAt(schema, "properties"));
  if (fields.length === 0) {
    return [description, `${alternatives.length > 0 ? "One of: " : ""}${typeOf(schema)}.`];
  }
  const required = listAt(schema, "required");
  const rows = fields.map(([name, field]) => [
    code(name),
    typeOf(field),
    required.includes(name) ? "" : "may be absent",
    textAt(toObject(field), "description"),
  ]);
  return [description, tableOf(["Field", "Type", "", "Meaning"], rows)];
}

/** Returns the type of a JSON Schema in words. */
function typeOf(value: JsonValue | undefined): string {
  const schema = toObject(value);
  const reference = textAt(schema, "$ref").split("/").at(-1) ?? "";
  if (reference !== "") return `[${reference}](#${reference.toLowerCase()})`;
  const alternatives = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")];
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(" or ");
  const choices = listAt(schema, "enum");
  if (choices.length > 0) return choices.map((one) => code(String(one))).join(", ");
  if (schema["const"] !== undefined) return code(JSON.stringify(schema["const"]));
  const { type } = schema;
  if (Array.isArray(type)) {
    return type.map((one) => typeOf({ ...schema, type: one })).join(" or ");
  }
  if (type === "array") {
    return schema["items"] === undefined ? "list" : `list of ${typeOf(schema["items"])}`;
  }
  if (type === "object") {
    const fields = Object.keys(objectAt(schema, "properties"));
    return fields.length === 0 ? "map" : `map with ${fields.map(code).join(", ")}`;
  }
  if (type === "string") return textAt(schema, "format") === "date-time" ? "time" : "text";
  return type === undefined ? "any value" : String(type);
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function objectAt(value: JsonObject, key: string): JsonObject {
  return toObject(value[key]);
}

function listAt(value: JsonObject, key: string): JsonValue[] {
  const list = value[key];
  return Array.isArray(list) ? list : [];
}

function textAt(value: JsonObject, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text.replaceAll(/\s+/g, " ") : "";
}
