// Reads a crontab: each line that runs an agent from a command line becomes an agent with that schedule.
import { parseCron } from "../../../runtime/agents/triggers/cron_expression.ts";
import { Draft, shorten, toId } from "../reading/draft.ts";
import { readShellLine } from "../reading/shell_line.ts";
import type { ImportedAgent, Loss, Shape } from "../reading/shape.ts";
import { readRun } from "./agent_run.ts";

/** Matches a line with a schedule: five fields or a nickname, and the command. */
const ENTRY =
  /^\s*(@[a-z_]+|(?:[\d*][\d*,/\-A-Za-z]*\s+){2}(?:[\w*?][\w*,/\-?#]*\s+){3})\s*(\S.*)$/i;
const VARIABLE = /^\s*(?:"([\w.-]+)"|'([\w.-]+)'|([\w.-]+))\s*=\s*(.*?)\s*$/;

/** Matches the names of variables with secrets. Their values get into no text. */
const SECRET = /KEY|TOKEN|SECRET|PASS/i;

/** The maximum length of a line in characters. Many versions of cron allow 1,000. */
const MAX_LINE = 4_000;
/** The maximum length of a comment that becomes a description, and of the words that become an id. */
const MAX_COMMENT = 120;
const MAX_ID_WORDS = 5;

/** The format of crontab(5). */
export const CRONTAB: Shape = {
  name: "a line of a crontab",
  context: [],
  fits: ({ path, text }) =>
    (path === "-" || /(?:^|\/)(?:crontab[^/]*|cron\.d\/[^/]+|[^/]+\.cron(?:tab)?)$/.test(path)) &&
    !text.startsWith("---") && text.split("\n").some((line) => ENTRY.test(line)),
  read({ text }) {
    const reader = new CrontabReader();
    for (const line of text.split(/\r?\n/)) reader.readLine(line);
    return { agents: reader.agents, left: reader.left };
  },
};

class CrontabReader {
  readonly agents: ImportedAgent[] = [];
  readonly left: Loss[] = [];
  readonly #variables = new Map<string, string>([["HOME", "~"]]);
  #zone: string | undefined;
  #comment = "";

  readLine(line: string): void {
    if (line.length > MAX_LINE) {
      return this.#leave(line, `it is longer than ${MAX_LINE} characters`);
    }
    const comment = /^\s*#\s*(.*?)\s*$/.exec(line)?.[1];
    const [, schedule = "", command = ""] = comment === undefined ? ENTRY.exec(line) ?? [] : [];
    const variable = comment === undefined && command === "" ? VARIABLE.exec(line) : null;
    if (comment !== undefined) this.#comment = comment;
    else if (variable !== null) this.#readVariable(variable);
    else if (command !== "") this.#readEntry({ line, schedule: schedule.trim(), command });
    else if (line.trim() !== "") this.#leave(line, "it is no line of a crontab");
    if (comment === undefined) this.#comment = "";
  }

  #leave(line: string, why: string): void {
    this.left.push({ what: shorten(hideSecrets(line)), why });
  }

  #readVariable([line, double, single, plain, written = ""]: RegExpExecArray): void {
    const name = double ?? single ?? plain ?? "";
    const value = written.replace(/^(["'])(.*)\1$/, "$2");
    if (name === "CRON_TZ" || name === "TZ") this.#zone = value;
    else if (name === "MAILTO") {
      this.#leave(line, "config.yaml's `notify` sends messages; inkling setup asks for a channel");
    } else if (SECRET.test(name)) {
      this.#leave(`${name}=…`, "write it into agents/_config/.env if an agent needs it");
    } else if (name === "PATH") {
      this.#leave(line, "the commands of an agent's shell have the PATH of the service");
    } else if (!/^(?:SHELL|LOGNAME|USER|LANG|LC_\w+)$/.test(name)) {
      this.#variables.set(name, value);
    }
  }

  #readEntry({ line, schedule, command }: { line: string; schedule: string; command: string }) {
    const { run, input } = splitPercent(command);
    const draft = new Draft("agent");
    const read = readRun(draft, readShellLine(run, this.#variables), input);
    if (read === undefined) return this.#leave(line, "it calls no agent");
    if (!this.#takeSchedule(draft, schedule)) {
      return this.#leave(line, `${schedule} is no schedule that Inkling knows`);
    }
    const title = this.#comment.length <= MAX_COMMENT && this.#comment || read.summary;
    draft.setDescription(title);
    const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    draft.id = toId(words.slice(0, MAX_ID_WORDS).join("-"));
    const agent = draft.finish(read.body);
    const losses = agent.losses.map(({ what, why }) => ({ what: hideSecrets(what), why }));
    this.agents.push({ ...agent, losses, replaces: hideSecrets(line.trim()) });
  }

  /** Sets the trigger. Returns false for an expression that is no schedule. */
  #takeSchedule(draft: Draft, schedule: string): boolean {
    if (schedule.toLowerCase() === "@reboot") {
      draft.lose("@reboot", "nothing starts an agent with the machine: inkling run starts it");
      return true;
    }
    const cron = schedule.replace(/\s+/g, " ");
    if ("reason" in parseCron(cron)) return false;
    const zone = this.#zone === undefined ? {} : { timezone: this.#zone };
    draft.set("trigger", { type: "schedule", cron, ...zone }, schedule);
    return true;
  }
}

/** Splits a command at its first `%`, after which cron passes the rest as input, with line breaks for further ones. */
function splitPercent(command: string): { run: string; input: string } {
  const [run = "", ...lines] = command.split(/(?<!\\)%/);
  const plain = (text: string) => text.replaceAll("\\%", "%");
  return { run: plain(run), input: lines.map(plain).join("\n").trim() };
}

/** Returns a line without the values of secrets. */
function hideSecrets(line: string): string {
  return line.replace(
    /(\b\w*(?:KEY|TOKEN|SECRET|PASS)\w*=|--?[\w-]*(?:key|token|secret|pass)[\w-]*[= ])("[^"]*"|'[^']*'|\S+)/gi,
    "$1…",
  );
}
