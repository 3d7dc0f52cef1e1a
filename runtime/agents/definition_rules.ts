// Checks the rules between the fields of an agent file. The rules read the values as written, so they are also checked if
// another field has a wrong type.
import { isNamedProvider, NAMED_PROVIDERS, readModelText } from "../config/providers.ts";
import { diagnose, type DiagnosedFile } from "../config/files/diagnosed_file.ts";
import { formatPath, listWords, showValue } from "../config/files/shown_value.ts";
import type { YamlPath } from "../config/files/yaml_document.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject, objectIn } from "../../base/json.ts";
import { nearestHint, suggest } from "../../base/text/suggestion.ts";
import { BUILTIN_TOOL_NAMES, isBuiltinName } from "../vocabulary/builtin_tools.ts";
import { TRIGGER_TYPES, type TriggerType } from "../vocabulary/trigger_kinds.ts";
import { isRole } from "../vocabulary/rights.ts";
import { checkCron, checkPatterns } from "./triggers/basic_rules.ts";
import { KINDS_OF_FIELD, TRIGGER_FORMS } from "./triggers/trigger_forms.ts";

type RawFields = Readonly<Record<string, unknown>>;

/** Returns a diagnostic for every broken rule of a file. */
export function checkRules(
  file: DiagnosedFile,
  defaults: { provider?: string | null | undefined },
): Diagnostic[] {
  const root = file.document.value;
  const { provider, fallback: entries } = objectIn(root, "model");
  const fallback = Array.isArray(entries) ? entries : [];
  return [
    ...checkSynonyms(file, root, [], "custom_tools", "tools"),
    ...["custom_tools", "tools"].flatMap((field) => checkLeftOut(file, root[field], field)),
    ...checkProvider(file, root["model"], defaults),
    ...checkModel(file, objectIn(root, "model"), ["model"]),
    ...fallback.flatMap((one, index) => {
      const path = ["model", "fallback", index];
      if (isJsonObject(one)) return checkModel(file, one, path, provider);
      const configured = [defaults.provider, provider];
      return typeof one === "string" ? checkModelText(file, one, { path, configured }) : [];
    }),
    ...checkApprovals(file, root),
    ...checkTrigger(file, objectIn(root, "trigger"), { follows: has(root, "after") }),
  ];
}

function checkSynonyms(
  file: DiagnosedFile,
  map: RawFields,
  path: YamlPath,
  field: string,
  synonym: string,
): Diagnostic[] {
  if (!has(map, field) || !has(map, synonym)) return [];
  const message = `${field} and ${synonym} are two names of one field: use one of them`;
  return [diagnose(file, [...path, synonym], { message }, "key")];
}

/** Reports a number of approvals that the listed people cannot reach. */
function checkApprovals(file: DiagnosedFile, { approvers, approvals }: RawFields): Diagnostic[] {
  const names = new Set([approvers ?? []].flat());
  // Any number of people may have a role.
  if (approvers == null || typeof approvals !== "number" || [...names].some(isRole)) return [];
  if (approvals <= names.size) return [];
  const message = `approvals is ${approvals}, and approvers names only ${names.size}`;
  const hint = "name more people, or a role";
  return [diagnose(file, ["approvals"], { message, hint })];
}

/** Reports entries such as `-name` in a list of tools that name no built-in tool. */
function checkLeftOut(file: DiagnosedFile, entries: unknown, field: string): Diagnostic[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown, index) => {
    if (typeof entry !== "string" || !entry.startsWith("-")) return [];
    const name = entry.slice(1);
    if (isBuiltinName(name)) return [];
    const nearest = suggest(name, BUILTIN_TOOL_NAMES);
    const message = `${field} leaves out ${showValue(name)}, which is not a built-in tool`;
    const hint = nearest === undefined ? {} : { hint: `did you mean "-${nearest}"?` };
    return [diagnose(file, [field, index], { message, ...hint })];
  });
}

/** Reports a model without a provider. */
function checkProvider(
  file: DiagnosedFile,
  model: unknown,
  defaults: { provider?: string | null | undefined },
): Diagnostic[] {
  if (typeof model === "string") {
    return checkModelText(file, model, { path: ["model"], configured: [defaults.provider] });
  }
  if (defaults.provider != null || !isJsonObject(model) || has(model, "provider")) return [];
  return [diagnose(file, ["model"], { message: NO_PROVIDER }, "key")];
}

const NO_PROVIDER = "model.provider is missing: name it, or set defaults.provider in config.yaml";

/** Checks the text of a model. `configured` are the known providers beside the named ones. */
function checkModelText(
  file: DiagnosedFile,
  text: string,
  { path, configured }: { path: YamlPath; configured: readonly unknown[] },
): Diagnostic[] {
  const providers = configured.filter((one) => typeof one === "string");
  const { provider, name } = readModelText(text, providers);
  const at = formatPath(path);
  if (provider !== undefined && name.trim() === "") {
    return [
      diagnose(file, path, { message: `${at} must be provider/name, got ${showValue(text)}` }),
    ];
  }
  if (provider !== undefined || text.trim() === "") return [];
  const [before = "", ...rest] = text.split("/");
  if (rest.length === 0) {
    return providers.length > 0 ? [] : [diagnose(file, path, { message: NO_PROVIDER }, "key")];
  }
  const nearest = suggest(before, NAMED_PROVIDERS);
  const hint = nearest !== undefined && { hint: `did you mean "${nearest}/${rest.join("/")}"?` };
  if (providers.length === 0) {
    return [diagnose(file, path, {
      message: `${at} must begin with ${listWords(NAMED_PROVIDERS)}, or defaults.provider must ` +
        `be set in config.yaml, got ${showValue(text)}`,
      ...hint,
    })];
  }
  // Names of models may begin with anything, so only a likely typing error is reported.
  return hint === false ? [] : [diagnose(file, path, {
    severity: "warning",
    message: `${at} has no known provider: ${showValue(text)} is the name of a model of ${
      providers[0]
    }`,
    ...hint,
  })];
}

/** Checks the map of a model. `reached` is a provider whose address is set elsewhere, so that the map needs none. */
function checkModel(
  file: DiagnosedFile,
  model: RawFields,
  path: YamlPath,
  reached?: unknown,
): Diagnostic[] {
  const diagnostics = checkSynonyms(file, model, path, "base_url", "url");
  const { provider } = model;
  if (typeof provider !== "string" || provider.trim() === "" || provider === reached) {
    return diagnostics;
  }
  if (!isNamedProvider(provider) && !has(model, "base_url") && !has(model, "url")) {
    const name = formatPath(path);
    diagnostics.push(diagnose(file, [...path, "provider"], {
      message: `${name}.provider must be ${listWords(NAMED_PROVIDERS)}, or any other name ` +
        `together with ${name}.base_url, got ${showValue(provider)}`,
      ...nearestHint(provider, NAMED_PROVIDERS),
    }));
  }
  return diagnostics;
}

function checkTrigger(
  file: DiagnosedFile,
  trigger: RawFields,
  { follows }: { follows: boolean },
): Diagnostic[] {
  const type = TRIGGER_TYPES.find((one) => one === (trigger["type"] ?? "manual"));
  const diagnostics = type === undefined ? [] : TRIGGER_FORMS[type].check(file, trigger);
  // `max_failures` also applies to an agent that only `after` starts.
  const { max_failures: _, ...rest } = trigger;
  const own = follows ? rest : trigger;
  if (type !== undefined) diagnostics.push(...warnOfIdleFields(file, own, type));
  diagnostics.push(...checkCron(file, trigger), ...checkPatterns(file, trigger));
  return diagnostics;
}

function warnOfIdleFields(
  file: DiagnosedFile,
  trigger: RawFields,
  type: TriggerType,
): Diagnostic[] {
  const idle = Object.keys(trigger).filter((key) =>
    has(trigger, key) && Object.hasOwn(KINDS_OF_FIELD, key) && !KINDS_OF_FIELD[key]?.includes(type)
  );
  const diagnostics = idle.map((key) =>
    diagnose(file, ["trigger", key], {
      severity: "warning",
      message: `trigger.${key} has no effect: the trigger's type is ${type}`,
      hint: `it belongs to type ${listWords(KINDS_OF_FIELD[key] ?? [])}`,
    }, "key")
  );
  if (type === "schedule" && has(trigger, "timezone") && !has(trigger, "cron")) {
    const message = "trigger.timezone has no effect: only cron uses a time zone";
    diagnostics.push(
      diagnose(file, ["trigger", "timezone"], { severity: "warning", message }, "key"),
    );
  }
  return diagnostics;
}

/** Returns true if a key has a value. A key with an empty value counts as absent. */
function has(map: RawFields, key: string): boolean {
  return Object.hasOwn(map, key) && map[key] != null;
}
