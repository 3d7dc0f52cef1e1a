// Files that are no agent files: broken YAML, fences, encodings, sizes and names.
import { bad, type BadAgentFile, bytes, fields } from "./bad_agent_file.ts";

const bomb = [
  "a: &a [x,x,x,x,x,x,x,x,x,x]",
  ..."bcdefghi".split("").map((key, i) => {
    const before = "abcdefgh"[i];
    return `${key}: &${key} [${Array(10).fill(`*${before}`).join(",")}]`;
  }),
];

/** Files that are no agent files at all. */
export const BAD_TEXTS: readonly BadAgentFile[] = [
  bad("YAML list", fields("- a", "- b"), [
    "2:1",
    "must be a map of keys and values",
  ]),
  bad("YAML text", fields("hello"), [
    "2:1",
    "must be a map of keys and values",
  ]),
  bad("unclosed list", fields("name: x", "skills: [a, b", "icon: y"), [
    "4:1",
    "Broken YAML: Flow sequence",
  ]),
  bad("unclosed quote", fields('name: "x', "icon: y"), [
    "2:7",
    "Broken YAML: Missing closing",
  ]),
  bad("colon in text", fields("description: Note: this"), [
    "2:14",
    "needs quotes",
  ]),
  bad("control character", "---\n  name:\nname:\n\x9b1m\n---\nDo it.\n", [
    "4:1",
    'Unexpected scalar token in YAML stream: "\\u009b1m',
  ]),
  bad("tab as indent", fields("model:", "\tprovider: openai"), [
    "3:1",
    "tabs cannot indent",
  ]),
  bad("reserved character", fields("name: @daily"), [
    "2:7",
    "reserved character @",
  ]),
  bad("duplicate key", fields("name: a", "icon: b", "name: c"), [
    "4:1",
    "The key name stands twice in the same map",
  ]),
  bad("nested duplicate key", fields("model:", "  name: a", "  name: b"), [
    "4:3",
    "The key name stands twice in the same map",
  ]),
  bad("several documents", fields("name: x", "...", "icon: y"), [
    "4:1",
    "Only one YAML document is allowed",
  ]),
  bad("unknown alias", fields("name: *nobody"), [
    "2:7",
    "Unknown alias *nobody",
  ]),
  bad("alias inside its anchor", fields("skills: &s [*s]"), [
    "2:13",
    "stands inside its own anchor",
  ]),
  bad("alias bomb", fields(...bomb), ["6:", "The YAML holds too many values"]),
  bad("list as key", fields("? [a, b]", ": c"), [
    "2:3",
    "A key must be plain text",
  ]),
  bad("binary tag", fields("name: !!binary aGVsbG8="), [
    "2:16",
    "is not supported",
  ]),
  bad("nesting", fields(`skills: ${"[".repeat(80)}${"]".repeat(80)}`), [
    "2:",
    "The YAML is nested too deeply",
  ]),
  bad("empty file", "", ["1:1", "The system prompt is empty (write into the file what"]),
  bad("blank file", "\uFEFF \r\n\t\n", ["1:1", "The system prompt is empty"]),
  bad("no body", "---\nname: x\n---\n \n\n", [
    "4:1",
    "The system prompt is empty (write below the second --- what the agent is to do)",
  ]),
  bad("unterminated", "---\nname: x\nDo it.\n", ["1:1", "never closed"]),
  { about: "only a fence", content: "---", expect: [["1:1", "never closed"]] },
  bad("indented closing fence", "---\nname: x\n ---\n", [
    "1:1",
    "never closed",
  ]),
  bad("CRLF", "---\r\nname: x\r\nhistory: all\r\n---\r\nDo it.\r\n", [
    "3:10",
    "history must be",
  ]),
  bad("byte order mark", "\uFEFF---\nhistory: all\n---\nDo it.\n", [
    "2:10",
    "history must be",
  ]),
  bad(
    "dashes inside values",
    fields(
      "description: |",
      "  ---",
      "  a --- b",
      "icon: '---'",
      "history: all",
    ),
    ["6:10", "history must be"],
  ),
  bad("front matter size", fields(`description: ${"x".repeat(65_536)}`), [
    "1:1",
    "The front matter is over 64 KB",
  ]),
  bad("file size", "x".repeat(4 * 1_024 * 1_024 + 1), [
    "1:1",
    "The file is over 4 MB",
  ]),
  bad("NUL", bytes("---\nname: x\n---\nab", [0], "c"), [
    "4:3",
    "The file is binary",
  ]),
  bad("PNG", bytes([0x89], "PNG\r\n", [0x1a], "\n"), ["1:1", "not UTF-8"]),
  bad("Latin-1", bytes("---\nname: x\n---\ncaf", [0xe9], " au lait\n"), [
    "4:4",
    "the byte 0xe9 here is not valid (Save it as UTF-8)",
  ]),
  bad("cut character", bytes("Do it. ", [0xf0, 0x9f]), [
    "1:8",
    "the byte 0xf0 here is not valid",
  ]),
  bad("UTF-16", bytes([0xff, 0xfe], [0x2d, 0, 0x2d, 0]), [
    "1:1",
    "It looks like UTF-16",
  ]),
  {
    ...bad("stem characters", "Do it.", ["1:1", 'underscores, not "."']),
    name: "a.b.md",
  },
  {
    ...bad("stem empty", "Do it.", [
      "1:1",
      "The file's name must not be empty",
    ]),
    name: ".md",
  },
  {
    ...bad("stem spaces", "Do it.", [
      "1:1",
      "must not begin or end with a space",
    ]),
    name: "daily .md",
  },
  {
    ...bad("extension", "Do it.", ["1:1", "must end with .md"]),
    name: "daily.txt",
  },
  {
    ...bad(
      "several problems, all kinds",
      fields(
        "name: Daily!",
        "histroy: low",
        "model: {provider: nobody, nam: x}",
        "settings: {temperature: 9, timeout: 0}",
        "trigger: {type: schedule, cron: 1 2 3}",
        "paths: .env",
      ),
      ["1:1", 'underscores, not "!"'],
      ["2:7", "name must hold only"],
      ["3:1", 'Unknown key histroy: it is ignored (did you mean "history"?)'],
      ["4:1", "model.name is missing"],
      ["4:19", "model.provider must be"],
      ["4:27", 'Unknown key model.nam: it is ignored (did you mean "name"?)'],
      ["5:25", "settings.temperature"],
      ["5:37", "settings.timeout"],
      ["6:33", "trigger.cron must have five fields"],
    ),
    name: "bad!.md",
  },
];
