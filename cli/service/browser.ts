// Opening an address in the browser of whoever sits here, as each system does it.
import { firstOf } from "../../base/first_of.ts";
import type { Clock } from "../app.ts";

/** A program that opens a browser and still runs after that has opened one. */
const OPENED_MS = 3_000;

/** Which system, and what its environment says. */
export interface BrowserOptions {
  os: typeof Deno.build.os;
  environment: Readonly<Record<string, string>>;
}

/** The command that opens an address; undefined where there is no screen to open it on. */
export function browserCommand(
  address: string,
  { os, environment }: BrowserOptions,
): readonly [program: string, ...args: string[]] | undefined {
  if (os === "darwin") return ["open", address];
  // `start` is a word of cmd.exe, which takes an address apart at every "&".
  if (os === "windows") return ["rundll32", "url.dll,FileProtocolHandler", address];
  // Without a screen xdg-open falls back on browsers of the terminal, which is in use.
  const hasScreen = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].some((name) =>
    (environment[name] ?? "") !== ""
  );
  return hasScreen ? ["xdg-open", address] : undefined;
}

/** Opens an address; false where that cannot be done. */
export async function openBrowser(
  address: string,
  options: BrowserOptions & { clock: Clock },
): Promise<boolean> {
  const command = browserCommand(address, options);
  if (command === undefined) return false;
  const [program, ...args] = command;
  let child: Deno.ChildProcess;
  try {
    // Detached: Ctrl+C, which ends this command, must not end a browser that it started.
    child = new Deno.Command(program, {
      args,
      env: { ...options.environment },
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
  } catch (error) {
    // There is no such program, or it may not be run: the address is shown, and a person can open it.
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
  const ended = await firstOf(child.status, { within: { clock: options.clock, ms: OPENED_MS } });
  child.unref();
  return ended.kind !== "done" || ended.value.success;
}
