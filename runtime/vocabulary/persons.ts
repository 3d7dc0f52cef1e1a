// The people of config.yaml and their ways in: finds the person of a key, chat, sign-in or mail address.
import type { Caller } from "./callers.ts";
import { hasRight, type Right, type Role, ROLE_NAMES } from "./rights.ts";

/** A person at an OpenID provider: by the provider's id, or by a mail address that it has verified. */
export interface OpenIdIdentity {
  issuer: string;
  sub?: string | undefined;
  /** In lower case. */
  email?: string | undefined;
}

/** A person with all ways in. */
export interface Person {
  name: string;
  /** The highest role of the person, whatever a way in gives. Undefined: the role of the way in. */
  role?: Role | undefined;
  /** The names of the person's keys. */
  keys: readonly string[];
  chats: readonly { chat: string; id: string }[];
  openid: readonly OpenIdIdentity[];
  /** Mail addresses in lower case. */
  mail: readonly string[];
  /** The name of the person who gets the questions that this person does not answer. */
  standIn?: string | undefined;
  /** True if the person was removed, so that the sign-in and mail are refused. */
  isRemoved: boolean;
}

/** A proven way in: a named key, a sender of a chat, a signed-in identity, or the sender of a mail. */
export type WayIn =
  | { key: string }
  | { chat: string; id: string }
  | OpenIdIdentity & { sub: string }
  | { mail: string };

/** Returns the person that a way in belongs to, also a removed one. */
export function findPerson(people: readonly Person[], way: WayIn): Person | undefined {
  return people.find((person) => {
    if ("key" in way) return person.keys.includes(way.key);
    if ("chat" in way) {
      return person.chats.some(({ chat, id }) => chat === way.chat && id === way.id);
    }
    if ("mail" in way) return person.mail.includes(way.mail.toLowerCase());
    return person.openid.some(({ issuer, sub, email }) =>
      isSameIssuer(issuer, way.issuer) &&
      (sub === undefined ? email === way.email?.toLowerCase() : sub === way.sub)
    );
  });
}

/**
 * Returns the sender as the person that the way in belongs to, with the lower one of both roles. Returns undefined for a
 * removed person. A way in of nobody never has the name of a person, even if it is called so.
 */
export function toPersonCaller(
  people: readonly Person[],
  caller: Caller & { name: string },
  way: WayIn,
): Caller & { name: string } | undefined {
  const person = findPerson(people, way);
  if (person?.isRemoved) return undefined;
  if (person !== undefined) {
    const role = lowerRole(person.role, caller.role);
    return { ...caller, name: person.name, ...(role !== undefined && { role }) };
  }
  const { name } = caller;
  const isTaken = people.some((one) => one.name === name && !one.isRemoved);
  return isTaken ? { ...caller, name: `${name} (${Object.keys(way)[0]})` } : caller;
}

/** Returns the sender of a mail, or undefined for a person who may not answer questions. */
export function toMailCaller(
  people: readonly Person[],
  address: string,
): Caller & { name: string } | undefined {
  const by = toPersonCaller(people, { via: "mail", name: address }, { mail: address });
  return by !== undefined && hasRight(by, "answer") ? by : undefined;
}

/** Returns the rights of a list that a role leaves. Without a role, all of them. */
export function limitRights<R extends Right>(rights: readonly R[], role: Role | undefined): R[] {
  return rights.filter((right) => role === undefined || hasRight({ role }, right));
}

/** Returns true if two texts name one OpenID provider. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

function lowerRole(...roles: (Role | undefined)[]): Role | undefined {
  return ROLE_NAMES.find((role) => roles.includes(role));
}
