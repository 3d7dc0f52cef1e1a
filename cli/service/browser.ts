// Opens an address in the user's browser, with the command of each system.
import { firstOf } from "../../base/first_of.ts";
import type { Clock } from "../context/app.ts";

/** A program that still runs after this time has opened a browser. */
const OPENED_MS = 3_000;

/** The operating system and the environment. */
export interface BrowserOptions {
  os: typeof Deno.build.os;
  environment: Readonly<Record<string, string>>;
}

/** Returns the command that opens an address, or undefined without a screen. */
export function browserCommand(
  address: string,
  { os, environment }: BrowserOptions,
): readonly [program: string, ...args: string[]] | undefined {
  if (os === "darwin") return ["open", address];
  // `start` is a builtin of cmd.exe, which splits an address at every "&".
  if (os === "windows") return ["rundll32", "url.dll,FileProtocolHandler", address];
  // Without a screen xdg-open would start a browser in this terminal.
  const hasScreen = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].some((name) =>
    (environment[name] ?? "") !== ""
  );
  return hasScreen ? ["xdg-open", address] : undefined;
}

/** Opens an address. Returns false if that fails. */
export async function openBrowser(
  address: string,
  options: BrowserOptions & { clock: Clock },
): Promise<boolean> {
  const command = browserCommand(address, options);
  if (command === undefined) return false;
  const [program, ...args] = command;
  let child: Deno.ChildProcess;
  try {
    // Detached, so that Ctrl+C does not end the browser, too.
    child = new Deno.Command(program, {
      args,
      env: { ...options.environment },
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
  } catch (error) {
    // The program is missing or may not run. The caller prints the address for the user.
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
  const ended = await firstOf(child.status, { within: { clock: options.clock, ms: OPENED_MS } });
  child.unref();
  return ended.kind !== "done" || ended.value.success;
}
