// The tables of fields in docs/, generated from the schemas that validate these fields. `deno task docs` runs this file to
// write them.
import { join } from "node:path";
import { z } from "zod";
import { definitionSchema } from "../../runtime/agents/definition.ts";
import { caseSchema } from "../../ops/testing/test_case.ts";
import { configSchema } from "../../runtime/config/config_schema.ts";
import { writtenChat } from "../../runtime/config/chat_schema.ts";
import { writtenAccount } from "../../runtime/config/mail_schema.ts";
import { writtenPersonOfAll } from "../../runtime/config/people_schema.ts";
import { CHAT_RIGHTS, RIGHTS, ROLE_NAMES, ROLES } from "../../runtime/vocabulary/rights.ts";
import { writtenChannel } from "../../runtime/config/notify_schema.ts";
import { EXECUTION_STATUSES, isFinal, TRANSITIONS } from "../../runtime/executions/states.ts";
import { isJsonObject } from "../../base/json.ts";
import { IGNORED_NAMES } from "../../runtime/folders/ignored_names.ts";
import {
  HANDSHAKES,
  SCHEME_FORMS,
  type WebhookScheme,
} from "../../runtime/vocabulary/trigger_kinds.ts";
import { loadOperations } from "../../api/routes/operations.ts";
import { operationSections, schemaSections } from "./api_reference.ts";
import { commandSections, exitCodeTable, globalOptionTable } from "./cli_reference.ts";
import { endTable, statusTable } from "./error_reference.ts";
import { galleryTable } from "./gallery_reference.ts";
import { limitTable } from "./limit_reference.ts";
import { filesBelow, REPOSITORY } from "../support/repository.ts";

const OPERATIONS = await loadOperations();

/** The functions that generate the tables, by the name in the documents. */
const TABLES: Readonly<Record<string, () => string>> = {
  "agent-file": () => fieldTable(definitionSchema.omit({ id: true })),
  "config": () => fieldTable(configSchema),
  "channel": () => fieldTable(writtenChannel),
  "chat": () => fieldTable(writtenChat),
  "mail": () => fieldTable(writtenAccount),
  "person": () => fieldTable(writtenPersonOfAll),
  "rights": rightTable,
  "roles": roleTable,
  "endpoints": endpointTable,
  "execution-states": stateChart,
  "ignored-names": ignoredTable,
  "webhook-schemes": schemeTable,
  "test-case": () => fieldTable(caseSchema),
  "global-options": globalOptionTable,
  "commands": commandSections,
  "exit-codes": exitCodeTable,
  "operations": operationSections,
  "schemas": schemaSections,
  "statuses": statusTable,
  "ends": endTable,
  "limits": limitTable,
  "gallery": galleryTable,
};

const PLACE = /(<!-- table: ([a-z-]+) -->)[\s\S]*?(<!-- end -->)/g;

/** Returns the document with its tables generated from the current schemas. */
export function withTables(document: string): string {
  return document.replaceAll(PLACE, (_whole, begin: string, name: string, end: string) => {
    const table = TABLES[name];
    if (table === undefined) throw new TypeError(`No table is called ${name}`);
    return `${begin}\n\n${table()}\n\n${end}`;
  });
}

/** Returns the paths of the documents. */
export function documents(): string[] {
  return filesBelow(join(REPOSITORY, "docs")).filter((path) => path.endsWith(".md")).sort();
}

/** The parts of a request that prove its sender, for webhook schemes whose entry in SCHEME_FORMS has no `header`. */
const OTHER_PROOFS: Readonly<Partial<Record<WebhookScheme, string>>> = {
  "stripe": "`stripe-signature` and its time",
  "standard-webhooks": "`webhook-signature` and `webhook-timestamp`",
  "hmac": "the SHA-256 HMAC of the body in `header` (`X-Signature`), in `encoding`",
  "token": "the token, in the place that `in` and `header` name (`Authorization: Bearer …`)",
  "microsoft-graph": "`clientState` of each notification",
  "monday": "the JWT in `authorization`, signed with the app's signing secret, and its time",
};

function stateChart(): string {
  const changes = TRANSITIONS.map(({ from, to, by }) => `  ${from} --> ${to}: ${by}`);
  const ends = EXECUTION_STATUSES.filter(isFinal).map((status) => `  ${status} --> [*]`);
  const lines = ["stateDiagram-v2", "  [*] --> running: accepted", ...changes, ...ends];
  return `\`\`\`mermaid\n${lines.join("\n")}\n\`\`\``;
}

function schemeTable(): string {
  const code = (text: string) => `\`${text}\``;
  const rows = Object.entries(SCHEME_FORMS).map(([scheme, form]) => {
    const { header, timeHeader, bodyTime, hash, id, isIdSigned, mayRepeat } = form;
    const time = timeHeader ?? bodyTime;
    const proof = header === undefined
      ? OTHER_PROOFS[scheme as WebhookScheme]
      : code(header) + (time === undefined ? "" : ` and ${code(time)}`) +
        (hash === undefined ? "" : ", over the body and the address that you pasted");
    if (proof === undefined) throw new TypeError(`The proof of ${scheme} is not described`);
    const body = mayRepeat ? "an equal body within a minute" : "an equal body";
    const isSole = id !== undefined && (isIdSigned || id.startsWith("/"));
    const same = id === undefined ? body : `${code(id)}${isSole ? "; without it," : " or"} ${body}`;
    const event = form.event.map(code).join(", else ");
    const trial = Object.entries(HANDSHAKES).find(([one]) => one === scheme)?.[1] ?? "";
    return `| ${[code(scheme), proof, event, same, trial && code(trial)].join(" | ")} |`;
  });
  const heads = [
    "`scheme`",
    "Proof",
    "Event",
    "A repeat is recognized by",
    "Trial request that is answered",
  ];
  return [`| ${heads.join(" | ")} |`, "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

function fieldTable(schema: z.ZodObject): string {
  const rows = fieldRows(schema, "").map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`);
  return ["| Field | Values | Default | Meaning |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

function fieldRows(schema: z.ZodObject, prefix: string): string[][] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const type = z.core.clone(field as z.ZodType);
    const inner = objectIn(type);
    if (inner !== undefined) return fieldRows(inner, `${prefix}${name}.`);
    const { description, default: fallback } = (field as z.ZodType).meta() ?? {};
    if (description === undefined) throw new TypeError(`${prefix}${name} is not described`);
    return [[
      `\`${prefix}${name}\``,
      valuesOf(field as z.ZodType),
      showDefault(fallback),
      description,
    ]];
  });
}

/** Returns the object schema of a field without its wrappers, or undefined. */
function objectIn(field: z.core.$ZodType): z.ZodObject | undefined {
  if (field instanceof z.ZodObject) return field;
  if (field instanceof z.ZodPreprocess) return objectIn(field.out);
  // A text that stands for a map.
  if (field instanceof z.ZodUnion && field.options.length === 2) {
    const [text, map] = field.options;
    return text instanceof z.ZodString && map instanceof z.ZodObject ? map : undefined;
  }
  return field instanceof z.ZodOptional || field instanceof z.ZodNullable
    ? objectIn(field.unwrap())
    : undefined;
}

function showDefault(value: unknown): string {
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return "";
  if (value === undefined) return "";
  if (Array.isArray(value)) return `\`[${value.join(", ")}]\``;
  const text = String(value);
  return text === "required" || text.includes("`") || text.includes(" ") ? text : `\`${text}\``;
}

function valuesOf(field: z.ZodType): string {
  const { values } = field.meta() ?? {};
  if (typeof values === "string") return values;
  const kinds = kindsOf(z.toJSONSchema(field, { io: "input", unrepresentable: "any" }));
  if (kinds.length === 0) {
    throw new TypeError("The values of a field cannot be derived: give them in its metadata");
  }
  return [...new Set(kinds)].join(" or ");
}

/** Returns the values that a JSON Schema accepts, as text. Supports every form that the product's schemas produce. */
function kindsOf(kind: unknown): string[] {
  if (!isJsonObject(kind)) return [];
  const { anyOf, type, minimum, maximum, exclusiveMinimum } = kind;
  if (Array.isArray(anyOf)) return anyOf.flatMap(kindsOf);
  if (Array.isArray(kind["enum"])) {
    return [kind["enum"].filter((one) => one !== null).map((one) => `\`${one}\``).join(", ")];
  }
  if (kind["const"] !== undefined) return [`\`${kind["const"]}\``];
  const name = (Array.isArray(type) ? type : [type]).find((one) => one !== "null");
  const word = WORDS[String(name)];
  if (word === undefined) return [];
  const isBounded = typeof minimum === "number" && typeof maximum === "number" &&
    maximum < Number.MAX_SAFE_INTEGER;
  if (isBounded) return [`${word} ${minimum} to ${maximum}`];
  if (typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER) {
    return [`${word} from ${minimum}`];
  }
  return [typeof exclusiveMinimum === "number" ? `${word} above ${exclusiveMinimum}` : word];
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "`true`, `false`",
  array: "list",
  object: "map",
};

function endpointTable(): string {
  const rows = OPERATIONS.map(({ method, path, summary, right }) =>
    `| \`${method}\` | \`${path}\` | ${escapeCell(summary)} | \`${right}\` |`
  );
  return ["| Method | Path | | Right |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function roleTable(): string {
  const rows = ROLE_NAMES.map((role) => {
    const own = Object.entries(RIGHTS).filter(([, right]) => right.role === role);
    return `| \`${role}\` | ${ROLES[role]} | ${own.map(([name]) => `\`${name}\``).join(", ")} |`;
  });
  return ["| Role | Its person | Rights |", "| --- | --- | --- |", ...rows].join("\n");
}

function rightTable(): string {
  const rows = CHAT_RIGHTS.map((name) => `| \`${name}\` | ${RIGHTS[name].meaning} |`);
  return ["| Right | Lets a person |", "| --- | --- |", ...rows].join("\n");
}

function ignoredTable(): string {
  const code = (name: string) => `\`${name}\``;
  const rows = IGNORED_NAMES.map(({ what, names, folders = [] }) => {
    const also = folders.filter((name) => !names.includes(name)).map((name) => `${name}/`);
    return `| ${what} | ${[...names, ...also].map(code).join(", ")} |`;
  });
  return ["| Ignored | Names |", "| --- | --- |", ...rows].join("\n");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

if (import.meta.main) {
  for (const path of documents()) {
    await Deno.writeTextFile(path, withTables(await Deno.readTextFile(path)));
  }
}
