// The script of `demo/script`: the texts and calls of the model, written next to the agent's task. People use it to test an
// agent's guards, limits, triggers and failures without a provider.
//
// A script is a fenced block marked `demo` in the user turn, or else in the agent's body. It contains a JSON array of steps;
// each step is one reply. The number of replies since the last user turn selects the step, so that an interrupted run
// continues at the same step.
//
// ```demo
// [
//   { "say": "I look first.", "call": [{ "name": "file_read", "arguments": { "path": "notes.md" } }] },
//   { "say": "Done.", "usage": { "input": 1200, "output": 30 } }
// ]
// ```
import { z } from "zod";
import type { DemoTurn } from "./demo_turn.ts";
import { type ModelError, refusal } from "../model.ts";

const Tokens = z.int().min(0);

const Step = z.strictObject({
  /** The text of the reply. `{result}` is replaced by the last tool result. */
  say: z.string().optional(),
  /** A text that is repeated `times` times, for long replies. */
  say_repeat: z.strictObject({ text: z.string(), times: z.int().min(0).max(10_000_000) })
    .optional(),
  /** The tool calls. `arguments` is an object, or a string that is sent unchanged. */
  call: z.array(z.strictObject({
    name: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.json())]).default({}),
  })).min(1).optional(),
  /** The token counts of the reply; otherwise they are estimated from the number of characters. */
  usage: z.strictObject({ input: Tokens, output: Tokens }).optional(),
  /** The wait before the reply starts, in milliseconds. */
  delay_ms: z.number().min(0).optional(),
  /** The message of the error that ends the reply after its text. */
  fail: z.string().optional(),
  /** True if the error may be retried. */
  retryable: z.boolean().optional(),
  /** The reason for the end of the reply; otherwise `tool_calls` if there are calls, or `end`. */
  stop: z.enum(["end", "tool_calls", "length", "content_filter", "refusal", "unknown"]).optional(),
  /** The cost of the reply in US dollars, as if an endpoint had reported it. */
  cost_usd: z.number().min(0).optional(),
}).refine(
  (step) => [step.say, step.say_repeat, step.call, step.fail].some((part) => part !== undefined),
  "a step needs say, say_repeat, call or fail",
);

const Script = z.array(Step).min(1);

/** One step of a script, which is one reply. */
export type DemoStep = z.output<typeof Step>;

/**
 * Returns the step of the script for the present position of the conversation. Throws ModelError if the script is missing,
 * invalid or finished.
 */
export function scriptStep(turn: DemoTurn): DemoStep {
  const steps = parseScript(findScript(turn));
  const step = steps[turn.replies];
  if (step === undefined) {
    throw scriptFailure(
      `has ${steps.length} ${steps.length === 1 ? "step" : "steps"} and was asked for step ${
        turn.replies + 1
      }`,
      "add a step that ends the run",
    );
  }
  const say = (step.say ?? "").replaceAll("{result}", () => turn.results.at(-1)?.content ?? "") +
    (step.say_repeat?.text.repeat(step.say_repeat.times) ?? "");
  return { ...step, say };
}

function findScript(turn: DemoTurn): string {
  for (const text of [turn.userText, turn.systemText]) {
    const blocks = [...text.matchAll(/^```demo[ \t]*\r?\n([\s\S]*?)^```[ \t]*\r?$/gm)];
    const [block] = blocks;
    if (block === undefined) continue;
    if (blocks.length > 1) {
      throw scriptFailure(`is in ${blocks.length} \`\`\`demo blocks`, "write one block");
    }
    return block[1] ?? "";
  }
  throw scriptFailure(
    "is missing",
    "write a ```demo block with a JSON array of steps into the agent's file or the message",
  );
}

function parseScript(text: string): z.infer<typeof Script> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw scriptFailure(
      `is not JSON (${error instanceof Error ? error.message : error})`,
      "fix it",
    );
  }
  const parsed = Script.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const [index, ...path] = issue.path;
    const place = typeof index === "number" ? `step ${index + 1}` : "the whole";
    return `${[place, ...path.map(String)].join(".")}: ${issue.message}`;
  });
  throw scriptFailure(`does not fit: ${problems.join("; ")}`, "see the list of step fields");
}

function scriptFailure(state: string, remedy: string): ModelError {
  return refusal(`Cannot play demo/script: the script ${state}; ${remedy}`);
}
