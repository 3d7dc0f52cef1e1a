// The operations on named keys, and the identity of a request's sender.
import { z } from "zod";
import { SECOND_MS } from "../../base/time_units.ts";
import { hasRight, type Right, RIGHTS } from "../../runtime/vocabulary/rights.ts";
import { RequestRefused } from "../errors.ts";
import { mayEditFiles } from "../operations/open_files.ts";
import { operation, type PathResource } from "../operations/operation.ts";
import { AddKeyBody, KeyBody, KeyRevoked, NewKeyBody, WhoamiBody } from "../schemas/key_schemas.ts";

/** The resource of a named key, by its name. The methods of the keys throw KeyNotFound. */
const KEY: PathResource<string> = { id: z.string(), find: () => Promise.resolve() };

export const keys = operation({
  summary: "The named keys, without their secrets",
  response: z.array(KeyBody),
  handle: async (_request, { runtime }) => await (await runtime.keys()).list(),
});

export const addKey = operation({
  summary: "Add a named key; only this response contains its secret",
  body: AddKeyBody,
  response: NewKeyBody,
  errors: [409, 503],
  async handle({ body: { name, role, agents, expires_in: life } }, { runtime, caller }) {
    const lifeMs = life == null ? null : life * SECOND_MS;
    const keys = await runtime.keys();
    return { name, key: await keys.add({ name, role, agents: agents ?? null, lifeMs }, caller) };
  },
});

export const revokeKey = operation({
  summary: "End a named key at once, with its log-ins and open streams",
  resource: KEY,
  response: KeyRevoked,
  errors: [503],
  async handle({ id }, { runtime, caller }) {
    await (await runtime.keys()).revoke(id, caller);
    return { revoked: id };
  },
});

export const renewKey = operation({
  summary: "Replace the secret of the named key that sends the request",
  response: NewKeyBody,
  errors: [409, 503],
  async handle(_request, { runtime, caller }) {
    const { key } = caller;
    if (key === undefined) {
      throw new RequestRefused(409, "Only a named key can be renewed, and this request has none");
    }
    return { name: key, key: await (await runtime.keys()).renew(key, caller) };
  },
});

export const whoami = operation({
  summary: "The sender of the request, with its role and rights",
  response: WhoamiBody,
  handle(_request, services) {
    const { caller } = services;
    const { name = null, role = "admin" as const, agents = null } = caller;
    const rights = Object.keys(RIGHTS).filter((right) => hasRight(caller, right as Right));
    return Promise.resolve({ name, role, agents, rights, mayEditFiles: mayEditFiles(services) });
  },
});
