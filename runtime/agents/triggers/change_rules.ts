// Defines the fields of a change trigger, checks the rules between them, and converts them.
import { z } from "zod";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import { field, filledText } from "../../config/fields.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { parsePointer } from "../../../base/text/json_pointer.ts";

const webAddress = z.string().superRefine((text, context) => {
  const url = URL.parse(text.trim());
  const message = url === null || !/^https?:$/.test(url.protocol)
    ? "must be an http or https address"
    : url.username !== "" || url.password !== ""
    ? "must not hold a user name or password: use trigger.headers"
    : undefined;
  if (message !== undefined) {
    context.addIssue({ code: "custom", message, params: { hideValue: url !== null } });
  }
});

/** Matches the parts of an expression that engines without backtracking do not have. */
const BACKTRACKING = /\(\?(<?[=!])|\\[1-9]|\\k</;

const expression = filledText.max(1_000).refine(
  (source) => !BACKTRACKING.test(source) && (isValid(source, "u") || isValid(toPlain(source), "")),
  "must be an expression of RE2, without lookahead, lookbehind and backreferences",
);

/** Returns true if JavaScript accepts an expression. It finds nearly all errors, and the first check finds the others. */
function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) !== undefined;
  } catch {
    return false;
  }
}

/** Returns an expression without the syntax that only RE2 has: `(?i)` and the like, and `(?P<name>`. */
function toPlain(source: string): string {
  return source.replaceAll(/\(\?[imsU]+\)/g, "").replaceAll("(?P<", "(?<");
}

/** The schemas of the fields of `trigger` that only a change trigger has. */
const CHANGE_FIELDS = {
  url: webAddress.nullish().meta({
    values: "text",
    description: "change: the address of a page, an API or a feed; either `url` or `command`",
  }),
  command: filledText.nullish().meta({
    description: "change: a command whose output is compared, run in the agent's shell",
  }),
  select: filledText.nullish().meta({
    description:
      "change: the part to compare: a CSS selector, or a JSON pointer such as `/version`",
  }),
  headers: z.record(
    z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "must be the name of a header"),
    z.string().regex(/^[\t\x20-\x7e]*$/, "must hold only printable ASCII characters"),
  ).nullish().meta({
    values: "map of text",
    description: "change: the headers of the request; `${NAME}` stands for a variable",
  }),
  each: field(z.boolean(), false, "change: a run for each new entry of a feed"),
  ignore: field(
    z.array(expression),
    [],
    "change: expressions (RE2); text that matches one of them is not compared",
  ),
};

/** Matches a variable in the value of a header. */
export const HEADER_VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns the names of the variables in the headers of a change trigger. */
function headerVariables({ headers }: ReturnType<typeof toChange>): string[] {
  const texts = Object.values(headers);
  return texts.flatMap((text) => [...text.matchAll(HEADER_VARIABLE)].map(([, name = ""]) => name));
}

type RawFields = Readonly<Record<string, unknown>>;

/** Returns a diagnostic for every broken rule of a change trigger. */
function checkChange(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  const has = (key: string) => trigger[key] != null && trigger[key] !== false;
  const report = (key: string, message: string, hint?: string) =>
    diagnose(file, ["trigger", key], { message, ...(hint && { hint }) }, "key");
  const hasShell = ![undefined, null, false].includes(file.document.value["shell"] as null);
  const problems: Diagnostic[] = [];
  if (has("url") === has("command")) {
    const count = has("url") ? "both are given" : "neither is given";
    problems.push(diagnose(file, ["trigger", has("url") ? "command" : "type"], {
      message:
        `A change trigger needs exactly one of trigger.url and trigger.command, and ${count}`,
      hint: "for instance url: https://example.com/news",
    }));
  }
  if (has("command") && !hasShell) {
    const message = "trigger.command needs shell: the command runs in the agent's shell";
    problems.push(report("command", message, "add shell: true to the file"));
  }
  if (!has("every")) {
    const message = "trigger.every is missing: a change trigger needs the interval of its checks";
    problems.push(
      diagnose(file, ["trigger", "type"], { message, hint: "for instance every: 30m" }),
    );
  }
  for (const key of ["headers", "each"]) {
    if (has(key) && has("command")) problems.push(report(key, `trigger.${key} needs trigger.url`));
  }
  const { select } = trigger;
  if (typeof select !== "string" || select.trim() === "") return problems;
  if (select.startsWith("/") ? parsePointer(select) === undefined : has("command")) {
    problems.push(report("select", "trigger.select must be a JSON pointer", "such as /version"));
  }
  if (has("each")) {
    problems.push(report("each", "trigger.each is for feeds, without trigger.select"));
  }
  return problems;
}

/** The values of CHANGE_FIELDS and of the fields that other kinds have, too. */
type WrittenChange = z.output<z.ZodObject<typeof CHANGE_FIELDS>> & {
  every?: string | null | undefined;
  max_runs: number;
};

/** Converts the fields of a change trigger that passed the rules. */
function toChange(written: WrittenChange) {
  const { url, command, every, select, headers, each, ignore, max_runs: maxRuns } = written;
  // checkChange() refuses a trigger without an interval.
  if (every == null) throw new TypeError("A change trigger has no interval");
  return {
    type: "change" as const,
    // Exactly one of `url` and `command` is set. The command runs in the agent's shell.
    ...(url != null && { url: url.trim() }),
    ...(command != null && { command }),
    /** The interval between two checks, as written in the file. */
    every,
    // A CSS selector, or a JSON pointer. The whole content is compared if it is absent.
    ...(select != null && { select: select.trim() }),
    /** The request headers. `${NAME}` in a value stands for a variable. */
    headers: headers ?? {},
    // Set if each new entry of a feed starts a run of its own.
    ...(each && { each }),
    /** Expressions. A text that one of them matches does not count as a change. */
    ignore,
    maxRuns,
  };
}

/**
 * Starts the agent when the content of an address or the output of a command changes: the fields, the rules and the
 * conversion.
 */
export const CHANGE = {
  fields: CHANGE_FIELDS,
  check: checkChange,
  convert: toChange,
  secrets: headerVariables,
};
