// From what happened to the messages about it: who is told, through which channels, in which words. Pure.
import { cutEnd } from "../../base/text/cut_text.ts";
import { toPlainLine, toPlainText } from "../../base/text/plain_text.ts";
import type { NotifyChoice, NotifyKind, NotifySettings } from "../config/notify_schema.ts";
import type { Execution } from "../executions/execution.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";
import { type Happening, kindOfEnd } from "./happening.ts";

/** A message to one channel, before it is stored. */
export interface Draft {
  channel: string;
  kind: NotifyKind;
  /** Null: it is about the whole workspace. */
  agentId: string | null;
  executionId: number | null;
  /** The question that it tells of. */
  requestId: string | null;
  /** Whether it is counted with others of its kind, where it is one of many. */
  folds: boolean;
  title: string;
  text: string;
}

/** What drafts are made with. */
export interface DraftPorts {
  settings: () => NotifySettings;
  /** What an agent is called and chose; undefined where it is gone. */
  findAgent: (id: string) => { displayName: string; notify: NotifyChoice } | undefined;
  redactor: Pick<Redactor, "redact">;
  /** An instant as people read it. */
  showTime: (ms: number) => string;
}

const MAX_TITLE = 200;
/** More than any channel takes at once. */
const MAX_TEXT = 4_000;
const MAX_VALUE = 200;
const MOST_VALUES = 8;

type Telling = Omit<Draft, "channel">;

/** The messages about something that happened: one for each channel that is to have it. */
export function toDrafts(happening: Happening, ports: DraftPorts): Draft[] {
  const settings = ports.settings();
  // Most have none: what happens then costs nothing.
  if (Object.keys(settings.channels).length === 0) return [];
  const telling = tell(happening, ports);
  if (telling === undefined) return [];
  const choice = telling.agentId === null ? undefined : ports.findAgent(telling.agentId)?.notify;
  // An agent's word stands in the place of config.yaml's, key by key.
  if (!(choice?.on ?? settings.on).includes(telling.kind)) return [];
  const names = choice?.to ?? settings.to ?? Object.keys(settings.channels);
  const channels = [...new Set(names)].filter((name) => {
    const channel = Object.hasOwn(settings.channels, name) ? settings.channels[name] : undefined;
    return channel !== undefined && !(channel.type === "command" && !channel.allow);
  });
  const shown = (text: string) => ports.redactor.redact(toPlainText(text));
  const title = toPlainLine(shown(telling.title), MAX_TITLE);
  const text = cutEnd(shown(telling.text).trim(), MAX_TEXT);
  return channels.map((channel) => ({ ...telling, channel, title, text }));
}

function tell(happening: Happening, ports: DraftPorts): Telling | undefined {
  // Whoever began a dry run looks at it.
  if ("execution" in happening && happening.execution.isDryRun) return undefined;
  switch (happening.type) {
    case "waiting":
      return tellWaiting(happening);
    case "ended":
      return tellEnd(happening);
    case "missed":
      return tellMissed(happening.slot, ports);
    case "stopped": {
      const { agentId, displayName, reason, stop } = happening;
      const isFailing = stop?.by === "failures";
      return {
        kind: isFailing ? "error" : "loop",
        agentId,
        executionId: null,
        requestId: null,
        folds: true,
        title: `${displayName}: its trigger was stopped`,
        text: `${reason}\n` +
          (isFailing
            ? "It is tried again in an hour, then once a day. Fix the cause, then run"
            : "Run") +
          ` "inkling resume ${agentId}" to start it again.`,
      };
    }
    case "budget": {
      const { agentId, executionId, text } = happening;
      const name = agentId === null ? "the workspace" : nameOf(agentId, ports);
      return {
        kind: "budget",
        agentId,
        executionId,
        requestId: null,
        // There are few, and none of them should wait behind the one before.
        folds: false,
        title: `Budget of ${name}`,
        text,
      };
    }
  }
  return happening satisfies never;
}

function tellWaiting(
  { execution, request }: { execution: Execution; request: HumanRequest },
): Telling {
  const { id, agentId, displayName } = execution;
  const options = request.options === null ? [] : [`Options: ${request.options.join(", ")}`];
  return {
    kind: "waiting",
    agentId,
    executionId: id,
    requestId: request.requestId,
    // Each needs an answer of its own.
    folds: false,
    title: `${displayName} waits for your answer`,
    text: [
      request.message,
      ...argumentLines(request),
      ...options,
      `Execution ${id}: inkling respond ${id}`,
    ].join("\n"),
  };
}

/** What the call is about, shortened: the whole of it is where one answers. */
function argumentLines({ toolArgs, isGuard }: HumanRequest): string[] {
  if (isGuard !== true) return [];
  const entries = Object.entries(toolArgs);
  const lines = entries.slice(0, MOST_VALUES).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${toPlainLine(name, MAX_VALUE)}: ${toPlainLine(text, MAX_VALUE)}`;
  });
  return entries.length > MOST_VALUES ? [...lines, "…"] : lines;
}

function tellEnd(
  { execution, output }: { execution: Execution; output: string | null },
): Telling | undefined {
  const kind = kindOfEnd(execution);
  if (kind === undefined) return undefined;
  const { id, agentId, displayName, error } = execution;
  const logs = `Execution ${id}: inkling logs -e ${id}`;
  return {
    kind,
    agentId,
    executionId: id,
    requestId: null,
    folds: true,
    title: `${displayName} ${verbOf(execution, kind)}`,
    text: kind === "success" ? (output?.trim() || logs) : `${error ?? "It failed."}\n${logs}`,
  };
}

function verbOf({ status }: Execution, kind: NotifyKind): string {
  if (kind === "success") return "succeeded";
  if (kind === "loop") return "was stopped: it went round in circles";
  if (kind === "budget") return "was stopped: its budget is used up";
  if (status === "timeout") return "timed out";
  return status === "orphaned" || status === "aborted" ? "was cut off" : "failed";
}

function tellMissed({ agentId, scheduledFor, reason, count }: Slot, ports: DraftPorts): Telling {
  const since = ports.showTime(scheduledFor);
  return {
    kind: "missed",
    agentId,
    executionId: null,
    requestId: null,
    folds: true,
    title: `${nameOf(agentId, ports)} missed ${count === 1 ? "a run" : `${count} runs`}`,
    text: `${count === 1 ? "Due" : "Due from"} ${since}${count === 1 ? "" : " on"}, not run: ${
      reason ?? "no reason is known"
    }.`,
  };
}

function nameOf(agentId: string, { findAgent }: DraftPorts): string {
  return findAgent(agentId)?.displayName ?? agentId;
}
