// `chat` in config.yaml: what is read, and which mistakes are reported at their places.
import assert from "node:assert/strict";
import { assertProblems, read } from "./parsed_config.ts";

Deno.test("parseConfig() reads a chat, which is also a channel", () => {
  const { chats, notify } = read(`notify: { to: [phone] }
chat:
  phone:
    type: telegram
    token: BOT_TOKEN
    people: [{ id: 77, name: owner, may: [chat, answer] }, { id: 78, name: guest }]
    groups: [{ id: -500, agent: helper }]
`);
  const chat = {
    name: "phone",
    app: "telegram",
    token: "BOT_TOKEN",
    apiRoot: "https://api.telegram.org",
    people: [
      { id: "77", name: "owner", may: ["chat", "answer"] },
      { id: "78", name: "guest", may: ["chat"] },
    ],
    groups: [{ id: "-500", agent: "helper" }],
  };
  assert.deepEqual(chats, [{ ...chat }]);
  assert.deepEqual(notify.channels, { phone: { type: "chat", ...chat } });
});

Deno.test("parseConfig() reports the mistakes of a chat, and shows no token", () => {
  const text = `notify: { channels: { phone: { type: desktop } } }
chat:
  phone:
    type: telegran
    token: 123:s3cr3t
    people:
      - { id: 77, name: owner, may: [chat, fly] }
  slack: { type: slack, token: T }
  extra: { type: telegram, token: T, app_token: A }
  guild: { type: discord, token: T, app_token: A, people: [{ id: 803511102246789177, name: a }] }
  team: { type: telegram, token: T, people: [{ id: 1, name: a }, { id: 1, name: b }] }
`;
  const told = assertProblems(text, [
    "4:11: chat.phone.type must be telegram, slack or discord",
    "5:12: chat.phone.token must be the name of an environment variable",
    'chat.phone.people[0].may[1] must be chat, answer or start, got "fly"',
    "8:3: chat.slack.app_token is missing",
    "chat.extra.app_token has no meaning for telegram",
    "chat.guild.app_token has no meaning for discord",
    "chat.guild.people[0].id is too large for a number: put it in quotes",
    "chat.phone has the name of a channel",
    "chat.team.people lists the id 1 twice",
  ]);
  assert.doesNotMatch(told, /s3cr3t/);
});
