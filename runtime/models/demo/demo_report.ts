// What `demo/report` and `demo/echo` do at each point of a conversation. The report is computed from what the tools
// returned, so that the run shown is a real one.
import { summariseText } from "./demo_summary.ts";
import type { DemoStep } from "./demo_script.ts";
import type { DemoTurn } from "./demo_turn.ts";

/** Answers with the user turn. */
export function echoStep(turn: DemoTurn): DemoStep {
  return say(turn.userText);
}

/** Reads the file that the task names first, writes a report on it, and answers with the report's gist. */
export function reportStep(turn: DemoTurn): DemoStep {
  const [source, target] = filesOf(turn);
  if (source === undefined) {
    return say(
      "I am the demo model: I read a file and write a report on it. " +
        "Name the file in the task, for example `notes.md`.",
    );
  }
  const [read, written] = turn.results;
  if (read === undefined) {
    return say(`I will read ${source} first.`, {
      name: "file_read",
      arguments: { path: source, with_line_numbers: false },
    });
  }
  if (read.isError) return say(`I could not read ${source}. ${read.content}`);
  const { report, gist } = summariseText(source, read.content);
  if (written === undefined) {
    return say(`I have read ${source} and will write the report to ${target}.`, {
      name: "file_write",
      arguments: { path: target, content: report },
    });
  }
  if (written.isError) return say(`${gist}\n\nI could not write ${target}. ${written.content}`);
  return say(`${gist}\n\nThe report is in ${target}.`);
}

/** The file to read, if one is named, and the file to write. The user turn's words go before the task's. */
function filesOf(turn: DemoTurn): [source: string | undefined, target: string] {
  const words = `${turn.userText}\n${turn.task}`.split(/[\s`"'()<>,;]+/);
  const files = words.map((word) => word.replace(/[.:!?]+$/, ""))
    .filter((word) => /^[\p{L}\p{N}_{}~./-]+\.[a-z][a-z0-9]{1,4}$/iu.test(word));
  const [source, target] = [...new Set(files)];
  return [source, target ?? "report.md"];
}

function say(
  text: string,
  call?: { name: string; arguments: Record<string, string | boolean> },
): DemoStep {
  return {
    text,
    calls: call === undefined
      ? []
      : [{ name: call.name, arguments: JSON.stringify(call.arguments) }],
    usage: null,
    delayMs: 0,
    failure: null,
    stop: null,
    costUsd: null,
  };
}
