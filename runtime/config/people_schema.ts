// Defines `people` in config.yaml: the ways in of each person, which together count as one.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject, objectIn } from "../../base/json.ts";
import { nearestHint } from "../../base/text/suggestion.ts";
import { isSameIssuer, type Person } from "../vocabulary/persons.ts";
import { ROLE_NAMES } from "../vocabulary/rights.ts";
import { appId } from "./chat_schema.ts";
import { baseUrl, channelName, field, filledText, optional, personName } from "./fields.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";
import { showValue } from "./files/shown_value.ts";
import type { YamlPath } from "./files/yaml_document.ts";

const mailAddress = z.string().regex(/^[^\s@<>]+@[^\s@<>]+$/, "must be a mail address")
  .transform((text) => text.toLowerCase());

/** The schema of a person. */
export const writtenPersonOfAll = z.object({
  role: optional(z.enum(ROLE_NAMES)).meta({
    description: "The highest role of the person: a way in has the lower one of both",
    default: "the role of each way in",
  }),
  keys: field(z.array(personName), [], "The names of the person's keys, of `inkling key`"),
  chats: field(
    z.array(z.object({ chat: channelName, id: appId })),
    [],
    "The person in chats: `{ chat: phone, id: 77 }`; `chat.phone.people` must list the id, too",
  ),
  openid: field(
    z.array(
      z.object({ issuer: baseUrl, sub: optional(filledText), email: optional(mailAddress) })
        .refine(
          ({ sub, email }) => (sub === undefined) !== (email === undefined),
          "must have either sub or email",
        ),
    ),
    [],
    "The person at the provider of `sign_in`: `{ issuer, sub }`, or `{ issuer, email }` with a verified address",
  ),
  mail: field(z.array(mailAddress), [], "The person's mail addresses"),
  stand_in: optional(personName).meta({
    description: "The person who gets the questions that this person does not answer in an hour",
  }),
  removed: field(
    z.boolean(),
    false,
    'Refuse `openid` and `mail` of a former person; "inkling person remove" writes it',
  ),
});

/** The schema of `people`. */
export const PEOPLE = z.preprocess(
  (value) => value ?? {},
  z.record(personName, z.preprocess((value) => value ?? {}, writtenPersonOfAll)),
).meta({
  description: "The people and their ways in, by name: see [people](reference/people.md)",
  values: "map",
});

/** Converts `people` of a file without errors. */
export function toPeople(written: z.output<typeof PEOPLE>): Person[] {
  return Object.entries(written).map(([name, { stand_in: standIn, removed, ...rest }]) => (
    { ...rest, name, standIn, isRemoved: removed }
  ));
}

/** Returns the diagnostics about ways in of two people, and about unknown names, chats and providers. */
export function checkPeople(file: DiagnosedFile): Diagnostic[] {
  const written = PEOPLE.safeParse(file.document.value["people"]);
  if (!written.success) return [];
  const owners = new Map<string, string>();
  const names = Object.keys(written.data);
  const chats = objectIn(file.document.value, "chat");
  const issuer = objectIn(file.document.value, "sign_in")["issuer"];
  const found: Diagnostic[] = [];
  const report = (path: YamlPath, message: string, more: Partial<Diagnostic> = {}) =>
    void found.push(diagnose(file, ["people", ...path], { message, ...more }));
  for (const { name, keys, chats: places, openid, mail, standIn } of toPeople(written.data)) {
    const claim = (path: YamlPath, way: string) => {
      const owner = owners.get(way);
      owners.set(way, owner ?? name);
      if (owner === undefined) return;
      const both = owner === name ? `${name} twice` : `both ${owner} and ${name}`;
      report([name, ...path], `The ${way} belongs to ${both}`);
    };
    keys.forEach((key, i) => claim(["keys", i], `key ${key}`));
    mail.forEach((address, i) => claim(["mail", i], `mail address ${address}`));
    openid.forEach(({ issuer: own, sub, email }, i) => {
      claim(["openid", i], `identity ${sub ?? email} at ${own.replace(/\/$/, "")}`);
      if (typeof issuer === "string" && isSameIssuer(issuer, own)) return;
      const message = `${own} signs nobody in: it is not sign_in.issuer`;
      report([name, "openid", i], message, { severity: "warning" });
    });
    places.forEach(({ chat, id }, i) => {
      const path = [name, "chats", i];
      claim(path.slice(1), `id ${id} in the chat ${chat}`);
      if (!Object.hasOwn(chats, chat)) {
        return report(
          path,
          `There is no chat ${showValue(chat)}`,
          nearestHint(chat, Object.keys(chats)),
        );
      }
      const listed = objectIn(chats, chat)["people"];
      if (
        Array.isArray(listed) && listed.some((one) => isJsonObject(one) && String(one["id"]) === id)
      ) return;
      const message =
        `The chat ${chat} does not answer ${id}: chat.${chat}.people does not list it`;
      report(path, message, { severity: "warning" });
    });
    if (standIn === undefined) continue;
    const standing = written.data[standIn];
    if (standIn !== name && standing !== undefined && !standing.removed) continue;
    const message = standIn === name
      ? "stand_in must be another person"
      : `stand_in names ${showValue(standIn)}, who is none of people`;
    report([name, "stand_in"], message, nearestHint(standIn, names));
  }
  for (const [chat, settings] of Object.entries(chats)) {
    const listed = isJsonObject(settings) ? settings["people"] : undefined;
    if (!Array.isArray(listed)) continue;
    listed.forEach((one, index) => {
      if (!isJsonObject(one) || !names.includes(String(one["name"]))) return;
      const name = String(one["name"]);
      const id = String(one["id"]);
      if (owners.has(`id ${id} in the chat ${chat}`)) return;
      const message = `${name} of the chat ${chat} does not count as the person ${name}`;
      const hint = `add { chat: ${chat}, id: ${id} } to people.${name}.chats`;
      found.push(
        diagnose(file, ["chat", chat, "people", index], { severity: "warning", message, hint }),
      );
    });
  }
  return found;
}
