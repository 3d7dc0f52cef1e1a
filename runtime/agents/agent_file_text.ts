// Formats the text of a new agent file from its fields. The parser reads the same fields back.
import { Document, Scalar, visit } from "yaml";
import type { AgentPolicy } from "../config/agent_settings.ts";
import type { TriggerType, WebhookScheme } from "../vocabulary/trigger_kinds.ts";

/** The fields of a new agent. A missing field is not written and has its default. */
export interface NewAgentFields {
  description?: string;
  model?: { provider: string; name: string; base_url?: string };
  trigger?: {
    type: TriggerType;
    every?: string;
    cron?: string;
    paths?: readonly string[];
    scheme?: WebhookScheme;
    /** The variable that holds the secret of a webhook. */
    secret?: string;
    /** The user message. */
    input?: string;
  };
  /** The agents that start it when their executions end. */
  after?: readonly string[];
  paths?: readonly (string | { path: string; description: string })[];
  /** Tools that require no approval. */
  auto_approve?: readonly string[];
  /** Tools that require approval. */
  confirm?: readonly string[];
  on_pending?: AgentPolicy["onPending"];
  /** The task: the file's text below its front matter. */
  prompt: string;
}

/**
 * Characters that only double quotes preserve: invisible ones, YAML line breaks, and, in multi-line text, spaces at
 * the start or end of a line.
 */
const DELICATE = /[^\P{Cc}\n]|[\u2028\u2029\ufeff]|\n[ \t]|[ \t]\n|^[ \t\n]/u;

/** Keeps YAML from folding long lines. */
const ON_ONE_LINE = { lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity };

/**
 * Returns the agent file's text: front matter in the order of the fields, then the prompt without blank lines around
 * it.
 */
export function formatAgentFile(fields: NewAgentFields): string {
  const { prompt, ...head } = fields;
  const document = new Document(head);
  visit(document, {
    Scalar(_key, node) {
      const { value } = node;
      if (typeof value === "string" && DELICATE.test(value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const yaml = Object.keys(head).length === 0 ? "" : document.toString(ON_ONE_LINE);
  return `---\n${yaml}---\n\n${prompt.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd()}\n`;
}
