// Lists agent files with problems, each with the position and a part of the message and hint.

/** A file or only its front matter, and `line:column fragment` for each of its problems. */
export type ProblemRow = readonly [content: string | Uint8Array, ...problems: string[]];

/** Returns the bytes of a file that consists of texts and of single bytes. */
function bytes(...parts: (string | number[])[]): Uint8Array {
  const encoder = new TextEncoder();
  return Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...encoder.encode(part)] : part),
  );
}

/** YAML in which a few aliases expand to ten billion values. */
const BOMB = [
  "a: &a [x,x,x,x,x,x,x,x,x,x]",
  ...[..."bcdefghi"].map((key, i) => `${key}: &${key} [${Array(10).fill(`*${"abcdefgh"[i]}`)}]`),
].join("\n");

/** Front matter that is refused. Its first line is line 2 of the file. */
export const BAD_FRONT_MATTER: readonly ProblemRow[] = [
  ["approvals: 6", "2:12 approvals must be between 1 and 5, got 6"],
  ["approvers: []", "2:12 approvers must name at least one"],
  ["approvers: anna\napprovals: 2", "3:12 approvals is 2, and approvers names only 1"],
  ["settings:\n  temperature: 7", "3:16 settings.temperature must be between 0 and 1, got 7"],
  ["__proto__: {enabled: false}", "2:1 A key must not be called __proto__"],
  ["paths: []", "2:8 paths must not be empty"],
  ["settings: {temperature: .nan}", "2:25 settings.temperature must be a number, got NaN"],
  ["settings: {temperature: hot}", '2:25 settings.temperature must be a number, got "hot"'],
  ["settings:\n  max_tokens: 0", "3:15 settings.max_tokens must be between 1 and 128000, got 0"],
  ["settings:\n  timeout: 0", "3:12 settings.timeout must be between 1 and 604800, got 0"],
  ["settings:\n  timeout: 5m", '3:12 settings.timeout must be a whole number, got "5m"'],
  ["settings: {max_duration: 0}", "2:26 settings.max_duration must be whole seconds or a duration"],
  ["settings: {max_duration: 1.5}", "2:26 such as 10m, up to 7d, or none, got 1.5"],
  ["shell: yes please", "2:8 shell must be true, or a map with allow, deny, net, env, timeout"],
  ["shell: {allow: ['*']}", "2:17 shell.allow[0] must be the words of one command"],
  ["shell: {deny: [a > b]}", '2:16 with * only as the last word, got "a > b"'],
  [
    "shell: {timeout: 2}",
    "2:18 shell.timeout must be a duration such as 30s or 5m, up to 1d, got 2",
  ],
  ["shell: {env: [sk-live-1]}", "2:15 must be the name of an environment variable, not a key"],
  ["retry: often", '2:8 retry must be a whole number, got "often"'],
  ["retry:\n  wait: 2d", '3:9 retry.wait must be a duration such as 30s or 5m, up to 1d, got "2d"'],
  ["retry: {on: [timeout]}", '2:14 retry.on[0] must be network, provider or rate_limit, got "time'],
  ["retry: {on: []}", "2:13 retry.on must name at least one"],
  ["settings:\n  max_cost_usd: 0", "3:17 settings.max_cost_usd must be more than 0, got 0"],
  ["settings:\n  loop_detection: yes", "3:19 settings.loop_detection must be true or false"],
  ["name: 7", '2:7 name must be text, got 7 (put it in quotes: "7")'],
  ["name: Daily!", '2:7 underscores, not "!"'],
  ['name: " x"', "2:7 name must not begin or end with a space"],
  ['name: "a\\tb"', "2:7 underscores, not U+0009"],
  ["description: [a]", '2:14 description must be text, got ["a"]'],
  ['icon: ""', "2:7 icon must not be empty"],
  ["history: lo", '2:10 history must be low, medium, high or off, got "lo" (did you mean "low"?)'],
  ["enabled: no", '2:10 enabled must be true or false, got "no"'],
  ["confirm_timeout: 30", "2:18 got 30 (add a unit: 30s or 30m)"],
  ["confirm_timeout: 5w", "2:18 write weeks as days: 35d"],
  ["trigger: {type: schedule, every: 1w}", "2:34 write weeks as days: 7d"],
  ["trigger: {type: schedule, every: 2 weeks}", "2:34 write weeks as days: 14d"],
  ["trigger: {type: schedule, every: 30}", "2:34 got 30 (add a unit: 30s or 30m)"],
  ["trigger: {type: schedule, every: '30'}", '2:34 got "30" (add a unit: 30s or 30m)'],
  ['paths: "a\\0b"', "2:8 must not hold a NUL character"],
  ["confirm:\n  - file_read\n  - 3", "4:5 confirm[1] must be text, got 3"],
  ["auto_approve: file_read", '2:15 auto_approve must be a list of tool names, or "*"'],
  ["auto_approve: [1]", "2:16 auto_approve[0] must be text, got 1"],
  ["skills: ../secret", "2:9 skills must be a plain name"],
  ["nodes: [gpu, Big_Disk]", "2:14 nodes[1] must be made of small letters, digits and -, got"],
  ["nodes: [a, b, c, d, e, f, g, h, i]", "2:8 nodes must name at most 8 labels"],
  ["agents: [{a: b}]", "2:10 agents[0] must be text"],
  ["custom_tools: []", "2:15 custom_tools must name at least one"],
  ['mcp: ["  "]', "2:7 mcp[0] must not be empty"],
  ["budget: {per_day: 0}", "2:19 budget.per_day must be"],
  ["budget: {timezone: Mars/Base}", "2:20 budget.timezone must be a time zone"],
  ["on_budget: stop", "2:12 on_budget must be"],
  ["settings: {max_tool_calls: 1e20}", `2:28 must be between 1 and ${Number.MAX_SAFE_INTEGER}`],
  ['enabled: "yes"', "2:10 (write true or false, without quotes)"],
  [`history: ${"x".repeat(100)}`, `2:10 got "${"x".repeat(56)}...`],
  ["name: x\nid: other", "3:5 id cannot be declared"],
  ["model: [gpt]", "2:8 model must be text, or a map of keys and values"],
  ["model: opnai/gpt-5", '2:8 got "opnai/gpt-5" (did you mean "openai/gpt-5"?)'],
  [
    "model: meta-llama/x",
    "2:8 must begin with openai, anthropic, google, ollama, local or demo, or",
  ],
  ["model: openai/", '2:8 model must be provider/name, got "openai/"'],
  [
    "model: {provider: openai, name: x, fallback: [openai/]}",
    "2:47 model.fallback[0] must be provider/name",
  ],
  ["model:\n  provider: openai", "2:1 model.name is missing"],
  ["model: x", "2:1 model.provider is missing"],
  ["model:\n  provider: opnai\n  name: x", '3:13 got "opnai" (did you mean "openai"?)'],
  [
    "model: {provider: openai, name: x, fallback: [3]}",
    "2:47 model.fallback[0] must be text, or a map",
  ],
  ["model: {provider: x, name: y, base_url: host}", "2:41 model.base_url must be an http or"],
  [
    "model:\n  provider: x\n  name: y\n  base_url: http://a\n  url: http://b",
    "6:3 are two names of one field",
  ],
  [
    "tools: [a, -file_raed]",
    '2:12 tools leaves out "file_raed", which is not a built-in tool (did you mean "-file_read"?)',
  ],
  ["tools: [a]\ncustom_tools: [b]", "2:1 custom_tools and tools are two names of one field"],
  [
    "trigger: { type: change, every: 1h }",
    "2:18 needs exactly one of trigger.url and trigger.command",
  ],
  [
    "trigger: { type: change, url: https://a.example, command: ls, every: 1h }\nshell: true",
    "2:59 A change trigger needs exactly one of trigger.url and trigger.command, and both are given",
  ],
  ["trigger: { type: change, url: https://a.example }", "2:18 trigger.every is missing"],
  ["trigger: { type: change, command: ls, every: 1h }", "2:26 trigger.command needs shell"],
  ["trigger: { type: change, url: 'file:///etc', every: 1h }", "2:31 must be an http or https"],
  ["trigger: { type: change, url: 'https://a:b@c.example', every: 1h }", "2:31 must not hold a"],
  [
    "trigger: { type: change, url: https://a.example, every: 1h, select: /a~2 }",
    "2:61 trigger.select must be a JSON pointer",
  ],
  [
    "trigger: { type: change, url: https://a.example, every: 1h, select: p, each: true }",
    "2:72 trigger.each is for feeds, without trigger.select",
  ],
  [
    "trigger: { type: change, url: https://a.example, every: 1h, headers: { a b: c } }",
    "2:77 has a name that must be the name of a header",
  ],
  [
    "trigger: { type: change, url: https://a.example, every: 1h, ignore: ['(?=x)'] }",
    "2:70 trigger.ignore[0] must be an expression of RE2",
  ],
  ["trigger: { type: webhook, secret: HOOK }", "2:18 trigger.scheme is missing: a webhook accepts"],
  ["trigger: { type: webhook, scheme: github }", "2:18 trigger.secret is missing: a webhook"],
  [
    "trigger: { type: webhook, scheme: stripe, secret: [whsec_5WbX+/=] }",
    "2:52 trigger.secret[0] must be",
  ],
  [
    "trigger: { type: webhook, scheme: github, secret: A, filter: { fields: { ref: x } } }",
    "2:74 A key of trigger.filter.fields must be a JSON pointer",
  ],
  [
    "trigger: { type: webhook, scheme: hmac, secret: A, handshake: zoom }",
    "2:63 must not be zoom with",
  ],
  ["trigger: { type: webhook, scheme: github, secret: A, sync: 6m }", "2:60 trigger.sync must be"],
  ["trigger:\n  type: scheduled", '3:9 got "scheduled" (did you mean "schedule"?)'],
  ["trigger:\n  type: schedule", "3:9 exactly one of trigger.every and trigger.cron, and neither"],
  ["trigger:\n  type: schedule\n  every: 5m\n  cron: 0 8 * * *", "5:3 and both are given"],
  ["trigger:\n  type: schedule\n  every: 500ms", "4:10 trigger.every must be an interval of at"],
  ["trigger:\n  type: schedule\n  cron: 99 * * * *", "4:9 trigger.cron is not a valid cron"],
  ...([
    ["CRON_TZ=Europe/Paris 0 8 * * *", 'write cron: "0 8 * * *" and timezone: Europe/Paris'],
    ["TZ=UTC 0 0 8 ? * MON-FRI", 'write cron: "0 8 * * mon-fri" and timezone: UTC'],
    ["'@every 90m'", "write every: 90m instead of cron"],
    ["'@reboot'", "no trigger fires when the service starts"],
    ["0 8 ? * MON", 'write "0 8 * * mon"'],
    ["0 0 8 1 * ? 2026", 'write "0 8 1 * *"'],
    ["cron(0 8 1 * ? *)", 'write "0 8 1 * *"'],
    ["0 8 * january monday-friday", 'write "0 8 * jan mon-fri"'],
    ["0 8 L * *", "L, W and # are not known"],
  ] as const).map(([cron, hint]): ProblemRow => [
    `trigger:\n  type: schedule\n  cron: ${cron}`,
    `4:9 ${hint}`,
  ]),
  // A `?` is of the Quartz dialect, in which weekday 2 is Monday and seconds are required.
  ["trigger:\n  type: schedule\n  cron: 0 8 ? * 2", "4:9 invalid value for day of month: ?"],
  ["trigger:\n  type: schedule\n  cron: '*/10 * * * * *'", "4:9 and has 6, got"],
  [
    "trigger:\n  type: schedule\n  cron: 0 8 * * *\n  timezone: W. Europe Standard Time",
    "5:13 write Europe/Berlin",
  ],
  ["trigger: {type: schedule, every: 5m, catch_up: all}", "2:48 trigger.catch_up must be once or"],
  ["trigger:\n  type: watch", "3:9 trigger.paths is missing"],
  ["trigger: {type: watch, paths: [a], debounce: -1}", "2:46 trigger.debounce must be a number"],
  ["trigger: {type: watch, paths: [a], max_runs: 0}", "2:46 trigger.max_runs must be"],
  ["trigger: {type: watch, paths: [a], filters: [x]}", "2:45 trigger.filters must be a map"],
  ["paths:\n  My-Notes: notes", "3:3 paths.My-Notes is not a valid alias"],
  ["paths:\n  workspace: notes", "3:3 paths.workspace is a reserved alias"],
  ["paths:\n  own: agents/x", "3:8 paths.own must not lead into the agents directory"],
  ["paths: [notes/../agents]", "2:9 paths[0] must not lead into the agents directory"],
  ["paths:\n  secrets: sub/.ENV.local", "3:12 paths.secrets must not lead to an .env file"],
  ["paths:\n  data: 3", "3:9 paths.data must be a path, or a map with path and description, got 3"],
  ["paths:\n  data: {path: 3}", "3:16 paths.data.path must be text, got 3"],
  [`trigger: {type: watch, paths: ['${"{a,aa}".repeat(12)}']}`, "2:32 its braces stand for"],
  [
    `trigger: {type: watch, paths: [in], filters: {exclude: ["${"?*".repeat(501)}"]}}`,
    "2:57 The pattern in trigger.filters.exclude is too complicated: it has more than 1000",
  ],
  ["- a\n- b", "2:1 must be a map of keys and values"],
  ["name: x\nskills: [a, b\nicon: y", "4:1 Broken YAML: Flow sequence"],
  ['name: "x\nicon: y', "2:7 Broken YAML: Missing closing"],
  ["description: Note: this", "2:14 needs quotes"],
  ["  name:\nname:\n\u009b1m", '4:1 Unexpected scalar token in YAML stream: "\\u009b1m'],
  ["model:\n\tprovider: openai", "3:1 tabs cannot indent"],
  ["name: @daily", "2:7 reserved character @"],
  ["name: a\nicon: b\nname: c", "4:1 The key name stands twice in the same map"],
  ["name: x\n...\nicon: y", "4:1 Only one YAML document is allowed"],
  ["name: *nobody", "2:7 Unknown alias *nobody"],
  ["skills: &s [*s]", "2:13 stands inside its own anchor"],
  [BOMB, "6: The YAML holds too many values"],
  ["? [a, b]\n: c", "2:3 A key must be plain text"],
  ["name: !!binary aGVsbG8=", "2:16 is not supported"],
  [`skills: ${"[".repeat(80)}${"]".repeat(80)}`, "2: The YAML is nested too deeply"],
  ["description: |\n  ---\n  a --- b\nicon: '---'\nhistory: all", "6:10 history must be"],
  [`description: ${"x".repeat(65_536)}`, "1:1 The front matter is over 64 KB"],
];

/** Whole files that are errors. */
export const BAD_FILES: readonly ProblemRow[] = [
  ["", "1:1 The system prompt is empty (write into the file what"],
  ["\ufeff \r\n\t\n", "1:1 The system prompt is empty"],
  ["---\nname: x\n---\n \n\n", "4:1 The system prompt is empty (write below the second ---"],
  ["---\nname: x\nDo it.\n", "1:1 never closed"],
  ["---", "1:1 never closed"],
  ["```yaml\n---\nmodel: x\n---\n```\nDo it.\n", "1:1 it is inside a code fence (remove the fence"],
  ["~~~ md\r\n\r\n---\r\nname: x\r\n---\r\nDo it.\r\n~~~\r\n", "1:1 it is inside a code fence"],
  ["---\nname: x\n ---\n", "1:1 never closed"],
  ["---\r\nname: x\r\nhistory: all\r\n---\r\nDo it.\r\n", "3:10 history must be"],
  ["\ufeff---\nhistory: all\n---\nDo it.\n", "2:10 history must be"],
  ["x".repeat(4 * 1_024 * 1_024 + 1), "1:1 The file is over 4 MB"],
  [bytes("---\nname: x\n---\nab", [0], "c"), "4:3 The file is binary"],
  [bytes([0x89], "PNG\r\n", [0x1a], "\n"), "1:1 not UTF-8"],
  [bytes("---\nname: x\n---\ncaf", [0xe9], " au lait\n"), "4:4 (Save it as UTF-8)"],
  [bytes("Do it. ", [0xf0, 0x9f]), "1:8 the byte 0xf0 here is not valid"],
  [bytes([0xff, 0xfe], [0x2d, 0, 0x2d, 0]), "1:1 It looks like UTF-16"],
];

/** File names that are errors, each with its only problem. */
export const BAD_NAMES: readonly (readonly [name: string, problem: string])[] = [
  ["a.b.md", '1:1 underscores, not "."'],
  [".md", "1:1 The file's name must not be empty"],
  ["daily .md", "1:1 must not begin or end with a space"],
  ["daily.txt", "1:1 must end with .md"],
];

/** Front matter that loads with warnings. */
export const ODD_FRONT_MATTER: readonly ProblemRow[] = [
  ["tempo: 3", "2:1 Unknown key tempo: it is ignored"],
  ["trigger:\n  typ: manual", '3:3 Unknown key trigger.typ: it is ignored (did you mean "type"?)'],
  [
    "model: {provider: demo, name: echo, temperature: 0.2}",
    '2:37 (did you mean "settings.temperature"?)',
  ],
  [
    "trigger: {type: schedule, cron: 0 8 * * *, tz: UTC}",
    '2:44 trigger.tz: it is ignored (did you mean "timezone"?)',
  ],
  ["tz: Europe/Paris", '2:1 (did you mean "trigger.timezone"?)'],
  ["max_tokens: 100", '2:1 it is ignored (did you mean "settings.max_tokens"?)'],
  ["timeout: 10m", '2:1 (did you mean "settings.max_duration" or "settings.timeout" or'],
  ["paths:\n  data: {path: x, descripton: y}", "3:19 data.descripton: it is ignored (did you mean"],
  ['"a\\e[31m": x', '2:1 Unknown key "a\\u001b[31m"'],
  [
    "paths: [in, data/shop.SQLite3, old.db.bak]",
    "2:13 paths[1] leads to a database (*.db*, *.sqlite*): agents can read it, but not write to it",
    "2:32 paths[2] leads to a database",
  ],
  [
    "trigger: { type: webhook, scheme: github, secret: A, in: query }",
    "2:54 trigger.in has no effect",
  ],
  ["trigger:\n  every: 5m", "3:3 trigger.every has no effect: the trigger's type is manual"],
  ["trigger: {type: schedule, every: 1d, timezone: Europe/Paris}", "2:38 only cron uses a time"],
  ["constructor: 1", "2:1 Unknown key constructor"],
  [
    "after: [{agent: a, onn: any}]",
    '2:20 Unknown key after[0].onn: it is ignored (did you mean "on"?)',
  ],
  ["name: !thing x", "2:7 Unresolved tag"],
];
