// `inkling person`: lists the people of config.yaml, and removes a person with all ways in.
import { checkAction } from "../../command_line/actions.ts";
import { performs } from "../../command_line/command.ts";
import type { person } from "../../declarations/people_commands.ts";
import type { PersonBody } from "../../../api/schemas/person_schemas.ts";
import type { Output } from "../../output/output.ts";
import { NOTHING } from "../../output/table.ts";
import { openService } from "../../service/daemon.ts";

const ACTIONS = {
  list: { words: [], options: ["json"] },
  remove: { words: ["name"], options: [] },
} as const;

/** Lists the people, or removes one. */
export const perform = performs<typeof person>(async (context, options, words) => {
  checkAction("person", ACTIONS, words, options);
  const { action, name = "" } = words;
  const { output } = context;
  using client = await openService(context);
  if (action === "remove") {
    const { keys } = await client.removePerson(name);
    const ended = keys.length === 0 ? "" : ` Revoked keys: ${keys.join(", ")}.`;
    return output.sentence(`${name} has no way in any more, and the sessions have ended.${ended}`);
  }
  const people = await client.people();
  if (options.json) return output.json(people);
  show(people, output);
});

function show(people: readonly PersonBody[], output: Output): void {
  if (people.length === 0) {
    return output.sentence("config.yaml lists no people: see docs/reference/people.md");
  }
  // One row for each way in. The other columns are in the first row of a person.
  const rows = people.flatMap((one) => {
    const [first = NOTHING, ...more] = describeWays(one);
    const { name, stand_in: standIn } = one;
    const role = one.is_removed ? "removed" : one.role ?? NOTHING;
    return [
      { name, role, way: first, standIn: standIn ?? NOTHING },
      ...more.map((way) => ({ name: "", role: "", way, standIn: "" })),
    ];
  });
  output.table(rows, [
    { header: "Name", cell: ({ name }) => name, shrinks: true, paint: output.style.bold },
    { header: "Role", cell: ({ role }) => role },
    { header: "Way in", cell: ({ way }) => way, shrinks: true },
    { header: "Stand-in", cell: ({ standIn }) => standIn },
  ]);
}

function describeWays({ keys, chats, openid, mail }: PersonBody): string[] {
  return [
    ...keys.map(({ name, is_known: isKnown }) => `key ${name}${isKnown ? "" : " (unknown)"}`),
    ...chats.map(({ chat, id }) => `${chat} ${id}`),
    ...openid.map(({ issuer, sub, email }) => `${sub ?? email} at ${new URL(issuer).host}`),
    ...mail.map((address) => `mail ${address}`),
  ];
}
