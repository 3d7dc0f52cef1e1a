// ui: the dashboard in a browser, through a proxy that lives as long as the command.
import { untilAborted } from "../../base/bounded_wait.ts";
import type { CommandContext } from "../context.ts";
import { openService } from "../service/daemon.ts";
import type { ExitCode } from "../exit.ts";
import { listenToInterrupts } from "../prompting/interrupts.ts";

/** The page that a browser begins with: the dashboard. */
const HOME = "/ui";

/** Opens the page, or with `open: false` only prints its address, and stays until Ctrl+C. */
export async function ui(
  context: CommandContext,
  options: { open: boolean },
): Promise<ExitCode> {
  const { app, output, workspace } = context;
  using interrupts = listenToInterrupts(app);
  const { first: signal } = interrupts;
  const { socketFile } = await app.places(workspace);
  // Only to have the service running: the proxy connects by itself.
  (await openService(context, { signal }))[Symbol.dispose]();
  await using proxy = await app.openUiProxy({
    socketFile,
    home: HOME,
    warn: (message) => output.notice(message),
  });
  output.line(proxy.address);
  if (options.open && !(await app.openBrowser(proxy.file.href))) {
    output.notice("No browser could be opened: open the address yourself");
  }
  output.note(
    "The address works once. If the browser shows nothing, open it yourself. Ctrl+C ends the page and this command",
  );
  const never = Promise.withResolvers<never>();
  return await untilAborted(never.promise, signal);
}
