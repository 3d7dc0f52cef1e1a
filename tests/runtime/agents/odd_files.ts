// Agent files that load with a warning.
import { type BadAgentFile, fields, odd } from "./bad_agent_file.ts";

/** Files that load with a warning. */
export const ODD_FILES: readonly BadAgentFile[] = [
  odd("unknown key", fields("tempo: 3"), [
    "2:1",
    "Unknown key tempo: it is ignored",
  ]),
  odd("nested unknown key", fields("trigger:", "  typ: manual"), [
    "3:3",
    'Unknown key trigger.typ: it is ignored (did you mean "type"?)',
  ]),
  odd("setting of the model", fields("model: {provider: demo, name: echo, temperature: 0.2}"), [
    "2:37",
    'Unknown key model.temperature: it is ignored (did you mean "settings.temperature"?)',
  ]),
  odd("setting of the whole", fields("max_tokens: 100"), [
    "2:1",
    'Unknown key max_tokens: it is ignored (did you mean "settings.max_tokens"?)',
  ]),
  odd(
    "unknown key in a path",
    fields("paths:", "  data: {path: x, descripton: y}"),
    [
      "3:19",
      'Unknown key paths.data.descripton: it is ignored (did you mean "description"?)',
    ],
  ),
  odd("key with a control character", fields('"a\\e[31m": x'), [
    "2:1",
    'Unknown key "a\\u001b[31m"',
  ]),
  odd("path to a database that is read", fields("paths: [in, data/shop.SQLite3, old.db.bak]"), [
    "2:13",
    "paths[1] leads to a database (*.db*, *.sqlite*): agents can read it, but not write to it",
  ], [
    "2:32",
    "paths[2] leads to a database",
  ]),
  odd("field of another trigger", fields("trigger:", "  every: 5m"), [
    "3:3",
    "trigger.every has no effect: the trigger's type is manual",
  ]),
  odd(
    "time zone of an interval",
    fields(
      "trigger: {type: schedule, every: 1d, timezone: Europe/Paris}",
    ),
    ["2:38", "only cron knows time zones"],
  ),
  odd("front matter too late", "\n\n---\nname: x\n---\n", [
    "3:1",
    "The front matter is not read",
  ]),
  odd("unknown tag", fields("name: !thing x"), ["2:7", "Unresolved tag"]),
];
