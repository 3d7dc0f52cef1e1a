// Ends and restarts the service of a soak at random times. A life is the time from a start of the service to its end.
import type { Inspection } from "./inspection.ts";
import { sleep } from "./sleep.ts";
import type { Chance } from "./chance.ts";
import type { Ending } from "./soak_service.ts";
import type { SoakWorld } from "./soak_world.ts";

const ENDINGS: Readonly<Record<Ending, number>> = { SIGKILL: 9, SIGTERM: 2, shutdown: 2, stop: 1 };
const LIFE_MS = { shortest: 1_000, mean: 6_000 };
const LONGEST_GAP_MS = 1_500;

/** Restarts the service of one soak, and checks the database while the service is stopped and after each start. */
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

  /**
   * Ends the service, checks its database, starts the service again after a random delay, and checks the database again.
   */
  async restart(how: Ending): Promise<void> {
    const { service } = this.#world;
    this.#world.count(`ended by ${how}`);
    await service.end(how);
    await this.#inspection.look("dead");
    // `age` writes to the database, and a writer recovers the journal of a killed service. After a kill the next service
    // must do that recovery.
    if (how !== "SIGKILL") this.#inspection.age();
    await sleep(this.#chance.between(0, LONGEST_GAP_MS));
    await service.start();
    await this.#inspection.look("live");
    if (how !== "SIGKILL") this.#inspection.checkRetention();
  }
}
