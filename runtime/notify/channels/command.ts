// Creates the channels `command` (a program of the user) and `desktop`. Each starts a program without a shell and with few
// environment variables.
import { toPlainLine } from "../../../base/text/plain_text.ts";
import { SECOND_MS } from "../../../base/time_units.ts";
import { runProgram } from "../../tools/processes/run_program.ts";
import { smallEnvironment } from "../../tools/processes/small_environment.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import { type Channel, type ChannelPorts, toData } from "./channel.ts";
import { DeliveryFailure } from "../../vocabulary/delivery_failure.ts";

const TIMEOUT_MS = 30 * SECOND_MS;
const MAX_OUTPUT_BYTES = 16 * 1_024;
const MAX_SHOWN = 300;
/** The environment variables by which a program finds the desktop of the person who started the service. */
const DESKTOP_VARIABLES = [
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
];
/** The script that shows a notification. osascript gets the texts as arguments, so they are not interpreted as a script. */
const APPLE_SCRIPT = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];
const MAX_DESKTOP_TEXT = 600;

/**
 * Creates a channel that starts a program for each message. The program gets the message as a line of JSON on its standard
 * input.
 */
export function createCommand({ run }: { run: readonly string[] }, ports: ChannelPorts): Channel {
  const [program = "", ...args] = run;
  return {
    send: (message, signal) => {
      const input = `${JSON.stringify({ id: message.id, ...toData(message) })}\n`;
      return start(program, { args, input, ports, signal });
    },
  };
}

/** Returns the program that shows desktop notifications on an operating system, or undefined if none is known. */
export function desktopProgram(os: typeof Deno.build.os): string | undefined {
  if (os === "darwin") return "osascript";
  return os === "linux" ? "notify-send" : undefined;
}

/**
 * Creates the channel that shows messages on this machine's desktop. Throws DeliveryFailure if no program for the operating
 * system is known.
 */
export function createDesktop(ports: ChannelPorts): Channel {
  const { os } = ports;
  const program = desktopProgram(os);
  if (program === undefined) {
    throw new DeliveryFailure(`desktop notifications are not supported on ${os}`);
  }
  return {
    send({ title, text }, signal) {
      const shown = toPlainLine(text, MAX_DESKTOP_TEXT);
      if (os === "darwin") {
        const script = APPLE_SCRIPT.flatMap((line) => ["-e", line]);
        return start(program, { args: [...script, title, shown], ports, signal });
      }
      // notify-send interprets markup in the text, so it is escaped.
      const body = shown.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const args = ["--app-name=Inkling", "--", title, body];
      return start(program, { args, ports, signal });
    },
  };
}

async function start(
  program: string,
  { args, input, ports, signal }: {
    args: readonly string[];
    input?: string;
    ports: ChannelPorts;
    signal: AbortSignal;
  },
): Promise<string> {
  const { settings: { directories: { configDir: cwd }, environment }, clock, redactor } = ports;
  const lookup = (name: string) => environment.get(name);
  const desktop = DESKTOP_VARIABLES.flatMap((name) => {
    const value = lookup(name);
    return value === undefined ? [] : [[name, value]];
  });
  try {
    const { exitCode, timedOut, stderr } = await runProgram(program, {
      args,
      cwd,
      environment: { ...smallEnvironment(lookup), ...Object.fromEntries(desktop) },
      ...(input !== undefined && { input }),
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal,
      clock,
      redactor,
    });
    if (exitCode === 0) return `${program} exited with 0`;
    const how = timedOut
      ? `did not exit within ${TIMEOUT_MS / SECOND_MS} seconds`
      : exitCode === null
      ? "was killed by a signal"
      : `exited with ${exitCode}`;
    const said = toPlainLine(redactor.redact(stderr), MAX_SHOWN);
    throw new DeliveryFailure(`${program} ${how}${said === "" ? "." : `: ${said}`}`);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new DeliveryFailure(error.message, { cause: error });
  }
}
