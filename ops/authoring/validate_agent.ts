// The checks behind `inkling validate` for one agent file: its content, and the resources that the agent needs. Larger
// checks have their own files in this folder.
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { type Agent, secretVariables } from "../../runtime/agents/agent.ts";
import { parseAgent } from "../../runtime/agents/parse_agent.ts";
import { diagnoseModel } from "./validate_model.ts";
import { diagnoseNames } from "./validate_names.ts";
import { diagnosePlaces } from "./validate_places.ts";
import { diagnoseResources, itemPath } from "../../runtime/agents/resource_problem.ts";
import { diagnoseUnattended } from "./validate_unattended.ts";
import { builtinToolsBy } from "../../runtime/vocabulary/builtin_tools.ts";
import { describeHostMismatch } from "../../runtime/vocabulary/trigger_kinds.ts";
import { ROLE_NAMES } from "../../runtime/vocabulary/rights.ts";
import { nearestHint, suggest } from "../../base/text/suggestion.ts";
import { diagnoseMail } from "./validate_mail.ts";
import { showValue } from "../../runtime/config/files/shown_value.ts";
import { OutputSchemaUnusable, readOutputSchema } from "../../runtime/agents/output_schema.ts";
import { TIME_ZONE_HINT } from "../../runtime/agents/machine_time_zone.ts";
import type { ValidationContext } from "./validation_context.ts";

/** Checks one agent file. Returns errors and warnings sorted by line; empty if there are none. */
export async function validateAgent(
  source: { path: string; bytes: Uint8Array },
  context: ValidationContext,
): Promise<Diagnostic[]> {
  const { path } = source;
  const parsed = parseAgent(source, context);
  if ("diagnostics" in parsed) return parsed.diagnostics;
  const { agent, document } = parsed;
  const file: DiagnosedFile = { path, document };
  const knownTools = builtinToolsBy(undefined).filter((name) => !agent.leftOut.includes(name));
  const resources = await context.inspectResources(agent);
  // If the front matter cannot be read, report that and not a missing model.
  const isUnread = ({ code }: Diagnostic) =>
    agent.model === undefined && code === "unread_front_matter";
  return [
    ...agent.warnings.map((warning): Diagnostic =>
      isUnread(warning) ? { ...warning, severity: "error" } : warning
    ),
    ...agent.warnings.some(isUnread) ? [] : await diagnoseModel(agent, file, context),
    ...diagnoseNames(agent, file, { ...context, knownTools, resources }),
    ...await diagnosePlaces(agent, file, context),
    ...await diagnoseOutput(agent, file, context),
    ...diagnoseTimeZone(agent, file, context),
    ...diagnoseChannels(agent, file, context),
    ...diagnoseApprovers(agent, file, context),
    ...diagnoseNodes(agent, file, context),
    ...diagnoseHost(agent, file, context),
    ...diagnoseExpose(agent, file),
    ...diagnoseWebhook(agent, file, context),
    ...diagnoseMail(agent, file, context),
    ...diagnoseUnattended(agent, file, {
      knownTools: [...knownTools, ...resources.toolNames],
    }),
    ...diagnoseResources(resources.problems, file),
  ].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Warns if the trigger names hosts and this machine is not among them. */
function diagnoseHost(
  { onlyOn }: Agent,
  file: DiagnosedFile,
  { hostNames }: ValidationContext,
): Diagnostic[] {
  const why = describeHostMismatch(onlyOn, hostNames);
  if (why === undefined) return [];
  const message = `Its trigger does not fire here: ${why}`;
  return [diagnose(file, ["only_on"], { severity: "warning", message })];
}

/** Warns about an exposed agent that is disabled, or that has no description by which programs choose. */
function diagnoseExpose(
  { enabled, expose, description }: Agent,
  file: DiagnosedFile,
): Diagnostic[] {
  if (expose !== true || (enabled && description.trim() !== "")) return [];
  const message = enabled
    ? "Programs choose an exposed agent by its description, and it has none"
    : "expose has no effect: enabled is false";
  const hint = enabled ? "write one sentence: description: …" : "remove enabled or expose";
  return [diagnose(file, ["expose"], { severity: "warning", message, hint }, "key")];
}

/** Warns about each of the agent's channels that config.yaml does not define, because such a channel sends nothing. */
function diagnoseChannels(
  { notify }: Agent,
  file: DiagnosedFile,
  { config }: ValidationContext,
): Diagnostic[] {
  const channels = Object.keys(config.notify.channels);
  return (notify.to ?? []).flatMap((name, index) => {
    if (channels.includes(name)) return [];
    return [diagnose(file, ["notify", "to", index], {
      severity: "warning",
      message: `notify.to names ${showValue(name)}, which is none of config.yaml's notify.channels`,
      ...nearestHint(name, channels),
    })];
  });
}

/**
 * Warns about approvers that are probably nobody: names near a known one, and with `people` in config.yaml all names that it
 * does not contain. Keys are in the database, so without `people` an unknown name may be that of a key.
 */
function diagnoseApprovers(
  { approvers }: Agent,
  file: DiagnosedFile,
  { config: { people, chats, service, signIn } }: ValidationContext,
): Diagnostic[] {
  const known = [
    ...people.filter(({ isRemoved }) => !isRemoved).flatMap(({ name, keys }) => [name, ...keys]),
    ...chats.flatMap((chat) => chat.people.map(({ name }) => name)),
    ...[service.owner ?? []].flat(),
    ...ROLE_NAMES,
  ];
  return (approvers ?? []).flatMap((name) => {
    const person = people.find((one) => one.name !== name && one.keys.includes(name));
    const nearest = suggest(name, known);
    const isSignIn = signIn !== null && /[@(]/.test(name);
    const isUnknown = !known.includes(name) && !isSignIn &&
      (people.length > 0 || nearest !== undefined);
    if (person === undefined && !isUnknown) return [];
    const message = person === undefined
      ? `approvers names ${showValue(name)}, who is no role, and no person of config.yaml`
      : `approvers names the key ${name}, but its answers have the name ${person.name}`;
    const hint = person !== undefined
      ? `write "${person.name}"`
      : nearest !== undefined
      ? `did you mean "${nearest}"?`
      : 'add the person under people; "inkling key list" shows the keys, which count by their names';
    return [
      diagnose(file, itemPath(file, ["approvers"], name), { severity: "warning", message, hint }),
    ];
  });
}

/** Warns if the agent requires node labels but the workspace has no shared database, so there is only one machine. */
function diagnoseNodes(
  { nodes }: Agent,
  file: DiagnosedFile,
  { hasDatabase }: ValidationContext,
): Diagnostic[] {
  if (hasDatabase || nodes.length === 0) return [];
  const message = "nodes has no effect: with SQLite, this machine runs every agent";
  const hint = "database in config.yaml lets several machines share the work";
  return [diagnose(file, ["nodes"], { severity: "warning", message, hint }, "key")];
}

/**
 * Reports a file with an output schema that cannot be used. The parser has already checked a schema inside the agent file.
 */
async function diagnoseOutput(
  { output }: Agent,
  file: DiagnosedFile,
  { directories }: ValidationContext,
): Promise<Diagnostic[]> {
  try {
    await readOutputSchema(output, directories);
    return [];
  } catch (error) {
    if (!(error instanceof OutputSchemaUnusable)) throw error;
    return [diagnose(file, ["output", "schema"], { message: error.message })];
  }
}

/** Warns if a cron schedule uses the machine's time zone and that zone is unknown. */
function diagnoseTimeZone(
  { trigger }: Agent,
  file: DiagnosedFile,
  { machineTimeZone: { name, unknown } }: ValidationContext,
): Diagnostic[] {
  if (unknown === undefined || trigger.type !== "schedule") return [];
  if (trigger.cron === undefined || trigger.timezone !== undefined) return [];
  return [diagnose(file, ["trigger", "cron"], {
    severity: "warning",
    message: `The times of trigger.cron are ${name}: TZ is ${
      showValue(unknown)
    }, which is not a time zone`,
    hint: `${TIME_ZONE_HINT}, or trigger.timezone`,
  })];
}

/** Warns about each environment variable of the webhook that has no value. */
function diagnoseWebhook(
  { trigger }: Agent,
  file: DiagnosedFile,
  { directories, environment }: ValidationContext,
): Diagnostic[] {
  if (trigger.type !== "webhook") return [];
  const { secrets } = trigger;
  const missing = secretVariables(trigger)
    .filter((name) => (environment.get(name)?.trim() ?? "") === "");
  const consequence = secrets.every((name) => missing.includes(name))
    ? "every delivery is refused"
    : "deliveries signed with it are refused";
  return missing.map((name) => {
    const isSecret = secrets.includes(name);
    const result = isSecret ? consequence : "its sender cannot verify the address";
    return diagnose(file, ["trigger", isSecret ? "secret" : "verify_token"], {
      severity: "warning",
      message: `The secret of the webhook is missing: ${name} is not set, so ${result}`,
      hint: `add the line ${name}=<the secret> to ${directories.workspaceEnvFile}`,
    });
  });
}
