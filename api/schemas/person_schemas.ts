// The schemas of the people of config.yaml.
import { z } from "zod";
import { RoleName } from "./key_schemas.ts";

/** One person with all ways in. */
export const PersonBody = z.object({
  name: z.string(),
  role: RoleName.nullable().meta({
    description: "The highest role of the person; null for the role of each way in",
  }),
  keys: z.array(z.object({
    name: z.string(),
    is_known: z.boolean().meta({ description: "False if there is no key of this name" }),
  })),
  chats: z.array(z.object({ chat: z.string(), id: z.string() })),
  openid: z.array(
    z.object({ issuer: z.string(), sub: z.string().optional(), email: z.string().optional() }),
  ),
  mail: z.array(z.string()),
  stand_in: z.string().nullable(),
  is_removed: z.boolean().meta({ description: "True if the sign-in and mail are refused" }),
}).meta({ id: "Person" });
export type PersonBody = z.infer<typeof PersonBody>;

/** The response to the removal of a person. */
export const PersonRemoved = z.object({
  removed: z.string(),
  keys: z.array(z.string()).meta({ description: "The names of the revoked keys" }),
}).meta({ id: "PersonRemoved" });
