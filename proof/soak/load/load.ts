// Starts actions at random moments, up to 60 in parallel.
import { ACTIONS, type Actions } from "../actions.ts";
import { sleep } from "../sleep.ts";
import type { Chance } from "../chance.ts";
import type { SoakWorld } from "../soak_world.ts";

const MOST_AT_ONCE = 60;

/** Generates the load of one soak. */
export class Load {
  readonly #world: SoakWorld;
  readonly #actions: Actions;
  /** Actions a second. */
  rate: number;
  readonly #chance: Chance;
  readonly #busy = new Set<Promise<void>>();
  #isPaused = false;
  #isOver = false;

  constructor(world: SoakWorld, { actions, rate }: { actions: Actions; rate: number }) {
    this.#world = world;
    this.#actions = actions;
    this.rate = rate;
    this.#chance = world.chance("load");
  }

  /**
   * Starts actions until `end` is called. Resolves when all started actions are over. An action that throws is reported as
   * a finding about the soak itself.
   */
  async run(): Promise<void> {
    while (!this.#isOver) {
      await sleep(this.#chance.wait(1_000 / this.rate));
      const isFull = this.#busy.size >= MOST_AT_ONCE;
      if (this.#isPaused || this.#isOver || isFull || !this.#world.service.isUp) continue;
      const action = this.#actions.do(this.#chance.weighted(ACTIONS))
        .catch((error) => {
          const shown = error instanceof Error ? error.stack : error;
          this.#world.findings.add("the soak itself works", { error: String(shown) });
        })
        .finally(() => void this.#busy.delete(action));
      this.#busy.add(action);
    }
    await Promise.all(this.#busy);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  end(): void {
    this.#isOver = true;
  }

  /** Stops open streams and resolves when no action is in progress. Call `pause` before. */
  async rest(): Promise<void> {
    while (this.#busy.size > 0) {
      this.#actions.stopFollowing();
      await sleep(50);
    }
  }
}
