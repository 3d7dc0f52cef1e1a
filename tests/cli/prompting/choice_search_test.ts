import assert from "node:assert/strict";
import fc from "fast-check";
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

Deno.test("searchChoices() puts the nearest first: the id, its beginning, a word, a part, the description", () => {
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

Deno.test("searchChoices() finds every choice by its own id, first, and makes nothing up", () => {
  const values = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 10,
    selector: (text) => text.trim().toLowerCase(),
  }).filter((all) => all.every((text) => text.trim() !== ""));
  fc.assert(fc.property(values, fc.string({ maxLength: 4 }), (all, typed) => {
    const choices = all.map((value) => ({ value, label: value }));
    for (const choice of searchChoices(choices, typed)) assert.ok(choices.includes(choice));
    const [own = ""] = all;
    if (own === own.trim()) assert.equal(searchChoices(choices, own)[0]?.value, own);
  }));
});
