// Why a connection failed, as a text for a model.
import { describeDenied } from "../../../base/denied_permission.ts";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved right now",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
};

/** The rest of a sentence, without a full stop. */
export function describeConnectionFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const denied = describeDenied(error);
  if (denied !== undefined) return denied;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? error.message.split("\n")[0]?.replace(/\.$/, "") ?? "unknown error";
}
