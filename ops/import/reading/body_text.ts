// Converts the text of another tool's file: its placeholders become Inkling's, and everything else that Inkling would
// replace in a text is escaped.
import { parsePattern } from "../../../runtime/agents/approval/command_patterns.ts";
import { dropControls } from "../../../base/text/unseen_characters.ts";
import { type Draft, shorten } from "./draft.ts";

/** The placeholders of another tool. */
export interface Placeholders {
  /** Matches the placeholders. */
  pattern: RegExp;
  /** Returns the text in place of a match. Inkling's own placeholders are `$ARGUMENTS`, and `$0` to `$9`. */
  convert(match: string): string;
}

/** Matches the texts that Inkling replaces in the text of an agent; see base/text/substitute.ts. */
const OURS = /\\\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$ARGUMENTS\b|\$\d/;

/** Placeholders of a tool that replaces nothing in its texts. */
export const NO_PLACEHOLDERS: Placeholders = { pattern: /(?!)/, convert: (match) => match };

/** `$ARGUMENTS`, `$ARGUMENTS[0]`, and `$1` to `$9`, which begin at 0 if the text contains `$0`. */
export function positional(text: string): Placeholders {
  const first = /\$0\b/.test(text) ? 0 : 1;
  return {
    pattern: /\$ARGUMENTS(?:\[\d+\])?|\$\d(?!\d|\.\d|,\d{3}(?!\d))/,
    convert: (match) => /^\$\d$/.test(match) ? `$${Number(match.slice(1)) - first}` : match,
  };
}

/** Placeholders with names, such as `{{ topic }}` or `${input:topic}`. The first name is the first argument. */
export function named(
  pattern: RegExp,
  values: ReadonlyMap<string, string> = new Map(),
): Placeholders {
  const names: string[] = [];
  return {
    pattern,
    convert(match) {
      const name = /[\w-]+(?=\W*$)/.exec(match.replace(/^(\$\{input:[\w-]+)[^]*$/, "$1"))?.[0] ??
        match;
      const given = values.get(name);
      if (given !== undefined) return escapeText(given);
      if (!names.includes(name)) names.push(name);
      const at = names.indexOf(name);
      return at > 9 ? `$ARGUMENTS[${at}]` : `$${at}`;
    },
  };
}

/** `{{args}}` stands for all arguments. */
export const ALL_ARGUMENTS: Placeholders = {
  pattern: /\{\{\s*args\s*\}\}/,
  convert: () => "$ARGUMENTS",
};

/** Matches commands whose output the other tool puts into the text: !`git status` and !{git status}. */
const COMMANDS = /!`([^`\n]+)`|!\{([^{}\n]+)\}/g;

/** Matches expressions that only the other tool evaluates. */
const EXPRESSIONS =
  /\$\{\{[^}\n]*\}\}|\{\{?[#%/][^}\n]*[%}]?\}|\{%[^%\n]*%\}|\$\{(?:selection|file|workspaceFolder)\w*\}/g;

/** Converts a text with the placeholders of its tool, and records what is lost. */
export function convertText(
  draft: Draft,
  text: string,
  { pattern, convert }: Placeholders = NO_PLACEHOLDERS,
): string {
  const both = new RegExp(`(${pattern.source})|(?:${OURS.source})`, "g");
  // Controls are dropped first: without them, `$` and `{NAME}` could become a variable.
  const converted = dropControls(text).replace(
    both,
    (match, foreign) => {
      if (foreign === undefined) {
        const why = `\\${match}: the text itself, and no variable`;
        if (match.startsWith("${")) draft.change(match, why);
        return `\\${match}`;
      }
      const becomes = convert(match);
      const [, number] = /^\$(?:ARGUMENTS\[)?(\d+)/.exec(becomes) ?? [];
      const meaning = number === undefined ? "" : `: argument ${Number(number) + 1} of inkling run`;
      if (becomes !== match) draft.change(match, `${becomes}${meaning}`);
      return becomes;
    },
  );
  for (const [match] of converted.matchAll(EXPRESSIONS)) {
    draft.lose(match, "nothing fills it in: it stays in the text as it is");
  }
  return converted.replace(COMMANDS, (match, quoted, braced) => {
    const command = (quoted ?? braced).trim();
    draft.allowCommand(parsePattern(command) === undefined ? "*" : command, shorten(match));
    draft.lose(
      match,
      "no command runs before the model reads the text: the agent is told to run it",
    );
    return `(run \`${command}\` with the tool shell, and read its output)`;
  });
}

/** Escapes the variables that a conversion has put together, such as `$` before a value `{NAME}`. */
export function escapeVariables(text: string): string {
  return text.replace(
    /\\\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}/g,
    (match) => match.startsWith("$") ? `\\${match}` : match,
  );
}

/** Escapes everything that Inkling would replace in a text, and drops its control characters. */
export function escapeText(text: string): string {
  return dropControls(text).replace(new RegExp(OURS.source, "g"), (match) => `\\${match}`);
}
