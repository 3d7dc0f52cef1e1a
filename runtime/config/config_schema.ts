// Defines the keys of config.yaml with their types, ranges and defaults.
import { z } from "zod";
import {
  AGENT_POLICY,
  DOLLAR_BUDGET,
  MCP_CONFIRM,
  RUN_SETTINGS,
  TOKEN_BUDGET,
  WORKSPACE_DOLLARS,
  WORKSPACE_TOKENS,
} from "./agent_settings.ts";
import { databaseAddress } from "./database_settings.ts";
import {
  baseUrl,
  field,
  filledText,
  nodeLabel,
  oneOrMore,
  optional,
  pathText,
  personName,
  section,
  textList,
} from "./fields.ts";
import { allowedHosts, deniedHosts } from "./request_hosts.ts";
import { CHAT } from "./chat_schema.ts";
import { MAIL } from "./mail_schema.ts";
import { NOTIFY } from "./notify_schema.ts";
import { PEOPLE } from "./people_schema.ts";
import { SEARCH } from "./search_schema.ts";
import { SIGN_IN } from "./sign_in_schema.ts";
import { SANDBOX_MODES } from "../sandbox/sandbox_rules.ts";
import { toHostName, toOrigin } from "../../base/web_origin.ts";
import { guardedByDefault } from "../vocabulary/builtin_tools.ts";

/** The number of days for which records are kept. Null (written 0, none or left empty) keeps them forever. */
const retentionDays = z.preprocess(
  (value) => value === 0 || value === "none" ? null : value,
  z.int().min(0).max(36_500).nullable(),
);

/** The keys of `defaults` whose values apply to agent files that omit them. */
export const agentDefaultsSchema = z.object({
  provider: optional(filledText).meta({ description: "Provider for agents that name no model" }),
  model: optional(filledText).meta({
    description: "Model for agents that name no model; `provider/name` without `defaults.provider`",
  }),
  base_url: optional(baseUrl).meta({
    description:
      "Address of `defaults.provider`, also for agents that name this provider and no `base_url`",
  }),
  confirm_tools: field(
    textList,
    guardedByDefault(),
    "Tools that require your approval; `*` for all tools",
  ),
  mcp_confirm: optional(z.enum(MCP_CONFIRM)).meta({
    description:
      "Tools of MCP servers that require your approval; if absent: no tools, with a warning",
  }),
  ...AGENT_POLICY,
  budget: section({ ...DOLLAR_BUDGET, tokens: section(TOKEN_BUDGET) }),
  ...RUN_SETTINGS,
});

/** The keys of `defaults` that the service itself uses. */
export const serviceSettingsSchema = z.object({
  checkpoint_retention_days: field(
    retentionDays,
    30,
    "Days to keep conversations (the newest of each agent always stays); 0 or `none`: forever",
  ),
  log_retention_days: field(
    retentionDays,
    "none",
    "Days to keep executions and their logs; 0 or `none`: forever",
  ),
  audit_retention_days: field(
    retentionDays,
    365,
    "Days to keep records of the audit; a change holds for later records; 0 or `none`: forever",
  ),
  max_agent_depth: field(
    z.int().min(0).max(100),
    3,
    "Maximum depth of delegation: the number of calling executions above an execution",
  ),
  max_concurrent_runs: field(
    z.int().min(1).max(10_000),
    16,
    "Maximum concurrent calls of models; further calls wait",
  ),
  pin_keys: field(
    z.boolean(),
    false,
    "Refuse to send a known provider's key to another host",
  ),
});

// Values that can never arrive in a header are refused instead of stored.

/** A list of host names, with or without a port. */
const hostNames = z.array(
  z.string().refine(
    (text) => toHostName(text) !== undefined,
    "must be the name of a host such as inkling.example",
  ),
);

/** A list of origins of web pages and apps. */
const origins = z.array(
  z.string().refine(
    (text) => toOrigin(text) !== undefined,
    "must be an origin, without a path: https://inkling.example, say, or app://obsidian.md",
  ),
);

/** An address of the service whose host name is accepted in requests of browsers. */
const publicUrl = baseUrl.refine(
  (text) => toHostName(URL.parse(text)?.host ?? "") !== undefined,
  "must name a host such as https://inkling.example",
);

/** The name of this machine, unique among those that share the database. */
const nodeName = z.string().regex(
  /^(?!\s)[^\p{C}]{1,100}$/u,
  "must be a name of at most 100 characters, all of them visible",
);

/** The schema of config.yaml, as a user writes the file. */
export const configSchema = z.object({
  workspace: field(pathText, "~/inkling", "The folder with your agents"),
  agents_dir: field(pathText, "agents", "The agents folder, relative to the workspace"),
  sandbox: field(
    z.enum(SANDBOX_MODES),
    "preferred",
    "Sandbox for programs that agents start; if unavailable, `preferred` runs them without it, `required` not at all",
  ),
  database: optional(databaseAddress).meta({
    values: "text",
    description: "The PostgreSQL database that machines share: `postgres://user@host:port/name`",
    default: "SQLite on this machine",
  }),
  database_connections: field(
    z.int().min(1).max(200),
    10,
    "Maximum database connections of this machine for the history; its queue and notifications use 4 more",
  ),
  node: section({
    name: optional(nodeName).meta({
      description: "The name of this machine among those that share the database",
      default: "its host name",
    }),
    labels: field(
      oneOrMore(nodeLabel),
      [],
      "Labels of this machine, which `nodes` of agents can require: lowercase letters, digits and hyphens",
    ).meta({ values: "text or list" }),
    runs: field(
      z.int().min(1).max(10_000),
      100,
      "Maximum simultaneous runs that this machine takes from the database, without delegated runs",
    ),
  }),
  budget: section({ ...WORKSPACE_DOLLARS, tokens: section(WORKSPACE_TOKENS) }),
  defaults: section({ ...agentDefaultsSchema.shape, ...serviceSettingsSchema.shape }),
  service: section({
    port: optional(z.int().min(0).max(65_535)).meta({
      description:
        "TCP port on which the service listens in addition to its socket; needs the key `INKLING_API_KEY`",
    }),
    host: field(
      filledText,
      "127.0.0.1",
      "The address on which the service listens with `service.port`",
    ),
    keep_alive: field(z.boolean(), false, "Keep the service running when it is idle"),
    edit: field(
      z.boolean(),
      false,
      "Let the key `INKLING_API_KEY` change files over TCP. Who writes an agent's file runs code",
    ),
    owner: optional(personName).meta({
      description: "The name of the person that uses the service on its own machine",
      default: "the account that runs the service",
    }),
  }),
  public_url: optional(publicUrl).meta({
    description:
      "The address under which clients reach the TCP port; messages then contain links to answer",
  }),
  sign_in: SIGN_IN,
  people: PEOPLE,
  notify: section(NOTIFY),
  expose: section({
    respond: field(
      z.boolean(),
      false,
      "Accept approvals of calls and budgets over MCP and OpenAI's protocol, where a model may send them",
    ),
  }),
  chat: CHAT,
  mail: MAIL,
  search: SEARCH,
  http: section({
    allow: field(
      allowedHosts,
      [],
      "Hosts that http_request may reach even if private or denied; `*.name` for all subdomains",
    ),
    deny: field(
      deniedHosts,
      [],
      "Hosts that http_request may not reach, with subdomains; `private` for loopback and private networks",
    ),
    hosts: field(
      hostNames,
      [],
      "Names that the service accepts in the `Host` header over TCP, with any port",
    ),
    origins: field(
      origins,
      [],
      "Accepted origins of a reverse proxy or of apps: `scheme://host[:port]`",
    ),
  }),
});
