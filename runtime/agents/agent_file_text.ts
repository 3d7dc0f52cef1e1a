// Formats a new agent file. The parser reads the same fields back.
import { Document, Scalar, visit } from "../config/files/yaml_library.ts";
import type { AgentPolicy } from "../config/agent_settings.ts";
import type { TriggerType, WebhookScheme } from "../vocabulary/trigger_kinds.ts";

/** The fields of a new agent file. A missing field is not written, so its default applies. */
export interface NewAgentFields {
  description?: string;
  model?: { provider: string; name: string; base_url?: string };
  trigger?: {
    type: TriggerType;
    every?: string;
    cron?: string;
    paths?: readonly string[];
    /** The address that a change trigger checks. */
    url?: string;
    /** The mail account of config.yaml, the folder and the senders of a mail trigger. */
    account?: string;
    folder?: string;
    from?: readonly string[];
    scheme?: WebhookScheme;
    /** The environment variable with the secret of a webhook. */
    secret?: string;
    /** The user message of runs that the trigger starts. */
    input?: string;
  };
  /** The ids of the agents whose ends start this agent. */
  after?: readonly string[];
  paths?: readonly (string | { path: string; description: string })[];
  /** The names of tools that need no approval. */
  auto_approve?: readonly string[];
  /** The names of tools that wait for approval. */
  confirm?: readonly string[];
  on_pending?: AgentPolicy["onPending"];
  /** The task: the file's text below its front matter. */
  prompt: string;
}

/**
 * Matches characters that only double quotes preserve in YAML: invisible ones, line breaks of YAML, and in multi-line text
 * the spaces at the start or end of a line.
 */
const DELICATE = /[^\P{Cc}\n]|[\u2028\u2029\ufeff]|\n[ \t]|[ \t]\n|^[ \t\n]/u;

/** Options with which the YAML library folds no long lines. */
export const ON_ONE_LINE = { lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity };

/**
 * Returns the text of an agent file: the front matter in the order of the fields, and the prompt without blank lines around
 * it.
 */
export function formatAgentFile(fields: NewAgentFields): string {
  const { prompt, ...head } = fields;
  return formatFrontMatter(head, prompt);
}

/** Returns the text of a file with this front matter and prompt, as formatAgentFile() does. */
export function formatFrontMatter(head: object, prompt: string): string {
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
