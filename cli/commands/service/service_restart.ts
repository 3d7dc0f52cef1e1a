// Restarts the running service after `inkling setup` if it cannot apply the new settings by itself.
import { AT_NEXT_START } from "../../../base/diagnostics.ts";
import type { InfoBody } from "../../../api/schemas/info_schemas.ts";
import { formatPlural } from "../../output/figures.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import * as start from "./start.ts";
import * as stop from "./stop.ts";
import { checkHealth } from "../../service/connection.ts";
import { scopeOf } from "../../service/units/installed_unit.ts";
import { openUnitManager } from "../../service/units/unit_manager.ts";
import type { CommandContext } from "../../context/context.ts";

/**
 * Reports whether the running service applies the settings. If it needs a restart, asks the user and restarts it. Prints
 * the restart command instead if `asked` is false or the user declines. Throws CommandFailure if the service does not start
 * again.
 */
export async function applyToService(
  context: CommandContext,
  { hasChanged, asked }: { hasChanged: boolean; asked: boolean },
): Promise<void> {
  const { app, output } = context;
  const info = await readInfo(context);
  if (info === undefined) return;
  const reasons = reasonsToRestart(info, app.version);
  if (reasons.length === 0) {
    if (hasChanged) output.note("The running service uses these settings from the next run on");
    return;
  }
  for (const reason of reasons) output.notice(reason);
  // The service may have received its TCP port and key as options. This command cannot read that key, so it cannot restart
  // the service with that key.
  const { port } = await app.serviceDefaults(context);
  if (port === null && info.transports.some((transport) => transport.startsWith("tcp:"))) {
    output.notice(
      'Restart the service: "inkling stop", then "inkling start" with the same options',
    );
    return;
  }
  const kind = info.service_manager === "container" ? null : info.service_manager;
  const isWanted = asked && hasPerson(context) && await app.input.prompter.confirm({
    message: `Restart the service now?${describeRuns(info)}`,
    initial: info.active_executions === 0,
  });
  if (!isWanted) {
    const options = info.keep_alive ? " --keep-alive" : "";
    const how = kind === null
      ? `: "inkling stop && inkling start --daemon${options}"`
      : ` with ${kind} (docs/operations.md)`;
    output.notice(`Restart the service${how}`);
    return;
  }
  if (kind !== null) {
    const { file = "" } = app.findUnit() ?? {};
    return await openUnitManager(app, { kind, scope: scopeOf(file) }).activate();
  }
  await stop.perform(context, {}, {});
  const keepAlive = info.keep_alive && { keepAlive: true as const };
  await start.perform(context, { daemon: true, ...keepAlive }, {});
}

async function readInfo({ app, workspace }: CommandContext): Promise<InfoBody | undefined> {
  using client = app.connect(await app.places(workspace));
  const health = await checkHealth(client, { clock: app.clock });
  if (health !== "answers") return undefined;
  // The service then reads the changed config.yaml, so that it knows the settings that need a restart.
  await client.agents({ fresh: true });
  return await client.info();
}

/** Returns the reasons why the service needs a restart, each as a sentence. The list is empty if none is needed. */
function reasonsToRestart(info: InfoBody, version: string): string[] {
  return [
    ...(info.version === version
      ? []
      : [`The running service is Inkling ${info.version}, but this is ${version}`]),
    ...info.config_warnings.map(({ message }) => message)
      .filter((message) => message.endsWith(AT_NEXT_START))
      .map((message) => `config.yaml: ${message}`),
  ];
}

function describeRuns({ active_executions: count }: InfoBody): string {
  return count === 0 ? "" : ` This ends ${formatPlural(count, "running execution")}`;
}
