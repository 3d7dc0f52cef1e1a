// Tests `people` of config.yaml: the ways in of a person, and the reports about ways in that cannot count.
import assert from "node:assert/strict";
import { parseConfig } from "../../../runtime/config/parse_config.ts";
import { findPerson, toPersonCaller } from "../../../runtime/vocabulary/persons.ts";

const CHAT = `chat:
  phone:
    type: telegram
    token: TOKEN
    people: [{ id: 77, name: Ada on the phone, may: [chat, answer] }, { id: 78, name: bob, may: [answer] }]
`;

function parse(text: string) {
  const parsed = parseConfig(text, { path: "/c/config.yaml", home: "/c" });
  const diagnostics = "diagnostics" in parsed ? parsed.diagnostics : parsed.config.warnings;
  return {
    config: "config" in parsed ? parsed.config : undefined,
    problems: diagnostics.map(({ severity, line, message, hint }) =>
      `${line} ${severity} ${message}${hint === undefined ? "" : `; ${hint}`}`
    ),
  };
}

Deno.test("each way in leads to its person, and no other one does", () => {
  const { config, problems } = parse(`public_url: https://a.example
sign_in: { issuer: "https://login.example", client_id: a, groups: { s: viewer } }
people:
  ada:
    role: operator
    keys: [laptop]
    openid: [{ issuer: "https://login.example/", sub: u1 }, { issuer: "https://login.example", email: Ada@Example.com }]
    mail: [Ada@example.com]
    stand_in: bob
  bob:
`);
  assert.deepEqual(problems, []);
  const people = config!.people;
  const issuer = "https://login.example";
  const nameOf = (way: Parameters<typeof findPerson>[1]) => findPerson(people, way)?.name;
  assert.equal(nameOf({ key: "laptop" }), "ada");
  assert.equal(nameOf({ issuer, sub: "u1" }), "ada");
  assert.equal(nameOf({ issuer, sub: "u9", email: "ada@example.com" }), "ada");
  assert.equal(nameOf({ mail: "ADA@example.com" }), "ada");
  for (
    const way of [
      { key: "ada" },
      { chat: "phone", id: "77" },
      // The address counts only if the provider has verified it, and only at this provider.
      { issuer, sub: "ada@example.com" },
      { issuer: "https://other.example", sub: "u1", email: "ada@example.com" },
      { mail: "bob@example.com" },
    ]
  ) assert.equal(nameOf(way), undefined, JSON.stringify(way));
});

Deno.test("a person has the lower role of both, and nobody else gets the person's name", () => {
  const { config } = parse("people: { ada: { role: operator, keys: [laptop] } }\n");
  const people = config!.people;
  const of = (name: string, role: "viewer" | "admin", key: string) => {
    const caller = toPersonCaller(people, { via: "api", name, role }, { key });
    return `${caller?.name} ${caller?.role}`;
  };
  assert.equal(of("laptop", "admin", "laptop"), "ada operator");
  assert.equal(of("laptop", "viewer", "laptop"), "ada viewer");
  assert.equal(of("ada", "admin", "ada"), "ada (key) admin");
  assert.equal(of("bob", "admin", "bob"), "bob admin");
});

Deno.test("a person of a chat has the person's name, and the rights of both the role and `may`", () => {
  const { config, problems } = parse(`${CHAT}people:
  ada: { role: viewer, chats: [{ chat: phone, id: 77 }] }
  bob:
`);
  assert.deepEqual(config!.chats[0]!.people, [
    { id: "77", name: "ada", role: "viewer", may: [] },
    // The chat calls somebody so whom no person lists.
    { id: "78", name: "bob (chat)", may: ["answer"] },
  ]);
  assert.deepEqual(problems, [
    "5 warning bob of the chat phone does not count as the person bob; " +
    "add { chat: phone, id: 78 } to people.bob.chats",
  ]);
});

Deno.test("a removed person is refused in chats, and the name is free again", () => {
  const { config } = parse(`${CHAT}people:
  ada: { removed: true, mail: [a@example.com], chats: [{ chat: phone, id: 77 }] }
`);
  const { people, chats } = config!;
  assert.deepEqual(chats[0]!.people.map(({ name }) => name), ["bob"]);
  const by = { via: "api" as const, name: "a@example.com" };
  assert.equal(toPersonCaller(people, by, { mail: "a@example.com" }), undefined);
  assert.equal(toPersonCaller(people, { ...by, name: "ada" }, { key: "ada" })?.name, "ada");
});

Deno.test("a way in of two people, and unknown chats, people and providers are reported", () => {
  const { problems } = parse(`${CHAT}people:
  ada: { keys: [one], mail: [x@example.com], chats: [{ chat: phone, id: 77 }] }
  bob:
    keys: [one]
    mail: [X@example.com]
    chats: [{ chat: phone, id: 77 }, { chat: phon, id: 1 }, { chat: phone, id: 99 }]
    stand_in: adda
  carl: { stand_in: carl, openid: [{ issuer: "https://login.example", sub: a }] }
`);
  assert.deepEqual(problems, [
    "5 warning bob of the chat phone does not count as the person bob; " +
    "add { chat: phone, id: 78 } to people.bob.chats",
    "9 error The key one belongs to both ada and bob",
    "10 error The mail address x@example.com belongs to both ada and bob",
    "11 error The id 77 in the chat phone belongs to both ada and bob",
    '11 error There is no chat "phon"; did you mean "phone"?',
    "11 warning The chat phone does not answer 99: chat.phone.people does not list it",
    '12 error stand_in names "adda", who is none of people; did you mean "ada"?',
    "13 error stand_in must be another person",
    "13 warning https://login.example signs nobody in: it is not sign_in.issuer",
  ]);
  const texts = [
    ["people: { admin: {} }", /name of a role/],
    ["people: { ada: { role: boss } }", /viewer.*admin/],
    ["people: { ada: { mail: [no] } }", /must be a mail address/],
    ['people: { ada: { openid: [{ issuer: "https://a.example" }] } }', /either sub or email/],
    ["people: { ada: { key: [a] } }", /Unknown key people.ada.key.*did you mean "keys"/],
  ] as const;
  for (const [text, expected] of texts) assert.match(parse(text).problems.join(), expected, text);
});
