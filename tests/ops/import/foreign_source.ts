// Reads files of other tools without a file system, and plans their import.
import { readForeignFile } from "../../../ops/import/shapes/formats.ts";
import type { ImportPlan, PlannedAgent, WorkspaceFacts } from "../../../ops/import/import_plan.ts";
import { planImport } from "../../../ops/import/plan.ts";
import type { Reading } from "../../../ops/import/reading/shape.ts";
import type { JsonObject } from "../../../base/json.ts";

/** Reads a file. Throws if no shape fits it. */
export function read(path: string, text: string): Reading & { shape: string } {
  const reading = readForeignFile(path, text);
  if (reading === undefined) throw new Error(`No shape fits ${path}`);
  return { shape: reading.name, ...reading };
}

/** The facts about a workspace and a source, of which a test sets some. */
export interface Around {
  facts?: Partial<WorkspaceFacts>;
  servers?: JsonObject;
  skills?: ReadonlyMap<string, readonly string[]>;
  repository?: string;
  model?: string;
  team?: string;
  spread?: boolean;
}

/** Plans the import of files into a workspace with the default model anthropic/claude-sonnet-5-5. */
export function plan(files: Record<string, string>, around: Around = {}): ImportPlan {
  const { facts, servers = {}, skills = new Map(), repository, model, team, spread } = around;
  const read = Object.entries(files).flatMap(([path, text]) => {
    const reading = readForeignFile(path, text);
    return reading === undefined ? [] : [{ ...reading, path, digest: text }];
  });
  const source = {
    origin: "/repo",
    texts: new Map(Object.entries(files)),
    skills,
    servers,
    repository,
  };
  return planImport(read, source, {
    agents: new Map(),
    servers: new Set(),
    skills: new Set(),
    hasSearch: false,
    defaultModel: "anthropic/claude-sonnet-5-5",
    isUsable: (provider) => provider === "anthropic",
    isInside: () => false,
    ...facts,
  }, {
    ...(model !== undefined && { model }),
    ...(team !== undefined && { team }),
    ...(spread !== undefined && { spread }),
  });
}

/** Returns the first agent that a file becomes. */
export function planOne(path: string, text: string, around: Around = {}): PlannedAgent {
  const [agent] = plan({ [path]: text }, around).agents;
  if (agent === undefined) throw new Error(`${path} becomes no agent`);
  return agent;
}

/** Returns the losses as `what: why`. */
export function lossesOf({ losses }: Pick<PlannedAgent, "losses">): string[] {
  return losses.map(({ what, why }) => `${what}: ${why}`);
}

/** Returns the wanted permissions by setting. */
export function grantsOf({ grants }: Pick<PlannedAgent, "grants">): JsonObject {
  return Object.fromEntries(grants.map(({ setting, value }) => [setting, value]));
}
