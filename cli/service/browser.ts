// Opens an address in the user's browser, with the opener program of the operating system.
import { firstOf } from "../../base/first_of.ts";
import { type Command, startDetached } from "../../base/programs/system_program.ts";
import type { Clock } from "../context/app.ts";

/** The time after which a still running opener program counts as a success: it has become the browser process. */
const OPENED_MS = 3_000;

/** The operating system, and the environment variables of the opener program. */
export interface BrowserOptions {
  os: typeof Deno.build.os;
  environment: Readonly<Record<string, string>>;
}

/** Returns the command that opens an address in a browser, or undefined if the environment has no graphical screen. */
export function browserCommand(
  address: string,
  { os, environment }: BrowserOptions,
): Command | undefined {
  if (os === "darwin") return ["open", address];
  // The builtin `start` of cmd.exe is unusable, because cmd.exe splits an address at every "&".
  if (os === "windows") return ["rundll32", "url.dll,FileProtocolHandler", address];
  // Without a graphical screen, xdg-open would start a text browser in this terminal.
  const hasScreen = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].some((name) =>
    (environment[name] ?? "") !== ""
  );
  return hasScreen ? ["xdg-open", address] : undefined;
}

/** Opens an address in the user's browser. Returns false if there is no screen, no opener program, or the program fails. */
export async function openBrowser(
  address: string,
  options: BrowserOptions & { clock: Clock },
): Promise<boolean> {
  const command = browserCommand(address, options);
  if (command === undefined) return false;
  let child: Deno.ChildProcess;
  try {
    // Otherwise Ctrl+C in this terminal would also end the browser.
    child = startDetached(command, { environment: options.environment });
  } catch (error) {
    // The program is missing, or this process may not run it. The caller prints the address, which the user can open.
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
  const ended = await firstOf(child.status, { within: { clock: options.clock, ms: OPENED_MS } });
  child.unref();
  return ended.kind !== "done" || ended.value.success;
}
