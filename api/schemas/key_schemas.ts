// The schemas of named keys and of the sender of a request.
import { z } from "zod";
import { isPersonName, ROLE_NAMES } from "../../runtime/vocabulary/rights.ts";
import { timestamp } from "./wire_values.ts";

/** The name of a role. */
export const RoleName = z.enum(ROLE_NAMES).meta({ id: "Role" });
const agents = z.array(z.string()).nullable().meta({
  description: "The ids of the only agents that the key may use; null for all agents",
});

/** The request body of POST /keys. Strict, because a misspelled `agents` would give a key for all agents. */
export const AddKeyBody = z.strictObject({
  name: z.string().refine(isPersonName, {
    error:
      "Input should be 1 to 60 visible characters without spaces at the ends, and not the name of a role",
  }),
  role: RoleName,
  agents: z.array(z.string()).min(1).max(100).nullish(),
  expires_in: z.int().min(1).nullish().meta({
    description: "The seconds for which the key is valid; absent: until it is revoked",
  }),
}).refine(
  ({ role, agents }) => agents == null || role === "viewer" || role === "operator",
  {
    path: ["agents"],
    error:
      "An author or admin may do everything that the service may, so `agents` cannot narrow the key",
  },
).meta({ id: "AddKey" });

/** One named key without its secret. */
export const KeyBody = z.object({
  name: z.string(),
  role: RoleName,
  agents,
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  used_at: timestamp.nullable().meta({ description: "The last use, at most a minute too early" }),
}).meta({ id: "Key" });

/** The response that contains the secret of a key, which no other response contains. */
export const NewKeyBody = z.object({ name: z.string(), key: z.string() }).meta({ id: "NewKey" });

/** The response to the removal of a key. */
export const KeyRevoked = z.object({ revoked: z.string() }).meta({ id: "KeyRevoked" });

/** The sender of a request. */
export const WhoamiBody = z.object({
  name: z.string().nullable().meta({
    description: "The name of the person or key; null for the key of the whole service",
  }),
  role: RoleName.meta({ description: "`admin` for the key of the whole service and the socket" }),
  agents,
  rights: z.array(z.string()),
  may_edit_files: z.boolean().meta({
    description:
      "True if the sender may write agent files: over TCP with a named key, a sign-in, or `service.edit`",
  }),
}).meta({ id: "Whoami" });
