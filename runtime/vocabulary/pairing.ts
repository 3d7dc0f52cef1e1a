// The state of the pairing of a person with a chat, which the service and the chat share.
import { MINUTE_MS } from "../../base/time_units.ts";

/** The name of the note with the newest pairing of a chat. */
export const PAIRING = "pairing";
/** The lifetime of a code in milliseconds. */
export const PAIRING_MS = 5 * MINUTE_MS;

/** A pairing. */
export interface PairingNote {
  /** The hash of the code in capital letters. */
  code: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
  /** The sender of the code. Null until somebody has sent it. */
  sender: { id: string; name: string } | null;
}
