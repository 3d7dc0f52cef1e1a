// Describes, for a person or a model, why a server could not be reached, did not answer, or failed. The texts are limited
// and redacted.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { cutEnd } from "../../../base/text/cut_text.ts";
import { describeDenied } from "../../../base/denied_permission.ts";
import { toPlainLine, toPlainText } from "../../../base/text/plain_text.ts";
import { isSecretName, type Secret } from "../../secrets/secret.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { redactText } from "../../secrets/secret_marks.ts";
import { UNANSWERED } from "./http_transport.ts";
import type { ServerLink } from "./server_link.ts";
import { StartFailure } from "./server_program.ts";
import { isSignInError } from "./sign_in/sign_in_needed.ts";

const REASON_CHARACTERS = 500;
const LAST_LINES = 10;
const LAST_CHARACTERS = 2_000;

/**
 * Returns a text with the reason that the server cannot be used. Includes the end of the program's standard error unless
 * the server answered.
 */
export function describeFailure(error: unknown, server: ServerLink): string {
  const text = `The MCP server "${server.name}" cannot be used: ${reasonOf(error, server)}`;
  return isRefusal(error) ? text : text + endOfErrorOutput(server);
}

/** Returns a text with the reason that a call failed. */
export function describeFailedCall(error: unknown, server: ServerLink): string {
  const reason = reasonOf(error, server);
  if (isRefusal(error)) return `The MCP server "${server.name}" refused the call: ${reason}`;
  return `The MCP server "${server.name}" failed during the call: ${reason}. ` +
    `Whether the call took effect is unknown.${endOfErrorOutput(server)}`;
}

/**
 * Returns lines to append to a text: the hosts that the sandbox refused since the last call, and the setting that permits
 * them. Returns an empty text if there are none.
 */
export function describeRefusedHosts(link: ServerLink): string {
  const { permitted, refused } = link.takeHosts?.() ?? { permitted: [], refused: [] };
  if (refused.length === 0) return "";
  const hosts = JSON.stringify([...permitted, ...refused]);
  return `\nThe sandbox refused the MCP server "${link.name}" access to ${refused.join(", ")}. ` +
    `To permit it, add to its entry in mcp-servers.json: "sandbox": { "net": ${hosts} }`;
}

const MAX_NAMES = 20;
/** Matches variables that no server needs: the shell's own variables and Inkling's settings. */
const NOT_FOR_SERVERS = /^(_|PWD|OLDPWD|SHLVL|LS_COLORS|INKLING_.*)$/;

/**
 * Returns a line to append to a text: the environment variables that a program did not get. Used if the program exited
 * before it answered. Variables in its standard error come first. Returns an empty text if there are none. `known` contains
 * the names of the service's variables.
 */
export function describeMissingVariables(
  error: unknown,
  { given, stderr = "" }: ServerLink,
  known: readonly string[],
): string {
  if (given === undefined || error instanceof StartFailure || isRefusal(error)) return "";
  const words = [...new Set(stderr.match(/\b[A-Z][A-Z0-9_]{2,63}\b/g))];
  const unset = words.filter((word) => isSecretName(word) && !known.includes(word));
  const isNamed = (name: string) => words.includes(name);
  const withheld = known.filter((name) => !NOT_FOR_SERVERS.test(name));
  const names = [
    ...withheld.filter(isNamed),
    ...unset,
    ...withheld.filter((name) => !isNamed(name)),
  ].filter((name) => !given.includes(name));
  if (names.length === 0) return "";
  const shown = names.slice(0, MAX_NAMES)
    .map((name) => unset.includes(name) ? `${name} (not set)` : name).join(", ");
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `\nVariables that it did not get: ${shown}${more}. ` +
    "Add the ones that it needs to `env` in its entry.";
}

function reasonOf(error: unknown, { endReason, secrets }: ServerLink): string {
  // If the server answered, its answer explains more than its end afterwards.
  const end = isRefusal(error) ? undefined : endReason;
  return end ?? toPlainLine(redactText(rawReason(error), secrets), REASON_CHARACTERS);
}

function rawReason(error: unknown): string {
  if (error instanceof StartFailure) return error.message;
  const denied = describeDenied(error);
  if (denied !== undefined) return denied;
  if (error instanceof SdkHttpError) return httpReason(error);
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return "it closed the connection";
  }
  if (error instanceof ProtocolError || error instanceof SdkError || error instanceof RangeError) {
    return error.message;
  }
  if (!(error instanceof Error)) return String(error);
  return isConnectionFailure(error)
    ? `it cannot be reached${connectionReason(error)}`
    : error.message;
}

/** Returns true if `fetch` failed, before or during the response. */
export function isConnectionFailure(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|connection|body|request/.test(error.message);
}

/** Returns true if the server refused the request, so that it was not executed. */
export function isRefusal(error: unknown): boolean {
  if (isSignInError(error)) return true;
  if (error instanceof ProtocolError) return error.data !== UNANSWERED;
  return error instanceof SdkHttpError && error.status < 500;
}

/**
 * Returns true if the server did not understand the handshake, so that it may know only a newer protocol. Returns false if
 * it refused the handshake for another reason, such as wrong credentials.
 */
export function mayKnowNewerProtocol(error: unknown): boolean {
  if (error instanceof ProtocolError) return NOT_UNDERSTOOD.includes(error.code);
  return error instanceof SdkHttpError && error.status !== 401 && error.status !== 403;
}

/**
 * Returns true if the address may be the event stream of the older HTTP transport. The specification names these answers to
 * the request of a handshake.
 */
export function mayUseOlderTransport(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405].includes(error.status);
}

/**
 * The error codes for a handshake that was not understood: JSON-RPC's invalid request, unknown method and invalid
 * parameters, and MCP's unsupported protocol version.
 */
const NOT_UNDERSTOOD = [-32600, -32601, -32602, -32022];

function httpReason({ data, message }: SdkHttpError): string {
  if (data.status === 401 || data.status === 403) {
    return `it answered HTTP ${data.status}: check the headers of its entry`;
  }
  if (data.status >= 300 && data.status < 400) {
    return `it answered HTTP ${data.status}: ${message}`;
  }
  const text = typeof data.text === "string" ? data.text : data.statusText ?? "";
  return `it answered HTTP ${data.status}${text === "" ? "" : `: ${text}`}`;
}

/**
 * Returns the reason of a failed connection in parentheses, or an empty text. The message of `fetch` contains the whole
 * address, so only known phrases are taken from it.
 */
function connectionReason({ message, cause }: Error): string {
  const text = `${message} ${cause instanceof Error ? cause.message : ""}`;
  const known = CONNECTION_REASONS.find((one) => text.includes(one));
  return known === undefined ? "" : ` (${known.toLowerCase()})`;
}

const CONNECTION_REASONS = [
  "Connection refused",
  "Connection reset",
  "connection closed",
  "dns error",
  "certificate",
  "timed out",
];

/** Returns the last lines of a program's standard error with an introduction. Returns an empty text if there are none. */
function endOfErrorOutput({ stderr = "", secrets }: ServerLink): string {
  const lines = redactText(toPlainText(stderr), secrets).split("\n")
    .map((line) => line.trimEnd()).filter((line) => line !== "");
  if (lines.length === 0) return "";
  const end = lines.slice(-LAST_LINES).join("\n");
  return `\nThe end of its error output:\n${cutEnd(end, LAST_CHARACTERS)}`;
}

/**
 * The maximum length in UTF-16 code units. Each takes at most three bytes in UTF-8, so the text fits into a tool's result.
 */
const FAILURE_CHARACTERS = 32_000;

/**
 * Returns the text without the server's `secrets`. Cuts a long text and appends a line that reports the cut. `redactor`
 * knows all other secrets, and removes a secret that the cut would split.
 */
export function toFailureText(
  text: string,
  { secrets, redactor }: { secrets: readonly Secret[]; redactor: Redactor },
): string {
  const own = new Redactor(() => secrets);
  // The text is cut before it is redacted, so that the part that is left out is not searched.
  const beginning = own.beginningOf(text, FAILURE_CHARACTERS);
  const shown = own.redact(beginning);
  if (beginning.length === text.length) return shown || "The tool failed without an error message";
  return `${
    redactor.trimPartialSecret(shown)
  }\n[The message is cut here: it has ${text.length} characters.]`;
}
