// `inkling ui`: opens the page in a browser. A local proxy serves the page until the command ends, or in a background
// process.
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { ui } from "../../declarations/service_commands.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { UiProxy } from "../../../server/ui/ui_proxy.ts";
import type { Places } from "../../context/app.ts";
import type { CommandContext } from "../../context/context.ts";
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

/** The URL path of the page. */
const HOME = "/ui";

type UiOptions = CommandOptions<typeof ui>;

/**
 * Prints the page's address, and opens it unless `noOpen` is set. Serves the page until Ctrl+C, unless a background process
 * serves it.
 */
export const perform = performs<typeof ui>(async (context, options) => {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  if (options.stop) return await stop(context, places);
  using interrupts = listenToInterrupts(app);
  const { first: signal } = interrupts;
  if (options.background && app.environment[SERVES_PAGE] !== undefined) {
    return await serve(context, places, signal);
  }
  // Starts the service if none runs. The connection is closed again because the proxy opens one itself.
  (await openService(context, { signal }))[Symbol.dispose]();
  const found = await findBackgroundPage(places) ??
    (options.background ? await startBackgroundPage(app, places, signal) : undefined);
  if (found !== undefined) {
    await enter(context, { ...options, stateDir: places.stateDir, port: found.port });
    output.note(
      `The address works once. The page is served in the background (PID ${found.pid}): "inkling ui --stop" stops it`,
    );
    return;
  }
  await using proxy = await openProxy(context, places);
  await enter(context, { ...options, stateDir: places.stateDir, port: proxy.port });
  output.note(
    "The address works once. If no page appears, open the address yourself. Ctrl+C stops serving the page",
  );
  const never = Promise.withResolvers<never>();
  return await untilAborted(never.promise, signal);
});

async function openProxy({ app, output }: CommandContext, places: Places): Promise<UiProxy> {
  const { stateDir, socketFile } = places;
  const warn = (message: string) => output.notice(message);
  const proxy = await app.openUiProxy({ stateDir, socketFile, home: HOME, warn });
  if (proxy.takenPort !== undefined) {
    output.notice(`Port ${proxy.takenPort} is in use, so the page is on port ${proxy.port}`);
  }
  return proxy;
}

/** Creates a one-time address of the page, prints it, and opens it in a browser unless `noOpen` is set. */
async function enter(
  { app, output }: CommandContext,
  { stateDir, port, noOpen }: UiOptions & { stateDir: string; port: number },
): Promise<void> {
  const link = await app.createUiLink({ stateDir, port });
  output.line(link.address);
  if (!noOpen && !(await app.openBrowser(link.file.href))) {
    output.notice("No browser could be opened");
  }
}

/**
 * Serves the page from the background process. It creates no addresses: each `inkling ui` command creates one for its user.
 */
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
      : `Stopped serving the page (PID ${page.pid})`,
  );
}
