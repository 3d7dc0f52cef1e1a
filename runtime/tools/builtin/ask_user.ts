// The tool ask_user: asks a person a question and returns the answer.
import { z } from "zod";
import { defineQuestion } from "../definition/define_tool.ts";

const MAX_OPTIONS = 50;
const MAX_OPTION_CHARACTERS = 200;

const schema = z.object({
  question: z.string().trim().min(1, "must not be empty").describe(
    "The complete question: the user may not have seen anything else",
  ),
  kind: z.enum(["input", "confirm", "choice"]).optional().describe(
    "input: a text; confirm: yes or no; choice: of the options. Default: choice with options, else input",
  ),
  options: z.array(
    z.string().trim()
      .min(1, "must not be empty")
      .max(MAX_OPTION_CHARACTERS, `must have at most ${MAX_OPTION_CHARACTERS} characters`)
      // Not z.regex(): the pattern would be part of the JSON schema, and some providers reject patterns.
      .refine(
        (option) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(option),
        "must be one line without control characters",
      ),
  ).max(MAX_OPTIONS, `at most ${MAX_OPTIONS} can be offered`).optional().describe(
    "For choice: what may be chosen, at least two",
  ),
  multi: z.boolean().optional().describe("For choice: whether several may be chosen"),
}).superRefine((args, context) => {
  const { kind, options } = shapeOf(args);
  const complain = (path: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message });
  if (kind === "choice") {
    if (options.length < 2) complain("options", "a choice needs at least two different options");
    return;
  }
  if (options.length > 0) {
    complain("options", `only a choice has options; leave them out, or leave out kind "${kind}"`);
  }
  if (args.multi === true) complain("multi", `only a choice has it; kind is "${kind}"`);
});

/** Asks the user a question. An empty list of options counts as none, and duplicate options count once. */
export const askUser = defineQuestion({
  name: "ask_user",
  description:
    "Asks the user a question and waits for the answer, for days if need be. Ask only what you cannot find out " +
    "yourself and must know to continue.",
  schema,
  question: (args) => {
    const { kind, options } = shapeOf(args);
    return {
      kind,
      message: args.question,
      options: kind === "choice" ? options : null,
      multi: args.multi ?? false,
    };
  },
});

function shapeOf(
  args: { kind?: "input" | "confirm" | "choice" | undefined; options?: string[] | undefined },
): { kind: "input" | "confirm" | "choice"; options: string[] } {
  const options = [...new Set(args.options)];
  return { kind: args.kind ?? (options.length > 0 ? "choice" : "input"), options };
}
