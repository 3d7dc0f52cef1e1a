// The schemas of pairing a person with a chat.
import { z } from "zod";
import { timestamp } from "./wire_values.ts";

/** The response of POST /chats/{id}/pair. */
export const PairingCode = z.object({
  code: z.string().meta({ description: "The text that the person sends to the bot" }),
  expires_at: timestamp,
}).meta({ id: "PairingCode" });

/** The response of GET /chats/{id}/pair. */
export const PairingBody = z.object({
  sender: z.object({
    id: z.string().meta({ description: "The app's id of the sender" }),
    name: z.string().meta({ description: "The name that the sender chose in the app" }),
  }).meta({ id: "PairingSender" }).nullable().meta({
    description: "Null until somebody has sent the code",
  }),
}).meta({ id: "Pairing" });
