// The operations on the people of config.yaml.
import { z } from "zod";
import { RuntimeError } from "../../base/errors.ts";
import { RequestRefused } from "../errors.ts";
import { openFiles } from "../operations/open_files.ts";
import { operation, type PathResource, type Services } from "../operations/operation.ts";
import { PersonBody, PersonRemoved } from "../schemas/person_schemas.ts";

/** The resource of a person, by the name. */
const PERSON: PathResource<string> = {
  id: z.string(),
  find: (id, services) => findPerson(id, services).then(() => {}),
};

async function findPerson(id: string, { runtime }: Services) {
  const find = () => runtime.config.people.find(({ name }) => name === id);
  // The person may have been added to config.yaml just now.
  if (find() === undefined) await runtime.listAgents({ fresh: true });
  const person = find();
  if (person === undefined) {
    throw new RequestRefused(404, `config.yaml has no person ${JSON.stringify(id)}`);
  }
  return person;
}

export const people = operation({
  summary: "The people of config.yaml with their ways in",
  response: z.array(PersonBody),
  async handle(_request, { runtime }) {
    const { people } = runtime.config;
    const known = people.length === 0 ? [] : await (await runtime.keys()).list();
    return people.map(({ role = null, standIn = null, keys, chats, openid, mail, ...rest }) => ({
      ...{ ...rest, role, standIn, chats: [...chats], openid: [...openid], mail: [...mail] },
      keys: keys.map((name) => ({ name, isKnown: known.some((key) => key.name === name) })),
    }));
  },
});

export const removePerson = operation({
  summary: "End all ways in of a person, with the sessions and open streams",
  description: "Revokes the person's keys, and takes the person out of `people` and `chat` in " +
    "config.yaml. An entry stays there that refuses the sign-in and mail of the person.",
  resource: PERSON,
  response: PersonRemoved,
  errors: [403, 409, 503],
  async handle({ id }, services) {
    const { runtime, caller } = services;
    const files = await openFiles(services, { kind: "config" });
    const person = await findPerson(id, services);
    // The keys first: after a failure, the person is still listed, and can be removed again.
    const keys = await runtime.keys();
    const revoked: string[] = [];
    for (const key of person.keys) {
      try {
        await keys.revoke(key, caller);
        revoked.push(key);
      } catch (error) {
        if (!(error instanceof RuntimeError) || error.code !== "not_found") throw error;
      }
    }
    await files.removePerson(person, { by: caller });
    await runtime.audit.record("remove_person", caller, { detail: { name: id } });
    return { removed: id, keys: revoked };
  },
});
