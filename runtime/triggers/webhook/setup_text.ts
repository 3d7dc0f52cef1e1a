// Formats the settings that a user enters at the sender of a webhook: address, secret, handshake.
import type { Agent } from "../../agents/agent.ts";
import { HANDSHAKES } from "../../vocabulary/trigger_kinds.ts";

/**
 * Returns one line each for the address, the secret and the supported handshake of an agent's webhook. Returns no lines for
 * another kind of trigger.
 */
export function describeSetup(
  { id, trigger }: Pick<Agent, "id" | "trigger">,
  { publicUrl }: { publicUrl: string | null },
): string[] {
  if (trigger.type !== "webhook") return [];
  const { scheme, secrets, in: place, handshake, verifyToken } = trigger;
  const secret = `the value of ${secrets.join(" or ")}`;
  const address = `${publicUrl ?? "https://<public_url>"}/hooks/${encodeURIComponent(id)}`;
  const query = place === "query" ? `?token=<${secret}>` : "";
  const user = place === "basic" ? ", as the password of any user" : "";
  return [
    `Address for the sender: ${address}${query} (${scheme}, its secret is ${secret}${user})`,
    ...(handshake === "meta"
      ? [`Verify token: ${verifyToken === undefined ? secret : `the value of ${verifyToken}`}`]
      : []),
    ...(handshake === undefined
      ? []
      : [`A trial of the address is answered: ${HANDSHAKES[handshake]}`]),
    ...(publicUrl === null
      ? ["Name the service's address from outside in config.yaml: public_url"]
      : []),
  ];
}
