// The lives of the service: the time and kind of each end, and the checks between two lives.
import type { Inspection } from "./inspection.ts";
import { sleep } from "./sleep.ts";
import type { Chance } from "./soak_random.ts";
import type { Ending } from "./soak_service.ts";
import type { SoakWorld } from "./soak_world.ts";

const ENDINGS: Readonly<Record<Ending, number>> = { SIGKILL: 9, SIGTERM: 2, shutdown: 2, stop: 1 };
const LIFE_MS = { shortest: 1_000, mean: 9_000 };
const LONGEST_GAP_MS = 1_500;

/** The lives of one soak. */
export class Lives {
  readonly #world: SoakWorld;
  readonly #inspection: Inspection;
  readonly #chance: Chance;

  constructor(world: SoakWorld, inspection: Inspection) {
    this.#world = world;
    this.#inspection = inspection;
    this.#chance = world.chance("life");
  }

  /** Restarts the service at random intervals until performance.now() reaches `time`. */
  async endUntil(time: number): Promise<void> {
    for (;;) {
      const life = LIFE_MS.shortest + this.#chance.wait(LIFE_MS.mean);
      await sleep(Math.min(life, Math.max(0, time - performance.now())));
      if (performance.now() >= time) return;
      await this.restart(this.#chance.weighted(ENDINGS));
    }
  }

  /** Ends this life and begins the next. */
  async restart(how: Ending): Promise<void> {
    const { service } = this.#world;
    this.#world.count(`ended by ${how}`);
    await service.end(how);
    await this.#inspection.look("dead");
    // Opening the file for writing cleans up after a kill, which the next service must do itself.
    if (how !== "SIGKILL") this.#inspection.age();
    await sleep(this.#chance.between(0, LONGEST_GAP_MS));
    await service.start();
    await this.#inspection.look("live");
    if (how !== "SIGKILL") this.#inspection.checkRetention();
  }
}
