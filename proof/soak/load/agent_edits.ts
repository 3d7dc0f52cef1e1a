// Creates, changes, breaks and removes agent files while the service runs. No other part of the soak changes these agents.
import { join } from "node:path";
import { agentText } from "./soak_agents.ts";
import type { Chance } from "../chance.ts";
import type { SoakWorld } from "../soak_world.ts";

const AGENTS = 6;

/** Changes the six `scratch` agents of one soak. */
export class AgentEdits {
  readonly #world: SoakWorld;
  readonly #chance: Chance;

  constructor(world: SoakWorld) {
    this.#world = world;
    this.#chance = world.chance("edits");
  }

  /** Returns the id of a random scratch agent, whose file may be missing. */
  pick(): string {
    return `scratch_${this.#chance.between(1, AGENTS)}`;
  }

  /** Makes one random change to the file of a scratch agent. */
  async change(id: string): Promise<void> {
    const chance = this.#chance;
    const path = join(this.#world.home.agentsDir, `${id}.md`);
    const modelUrl = this.#world.model.url;
    const write = (role: string, lines: string[]) =>
      Deno.writeTextFile(path, agentText({ role, lines, modelUrl }));
    const change = chance.weighted({
      write: 3,
      schedule: 2,
      watch: 2,
      broken: 1,
      odd: 1,
      remove: 2,
    });
    this.#world.count(`agent file: ${change}`);
    switch (change) {
      case "write":
        return await write("talker", [`description: version ${chance.between(1, 99)}`]);
      case "schedule":
        return await write("tick", [
          `trigger: { type: schedule, every: ${chance.between(1, 5)}s }`,
        ]);
      case "watch":
        return await write("watcher", [`trigger: { type: watch, paths: [scratch/${id}] }`]);
      case "broken":
        return await Deno.writeTextFile(path, "---\ntrigger: [not, {a trigger\n---\nBroken.\n");
      case "odd":
        return await write("talker", ["modle: { provider: x }", "history: sometimes"]);
      case "remove":
        return await Deno.remove(path).catch((error) => {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        });
    }
    return change satisfies never;
  }
}
