// Rules between the fields of a webhook trigger, as they are written.
import { diagnose, type DiagnosedFile } from "../config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { compileGlob } from "../../base/files/glob.ts";
import { isJsonObject } from "../../base/json.ts";
import { parsePointer } from "../../base/json_pointer.ts";

type Written = Readonly<Record<string, unknown>>;

/** Which of its fields mean something for which scheme only. */
const OF_SCHEME: Readonly<Record<string, readonly string[]>> = {
  header: ["hmac", "token"],
  encoding: ["hmac"],
};

/** Every broken rule of a webhook. */
export function checkWebhook(file: DiagnosedFile, trigger: Written): Diagnostic[] {
  return [
    ...checkRequired(file, trigger),
    ...warnOfIdleFields(file, trigger),
    ...checkFilter(file, isJsonObject(trigger["filter"]) ? trigger["filter"] : {}),
  ];
}

function checkRequired(file: DiagnosedFile, trigger: Written): Diagnostic[] {
  const hints = {
    scheme: "for instance scheme: github, or scheme: token for a sender that cannot sign",
    secret: "for instance secret: GH_HOOK_SECRET, and its value in the environment file",
  };
  return (["scheme", "secret"] as const).filter((key) => trigger[key] == null).map((key) =>
    diagnose(file, ["trigger", "type"], {
      message: `trigger.${key} is missing: a webhook takes only what shows who sent it`,
      hint: hints[key],
    })
  );
}

function warnOfIdleFields(file: DiagnosedFile, trigger: Written): Diagnostic[] {
  const { scheme } = trigger;
  if (typeof scheme !== "string") return [];
  return Object.entries(OF_SCHEME).flatMap(([key, schemes]) => {
    if (trigger[key] == null || schemes.includes(scheme)) return [];
    return [diagnose(file, ["trigger", key], {
      severity: "warning",
      message: `trigger.${key} has no effect: the scheme ${scheme} says it itself`,
      hint: `it belongs to scheme ${schemes.join(" or ")}`,
    }, "key")];
  });
}

function checkFilter(file: DiagnosedFile, filter: Written): Diagnostic[] {
  const at = ["trigger", "filter"];
  const events: unknown[] = Array.isArray(filter["events"]) ? filter["events"] : [];
  const fields = Object.entries(isJsonObject(filter["fields"]) ? filter["fields"] : {});
  return [
    ...events.flatMap((event, i) => checkPattern(file, [...at, "events", i], event)),
    ...fields.flatMap(([pointer, value]) => {
      const place = [...at, "fields", pointer];
      if (parsePointer(pointer) !== undefined && pointer !== "") {
        return checkPattern(file, place, value);
      }
      const message = "A key of trigger.filter.fields must be a JSON pointer";
      const hint = "for instance /repository/full_name";
      return [diagnose(file, place, { message, hint }, "key")];
    }),
  ];
}

function checkPattern(
  file: DiagnosedFile,
  at: (string | number)[],
  pattern: unknown,
): Diagnostic[] {
  const matcher = typeof pattern === "string" ? compileGlob(pattern, { dot: true }) : undefined;
  if (matcher === undefined || typeof matcher === "function") return [];
  return [diagnose(file, at, { message: `The pattern in ${at[1]}.${at[2]} ${matcher.reason}` })];
}
