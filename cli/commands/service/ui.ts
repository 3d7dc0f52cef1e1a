// ui: the dashboard in a browser, through a proxy that lives as long as the command, or behind it.
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { ui } from "../../declarations/service_commands.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { UiProxy } from "../../../server/ui/ui_proxy.ts";
import type { Places } from "../../app.ts";
import type { CommandContext } from "../../context.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import {
  announcePage,
  findBackgroundPage,
  SERVES_PAGE,
  startBackgroundPage,
  stopBackgroundPage,
  untilAlone,
} from "../../service/background_page.ts";
import { openService } from "../../service/daemon.ts";

/** The page that a browser begins with: the dashboard. */
const HOME = "/ui";

type UiOptions = CommandOptions<typeof ui>;

/** Opens the page, or with `noOpen` only prints its address, and stays until Ctrl+C unless another process serves it. */
export const perform = performs<typeof ui>(async (context, options) => {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  if (options.stop) return await stop(context, places);
  using interrupts = listenToInterrupts(app);
  const { first: signal } = interrupts;
  if (options.background && app.environment[SERVES_PAGE] !== undefined) {
    return await serve(context, places, signal);
  }
  // Only to have the service running: the proxy connects by itself.
  (await openService(context, { signal }))[Symbol.dispose]();
  const found = await findBackgroundPage(places) ??
    (options.background ? await startBackgroundPage(app, places, signal) : undefined);
  if (found !== undefined) {
    await enter(context, { ...options, stateDir: places.stateDir, port: found.port });
    output.note(
      `The link works once. The page is served in the background (PID ${found.pid}): "inkling ui --stop" ends it`,
    );
    return;
  }
  await using proxy = await openProxy(context, places);
  await enter(context, { ...options, stateDir: places.stateDir, port: proxy.port });
  output.note(
    "The address works once. If the browser shows nothing, open it yourself. Ctrl+C ends the page and this command",
  );
  const never = Promise.withResolvers<never>();
  return await untilAborted(never.promise, signal);
});

async function openProxy({ app, output }: CommandContext, places: Places): Promise<UiProxy> {
  const { stateDir, socketFile } = places;
  const warn = (message: string) => output.notice(message);
  const proxy = await app.openUiProxy({ stateDir, socketFile, home: HOME, warn });
  if (proxy.takenPort !== undefined) {
    output.notice(`Port ${proxy.takenPort} is taken: the page is on port ${proxy.port} this time`);
  }
  return proxy;
}

/** Prints a link to the page and opens it. */
async function enter(
  { app, output }: CommandContext,
  { stateDir, port, noOpen }: UiOptions & { stateDir: string; port: number },
): Promise<void> {
  const link = await app.createUiLink({ stateDir, port });
  output.line(link.address);
  if (!noOpen && !(await app.openBrowser(link.file.href))) {
    output.notice("No browser could be opened: open the address yourself");
  }
}

/** Serves the page for others, who make links to it. */
async function serve(
  context: CommandContext,
  places: Places,
  signal: AbortSignal,
): Promise<void> {
  const { app } = context;
  await using proxy = await openProxy(context, places);
  await using announced = await announcePage(places, { pid: Deno.pid, port: proxy.port });
  if (announced !== undefined) await untilAlone(app, places, signal);
}

async function stop({ app, output }: CommandContext, places: Places): Promise<void> {
  const page = await stopBackgroundPage(app, places);
  output.detail(
    page === undefined
      ? "No page is served in the background"
      : `The page is no longer served (PID ${page.pid})`,
  );
}
