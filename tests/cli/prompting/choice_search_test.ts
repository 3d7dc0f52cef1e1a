import assert from "node:assert/strict";
import { searchChoices } from "../../../cli/prompting/choice_search.ts";

const CHOICES = [
  { value: "asker", label: "🎲 asker", hint: "Asks and writes" },
  { value: "nightly backup", label: "🐬 nightly backup", hint: "Makes a backup of the workspace" },
  { value: "reporter", label: "🐧 reporter · The Writer", hint: "Reads the notes" },
  { value: "report", label: "📎 report" },
  { value: "Übung", label: "🍒 Übung" },
];

function find(typed: string): string[] {
  return searchChoices(CHOICES, typed).map(({ value }) => value);
}

Deno.test("searchChoices() returns the best match first", () => {
  const table: [string, string[]][] = [
    ["", ["asker", "nightly backup", "reporter", "report", "Übung"]],
    ["report", ["report", "reporter"]],
    ["backup", ["nightly backup"]],
    ["writer", ["reporter"]],
    ["WRIT", ["reporter", "asker"]],
    ["re", ["reporter", "report"]],
    ["notes", ["reporter"]],
    ["nbk", ["nightly backup"]],
    ["üb", ["Übung"]],
    ["zzz", []],
  ];
  for (const [typed, expected] of table) assert.deepEqual(find(typed), expected, typed);
});
