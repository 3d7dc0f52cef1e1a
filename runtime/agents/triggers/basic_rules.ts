// Defines the fields of schedules and watches, checks the rules between them, and converts them.
import { z } from "zod";
import {
  debounce,
  field,
  filledText,
  interval,
  oneOrMore,
  pathText,
  section,
  textList,
} from "../../config/fields.ts";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import { showValue } from "../../config/files/shown_value.ts";
import type { YamlPath } from "../../config/files/yaml_document.ts";
import { isTimeZone, zoneOfWindows } from "../../config/time_zone.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { compileGlob } from "../../../base/files/glob.ts";
import { objectIn } from "../../../base/json.ts";
import { cronRemedy, parseCron } from "./cron_expression.ts";

type RawFields = Readonly<Record<string, unknown>>;

/** The schemas of the fields of `trigger` for times. A change trigger has `every`, too. */
const SCHEDULE_FIELDS = {
  every: interval.nullish().meta({
    values: "duration",
    description:
      "schedule: the interval; either `every` or `cron`; change: the interval of the checks",
  }),
  cron: filledText.nullish().meta({
    description:
      "schedule: minute, hour, day of month, month, day of week; or `@daily` and the like",
  }),
  timezone: filledText.nullish().meta({
    description: "schedule: IANA name of the time zone for cron",
    default: "the machine's",
    synonym: "tz",
  }),
};

/** The schemas of the fields of `trigger` that only a watch has. */
const WATCH_FIELDS = {
  paths: oneOrMore(pathText).nullish().meta({
    values: "text or list",
    description: "watch: folders (with everything in them), files and patterns",
  }),
  filters: section({
    include: field(textList, [], "watch: only names or paths that match one of these patterns"),
    exclude: field(textList, [], "watch: no names or paths that match one of these patterns"),
  }),
  debounce: field(
    debounce,
    0.5,
    "watch: the time without changes before a run starts, in seconds or as a duration",
  ),
  same_content: field(
    z.boolean(),
    false,
    "watch: fire also for a file that was written again with the same content",
  ),
};

/** The field `catch_up` of schedules and watches. */
export const CATCH_UP = field(
  z.enum(["once", "none"]),
  "none",
  "`once`: after a time without the service, a run for the newest missed time, or for each changed file",
);

/** The values of fields that several kinds of triggers have. */
interface SharedFields {
  catch_up: z.output<typeof CATCH_UP>;
  max_runs: number;
}

/** Returns a diagnostic for each broken rule of a schedule. */
function checkSchedule(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  const hasEvery = trigger["every"] != null;
  const both = hasEvery && trigger["cron"] != null;
  if (!both && (hasEvery || trigger["cron"] != null)) return [];
  const count = both ? "both are given" : "neither is given";
  return [diagnose(file, both ? ["trigger", "cron"] : ["trigger", "type"], {
    message: `A schedule needs exactly one of trigger.every and trigger.cron, and ${count}`,
    ...(both ? {} : { hint: "for instance every: 5m" }),
  }, both ? "key" : "value")];
}

/** Returns a diagnostic for each broken rule of a watch. */
function checkWatch(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  const paths = trigger["paths"];
  if (paths == null) {
    const message = "trigger.paths is missing: a watch trigger needs at least one path";
    return [diagnose(file, ["trigger", "type"], { message })];
  }
  if (!Array.isArray(paths) || paths.length > 0) return [];
  const message = "trigger.paths must not be empty: a watch trigger needs at least one path";
  return [diagnose(file, ["trigger", "paths"], { message })];
}

/** Reports an invalid expression of cron, or an unknown time zone, in a trigger of any type. */
export function checkCron(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  const { cron, timezone } = trigger;
  const diagnostics: Diagnostic[] = [];
  if (typeof cron === "string" && cron.trim() !== "") {
    const parsed = parseCron(cron);
    if ("reason" in parsed) {
      const message = `trigger.cron ${parsed.reason}, got ${showValue(cron)}`;
      const hint = cronRemedy(cron);
      diagnostics.push(
        diagnose(file, ["trigger", "cron"], { message, ...(hint === undefined ? {} : { hint }) }),
      );
    }
  }
  if (typeof timezone === "string" && timezone.trim() !== "" && !isTimeZone(timezone)) {
    diagnostics.push(diagnose(file, ["trigger", "timezone"], {
      message: `trigger.timezone must be a time zone, got ${showValue(timezone)}`,
      hint: zoneOfWindows(timezone) ?? "for instance Europe/Paris",
    }));
  }
  return diagnostics;
}

/** Reports invalid patterns of paths in a trigger of any type. */
export function checkPatterns(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  const filters = objectIn(trigger, "filters");
  const lists: [YamlPath, unknown][] = [
    [["trigger", "paths"], trigger["paths"]],
    [["trigger", "filters", "include"], filters["include"]],
    [["trigger", "filters", "exclude"], filters["exclude"]],
  ];
  return lists.flatMap(([path, list]) =>
    (Array.isArray(list) ? list : [list]).flatMap((pattern, index) => {
      // A pattern that ends with a slash matches everything below the folder: `/**` is appended to it. Each pattern is
      // checked in this form.
      const matcher = typeof pattern === "string"
        ? compileGlob(`${pattern.normalize("NFC")}/**`, { dot: true })
        : undefined;
      if (matcher === undefined || typeof matcher === "function") return [];
      const place = Array.isArray(list) ? [...path, index] : path;
      const message = `The pattern in ${path.join(".")} ${matcher.reason}`;
      return [diagnose(file, place, { message })];
    })
  );
}

/** Converts the trigger of an agent that only starts on request. */
const toManual = () => ({ type: "manual" as const });

/** Converts the fields of a schedule that passed the rules. */
function toSchedule(
  { every, cron, timezone, catch_up: catchUp }:
    & z.output<z.ZodObject<typeof SCHEDULE_FIELDS>>
    & SharedFields,
) {
  return {
    type: "schedule" as const,
    // The interval as written in the file. Exactly one of `every` and `cron` is set.
    ...(every == null ? {} : { every }),
    ...(cron == null ? {} : { cron: cron.trim() }),
    // The IANA time zone of `cron`. The machine's time zone if it is absent.
    ...(timezone == null || cron == null ? {} : { timezone }),
    catchUp,
  };
}

/** Converts the fields of a watch that passed the rules. */
function toWatch(written: z.output<z.ZodObject<typeof WATCH_FIELDS>> & SharedFields) {
  return {
    type: "watch" as const,
    paths: [...new Set(written.paths ?? [])],
    filters: written.filters,
    debounceMs: written.debounce,
    /** The maximum number of runs that start within ten minutes; one more stops the trigger. */
    maxRuns: written.max_runs,
    catchUp: written.catch_up,
    // Set if a file that is written again with the same content starts a run, too.
    ...(written.same_content && { sameContent: written.same_content }),
  };
}

/** The trigger of an agent that only starts on request: its fields, its rules and their conversion. */
export const MANUAL = { fields: {}, check: (): Diagnostic[] => [], convert: toManual };
/** Starts the agent at fixed times. */
export const SCHEDULE = { fields: SCHEDULE_FIELDS, check: checkSchedule, convert: toSchedule };
/** Starts the agent when files change. */
export const WATCH = { fields: WATCH_FIELDS, check: checkWatch, convert: toWatch };
