// Lists changes of a recorded run's agent file, surroundings and record. A replay must report each change at the first
// model call that it affects, or must report nothing if the change does not affect the input of a model.
import { join } from "node:path";
import type { Difference } from "../../runtime/replay/difference.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";

/**
 * A change of the recorded agent. `found` is the model call and the difference that the replay must report; absent if the
 * replay must report none.
 */
export interface PlantedChange {
  name: string;
  plant(place: TestWorkspace, agent: string): Promise<void> | void;
  found?: { call: number; kind: Difference["kind"]; what: RegExp };
  /** True if the change modifies stored rows. */
  isStored?: boolean;
  /** True if the change takes effect only when the service starts. */
  atStart?: boolean;
}

const call = (name: string, args: unknown) => ({ name, arguments: args });

/** The text of the recorded agent's file. */
export const RECORDED = `---
model: { provider: demo, name: script }
description: Writes.
skills: [tidy, count]
agents: [helper, other]
paths: { notes: ./notes, inbox: ./inbox }
confirm: [file_delete]
auto_approve: [file_write]
settings: { temperature: 0.5, max_tokens: 2000 }
---
Keep the notes of \${OWNER} tidy: $0.

\`\`\`demo
${
  JSON.stringify([
    { say: "I look.", call: [call("file_glob", { pattern: "{notes}/*.md" })] },
    { call: [call("skill_use", { skill_name: "tidy" }), call("unknown", {})] },
    { call: [call("file_write", { path: "{notes}/a.md", content: "x" })] },
    { call: [call("file_delete", { path: "{notes}/a.md" })] },
    { call: [call("run_agent", { agent_id: "helper" })] },
    { say: "Tidy." },
  ])
}
\`\`\`
`;

/** Writes the recorded agent, the other agents, skills and folders that it uses. */
export async function writeSurroundings(place: TestWorkspace): Promise<void> {
  await place.writeAgent("keeper", RECORDED);
  for (const id of ["helper", "other"]) {
    const text = `---\nmodel: { provider: demo, name: echo }\ndescription: Is ${id}.\n---\nHelp.\n`;
    await place.writeAgent(id, text);
  }
  for (const name of ["tidy", "count"]) await writeSkill(place, name, `Does ${name}.`);
  for (const folder of ["notes", "inbox", "other"]) await Deno.mkdir(join(place.workspace, folder));
}

async function writeSkill(
  place: TestWorkspace,
  name: string,
  about: string,
  body = "Do it.",
): Promise<void> {
  const folder = join(place.agentsDir, "_config", "skills", name);
  await Deno.mkdir(folder, { recursive: true });
  const text = `---\nname: ${name}\ndescription: ${about}\n---\n${body}\n`;
  await Deno.writeTextFile(join(folder, "SKILL.md"), text);
}

/** Returns a change that replaces text in the agent file. */
function edit(
  name: string,
  from: string,
  to: string,
  found?: PlantedChange["found"],
): PlantedChange {
  return {
    name,
    async plant(place, agent) {
      const path = join(place.agentsDir, `${agent}.md`);
      const text = await Deno.readTextFile(path);
      if (!text.includes(from)) throw new TypeError(`${name}: nothing to change`);
      await place.writeAgent(agent, text.replace(from, to));
    },
    ...(found && { found }),
  };
}

/** Returns a change that adds lines to config.yaml, which contains the default settings. */
function config(name: string, lines: string, found?: PlantedChange["found"]): PlantedChange {
  return {
    name,
    atStart: true,
    plant: (place) =>
      Deno.writeTextFile(
        join(place.configDir, "config.yaml"),
        `workspace: ${place.workspace}\n${lines}\n`,
      ),
    ...(found && { found }),
  };
}

/** Returns a change of the stored rows of the run by SQL, as if another version of Inkling had recorded the run. */
function record(
  name: string,
  sql: string,
  found: NonNullable<PlantedChange["found"]>,
): PlantedChange {
  return {
    name,
    isStored: true,
    atStart: true,
    plant(place) {
      using db = SqliteDatabase.open(join(place.stateDir, "inkling.db"));
      if (db.run(sql) === 0) throw new TypeError(`${name}: nothing to change`);
    },
    found,
  };
}

const PROMPT = { call: 1, kind: "message", what: /^message 1 \(the prompt\)$/ } as const;
const tool = (name: string) =>
  ({ call: 1, kind: "tool", what: new RegExp(`^tool ${name}$`) }) as const;
const setting = (name: string) =>
  ({ call: 1, kind: "setting", what: new RegExp(`^${name}$`) }) as const;
const toolBody = (change: string, name: string) =>
  `UPDATE call_terms SET body = ${change} WHERE json_type(body) = 'array' AND body LIKE '%"${name}"%'`;

/** The changes that a replay must report, each with the first difference that it causes. */
export const CHANGES: readonly PlantedChange[] = [
  edit("a word in the prompt", "Keep the notes", "Hold the notes", PROMPT),
  edit("a space in the prompt", "tidy: $0", "tidy:  $0", PROMPT),
  edit("another variable in the prompt", "${OWNER}", "${NOBODY}", PROMPT),
  edit("the order of skills", "[tidy, count]", "[count, tidy]", PROMPT),
  edit("the order of agents", "[helper, other]", "[other, helper]", PROMPT),
  edit("a path", "./notes", "./other", PROMPT),
  edit("an alias", "inbox: ./inbox", "mail: ./inbox", PROMPT),
  edit("the temperature", "temperature: 0.5", "temperature: 0.6", setting("temperature")),
  edit("a default in place of a setting", "temperature: 0.5, ", "", setting("temperature")),
  edit("max_tokens", "max_tokens: 2000", "max_tokens: 2001", setting("max_tokens")),
  edit("the model", "name: script", "name: echo", setting("model")),
  edit("a guard more", "confirm: [file_delete]", "confirm: [file_delete, file_glob]", {
    call: 1,
    kind: "question",
    what: /file_glob/,
  }),
  edit(
    "a guard that holds in spite of the approval",
    "auto_approve: [file_write]",
    "auto_approve: []",
    {
      call: 3,
      kind: "question",
      what: /file_write/,
    },
  ),
  edit("a guard less", "auto_approve: [file_write]", "auto_approve: [file_write, file_delete]", {
    call: 4,
    kind: "question",
    what: /file_delete/,
  }),
  edit("a limit that is crossed", "max_tokens: 2000", "max_tokens: 2000, max_tool_calls: 2", {
    call: 2,
    kind: "end",
    what: /goes on/,
  }),
  {
    name: "the description of a skill",
    plant: (place) => writeSkill(place, "count", "Counts otherwise."),
    found: PROMPT,
  },
  {
    name: "the instructions of a skill that was loaded",
    plant: (place) => writeSkill(place, "tidy", "Does tidy.", "Do it twice."),
    found: { call: 3, kind: "message", what: /^message \d+ \(instructions\)$/ },
  },
  {
    name: "the files of a skill that was loaded",
    plant: (place) =>
      Deno.writeTextFile(join(place.agentsDir, "_config", "skills", "tidy", "more.md"), "more"),
    found: { call: 3, kind: "message", what: /^message \d+ \(the result of skill_use\)$/ },
  },
  {
    name: "the description of an agent that may be called",
    plant: (place) =>
      place.writeAgent(
        "helper",
        "---\nmodel: { provider: demo, name: echo }\ndescription: New.\n---\nHelp.\n",
      ),
    found: PROMPT,
  },
  {
    name: "an agent that may be called is disabled",
    plant: (place) =>
      place.writeAgent(
        "other",
        "---\nmodel: { provider: demo, name: echo }\nenabled: false\n---\nHelp.\n",
      ),
    found: PROMPT,
  },
  {
    name: "a skill that is gone",
    plant: (place) =>
      Deno.remove(join(place.agentsDir, "_config", "skills", "count"), { recursive: true }),
    found: { call: 0, kind: "tool", what: /available/ },
  },
  record(
    "a tool's description",
    toolBody("replace(body, 'Moves or renames', 'Renames')", "file_move"),
    tool("file_move"),
  ),
  record(
    "a tool's schema",
    toolBody(
      "json_set(body, '$[0].parameters.properties.extra', json('{\"type\":\"string\"}'))",
      "file_read",
    ),
    tool("file_read"),
  ),
  record("a tool more", toolBody("json_remove(body, '$[11]')", "ask_user"), tool("ask_user")),
  record(
    "what a call without a tool is answered",
    "UPDATE messages SET body = replace(body, 'Unknown tool', 'No tool') WHERE body LIKE '%Unknown tool%'",
    { call: 3, kind: "message", what: /the result of unknown/ },
  ),
];

/**
 * The changes that a replay must not report, alone or together, because they affect neither a model's input nor a question.
 */
export const NO_CHANGES: readonly PlantedChange[] = [
  edit("the name", "description: Writes.", "description: Writes.\nname: The Keeper"),
  edit("a comment", "---\nmodel", "---\n# a comment\nmodel"),
  edit("blank lines around the text", "---\nKeep", "---\n\n\nKeep"),
  edit("a limit that is not crossed", "max_tokens: 2000", "max_tokens: 2000, max_tool_calls: 40"),
  edit("the timeout", "max_tokens: 2000", "max_tokens: 2000, timeout: 10"),
  edit(
    "a schedule",
    "description: Writes.",
    "description: Writes.\ntrigger: { type: schedule, every: 1d }",
  ),
  edit(
    "how long is waited for an answer",
    "description: Writes.",
    "description: Writes.\nconfirm_timeout: 1h",
  ),
  edit("what a restart does", "description: Writes.", "description: Writes.\non_restart: resume"),
  edit(
    "how much history, where there is none",
    "description: Writes.",
    "description: Writes.\nhistory: high",
  ),
  edit("the description", "Writes.", "Writes well."),
  config("another default model", "defaults: { model: other, provider: demo }"),
  {
    name: "the instructions of a skill that was not loaded",
    plant: (place) => writeSkill(place, "count", "Does count.", "Count it twice."),
  },
  {
    name: "files that the run read and wrote",
    async plant(place) {
      await Deno.writeTextFile(join(place.workspace, "notes", "new.md"), "new");
    },
  },
];
