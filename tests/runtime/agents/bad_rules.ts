// Agent files that break a rule between fields, or of models, triggers and paths.
import { bad, type BadAgentFile, fields } from "./bad_agent_file.ts";

/** Rules between fields, and of models, triggers and paths. */
export const BAD_RULES: readonly BadAgentFile[] = [
  bad("id declared", fields("name: x", "id: other"), [
    "3:5",
    "id cannot be declared",
  ]),
  bad("model text", fields("model: gpt"), [
    "2:8",
    "model must be a map of keys and values",
  ]),
  bad("model without name", fields("model:", "  provider: openai"), [
    "2:1",
    "model.name is missing",
  ]),
  bad(
    "model name empty",
    fields("model:", "  provider: openai", '  name: ""'),
    [
      "4:9",
      "model.name must not be empty",
    ],
  ),
  bad("model without provider", fields("model: {name: x}"), [
    "2:1",
    "model.provider is missing",
  ]),
  bad("unknown provider", fields("model:", "  provider: opnai", "  name: x"), [
    "3:13",
    'got "opnai" (did you mean "openai"?)',
  ]),
  bad(
    "base_url is no address",
    fields("model: {provider: x, name: y, base_url: host}"),
    [
      "2:41",
      "model.base_url must be an http or https address",
    ],
  ),
  bad(
    "base_url and url",
    fields(
      "model:",
      "  provider: x",
      "  name: y",
      "  base_url: http://a",
      "  url: http://b",
    ),
    ["6:3", "base_url and url are two names of one field"],
  ),
  bad("tools and custom_tools", fields("tools: [a]", "custom_tools: [b]"), [
    "2:1",
    "custom_tools and tools are two names of one field",
  ]),
  bad("webhook without scheme", fields("trigger: { type: webhook, secret: HOOK }"), [
    "2:18",
    "trigger.scheme is missing: a webhook takes only what shows who sent it",
  ]),
  bad("webhook without secret", fields("trigger: { type: webhook, scheme: github }"), [
    "2:18",
    "trigger.secret is missing: a webhook takes only what shows who sent it",
  ]),
  bad(
    "a secret instead of its variable",
    fields("trigger: { type: webhook, scheme: stripe, secret: [whsec_5WbX+/=] }"),
    ["2:52", "trigger.secret[0] must be the name of an environment variable, not a key"],
  ),
  bad(
    "a filter by no pointer",
    fields("trigger: { type: webhook, scheme: github, secret: A, filter: { fields: { ref: x } } }"),
    ["2:74", "A key of trigger.filter.fields must be a JSON pointer"],
  ),
  bad(
    "sync for too long",
    fields("trigger: { type: webhook, scheme: github, secret: A, sync: 6m }"),
    ["2:60", "trigger.sync must be a duration such as 10s or 1m"],
  ),
  bad("trigger type", fields("trigger:", "  type: scheduled"), [
    "3:9",
    'trigger.type must be manual, schedule, watch or webhook, got "scheduled" (did you mean "schedule"?)',
  ]),
  bad("schedule without time", fields("trigger:", "  type: schedule"), [
    "3:9",
    "exactly one of trigger.every and trigger.cron, and neither is given",
  ]),
  bad(
    "schedule with both",
    fields(
      "trigger:",
      "  type: schedule",
      "  every: 5m",
      "  cron: 0 8 * * *",
    ),
    [
      "5:3",
      "exactly one of trigger.every and trigger.cron, and both are given",
    ],
  ),
  bad("every number", fields("trigger:", "  type: schedule", "  every: 5"), [
    "4:10",
    "trigger.every must be text, got 5",
  ]),
  bad(
    "every too short",
    fields("trigger:", "  type: schedule", "  every: 500ms"),
    [
      "4:10",
      "trigger.every must be an interval of at least one second",
    ],
  ),
  bad(
    "every in words",
    fields("trigger:", "  type: schedule", "  every: 5 minutes"),
    [
      "4:10",
      'got "5 minutes"',
    ],
  ),
  bad(
    "cron fields",
    fields("trigger:", "  type: schedule", "  cron: 0 8 * *"),
    [
      "4:9",
      "trigger.cron must have five fields",
    ],
  ),
  bad(
    "cron seconds",
    fields("trigger:", "  type: schedule", "  cron: 0 0 8 * * *"),
    [
      "4:9",
      "and has 6",
    ],
  ),
  bad(
    "cron value",
    fields("trigger:", "  type: schedule", "  cron: 99 * * * *"),
    [
      "4:9",
      "trigger.cron is not a valid cron expression: invalid value for minute: 99",
    ],
  ),
  bad(
    "cron never fires",
    fields("trigger:", "  type: schedule", "  cron: 0 0 31 2 *"),
    [
      "4:9",
      "trigger.cron never fires",
    ],
  ),
  bad(
    "cron nickname",
    fields("trigger:", "  type: schedule", '  cron: "@reboot"'),
    [
      "4:9",
      "trigger.cron must be one of @yearly",
    ],
  ),
  bad(
    "time zone",
    fields(
      "trigger:",
      "  type: schedule",
      "  cron: 0 8 * * *",
      "  timezone: Mars/Base",
    ),
    ["5:13", 'trigger.timezone must be a time zone, got "Mars/Base"'],
  ),
  bad(
    "catch_up",
    fields("trigger: {type: schedule, every: 5m, catch_up: all}"),
    [
      "2:48",
      "trigger.catch_up must be once or none",
    ],
  ),
  bad("watch without paths", fields("trigger:", "  type: watch"), [
    "3:9",
    "trigger.paths is missing",
  ]),
  bad(
    "watch without a path",
    fields("trigger:", "  type: watch", "  paths: []"),
    [
      "4:10",
      "trigger.paths must not be empty",
    ],
  ),
  bad(
    "watch path number",
    fields("trigger:", "  type: watch", "  paths: 7"),
    [
      "4:10",
      "trigger.paths must be a list, got 7",
    ],
  ),
  bad("debounce", fields("trigger: {type: watch, paths: [a], debounce: -1}"), [
    "2:46",
    "trigger.debounce must be a number of seconds",
  ]),
  bad("max_runs", fields("trigger: {type: watch, paths: [a], max_runs: 0}"), [
    "2:46",
    "trigger.max_runs must be",
  ]),
  bad(
    "filters list",
    fields("trigger: {type: watch, paths: [a], filters: [x]}"),
    [
      "2:45",
      "trigger.filters must be a map",
    ],
  ),
  bad("alias characters", fields("paths:", "  My-Notes: notes"), [
    "3:3",
    "paths.My-Notes is not a valid alias",
  ]),
  bad("alias reserved", fields("paths:", "  workspace: notes"), [
    "3:3",
    "paths.workspace is a reserved alias",
  ]),
  bad("agents directory", fields("paths:", "  own: agents/x"), [
    "3:8",
    "paths.own must not lead into the agents directory",
  ]),
  bad("agents directory around a corner", fields("paths: [notes/../agents]"), [
    "2:9",
    "paths[0] must not lead into the agents directory",
  ]),
  bad("environment file", fields("paths:", "  secrets: sub/.ENV.local"), [
    "3:12",
    "paths.secrets must not lead to an .env file",
  ]),
  bad("database file", fields("paths: data/app.db"), [
    "2:8",
    "paths must not lead to a .db file",
  ]),
  bad("path number", fields("paths:", "  data: 3"), [
    "3:9",
    "paths.data must be a path, or a map with path and description, got 3",
  ]),
  bad("path entry", fields("paths:", "  data: {path: 3}"), [
    "3:16",
    "paths.data.path must be text, got 3",
  ]),
  bad("paths number", fields("paths: 3"), [
    "2:8",
    "paths must be a path, a list of paths",
  ]),
  bad(
    "too many alternatives in a watched path",
    fields("trigger:", "  type: watch", "  paths:", "    - ok", `    - '${"{a,aa}".repeat(12)}'`),
    ["6:7", "The pattern in trigger.paths is too complicated: its braces stand for more than 100"],
  ),
  bad(
    "a filter that is too long",
    fields(`trigger: {type: watch, paths: [in], filters: {exclude: ["${"?*".repeat(501)}"]}}`),
    ["2:57", "The pattern in trigger.filters.exclude is too complicated: it has more than 1000"],
  ),
];
