// What `setup` has to say to a service that is running: it takes over what was written, but not everything there is.
import { AT_NEXT_START } from "../../base/diagnostics.ts";
import type { InfoBody } from "../../api/schemas/info_schemas.ts";
import { hasPerson } from "../prompting/ask_person.ts";
import * as start from "../commands/service/start.ts";
import * as stop from "../commands/service/stop.ts";
import { checkHealth } from "../service/connection.ts";
import { type CommandContext, workspaceOf } from "../context.ts";

/**
 * Tells what the running service has of what is set up. Where it needs a restart for that, the person is asked and it is
 * done; where nobody is `asked`, the command that does it is shown. Throws CommandFailure when it does not start again.
 */
export async function tellService(
  context: CommandContext,
  { hasChanged, asked }: { hasChanged: boolean; asked: boolean },
): Promise<void> {
  const { app, output } = context;
  const info = await readInfo(context);
  if (info === undefined) return;
  const reasons = reasonsToRestart(info, app.version);
  if (reasons.length === 0) {
    if (hasChanged) output.note("The service that is running has this from its next run on");
    return;
  }
  for (const reason of reasons) output.notice(reason);
  // Where only its options have it listen on TCP, its key is known only to whoever started it.
  const { port } = await app.serviceDefaults(workspaceOf(context));
  if (port === null && info.transports.some((transport) => transport.startsWith("tcp:"))) {
    output.notice(
      'It needs a restart: "inkling stop", then "inkling start" with the options that it had',
    );
    return;
  }
  const options = info.keep_alive ? " --keep-alive" : "";
  if (info.keep_alive) {
    output.notice("If systemd or launchd runs it, restart it through that, not here");
  }
  const isWanted = asked && hasPerson(context) && await app.input.prompter.confirm({
    message: `Restart the service now?${describeRuns(info)}`,
    initial: info.active_executions === 0,
  });
  if (!isWanted) {
    output.notice(`It needs a restart: "inkling stop && inkling start --daemon${options}"`);
    return;
  }
  await stop.perform(context, {}, {});
  const keepAlive = info.keep_alive && { keepAlive: true as const };
  await start.perform(context, { daemon: true, ...keepAlive }, {});
}

async function readInfo({ app, workspace }: CommandContext): Promise<InfoBody | undefined> {
  using client = app.connect(await app.places(workspace));
  const health = await checkHealth(client, { clock: app.clock });
  return health === "answers" ? await client.info() : undefined;
}

/** Sentences. */
function reasonsToRestart(info: InfoBody, version: string): string[] {
  return [
    ...(info.version === version
      ? []
      : [`The service that is running is Inkling ${info.version}, and this is ${version}`]),
    ...info.config_warnings.map(({ message }) => message)
      .filter((message) => message.endsWith(AT_NEXT_START))
      .map((message) => `config.yaml: ${message}`),
  ];
}

function describeRuns({ active_executions: count }: InfoBody): string {
  if (count === 0) return "";
  return count === 1
    ? " A run that is under way is ended"
    : ` ${count} runs that are under way are ended`;
}
