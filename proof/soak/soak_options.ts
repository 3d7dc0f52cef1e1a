// Parses the flags of `deno task soak`.
import { parseArgs } from "node:util";

/** The duration, load and output of a soak. */
export interface SoakOptions {
  minutes: number;
  /** The minutes at the beginning of the soak in which the service is killed and restarted. */
  killMinutes: number;
  /** The minutes after the kills in which memory is not judged. The load is higher in the first part of these minutes. */
  warmUpMinutes: number;
  /**
   * The load in the first part of the warm-up, in actions a second. It is higher than normal, because V8 optimizes code
   * after a number of runs, not after a time. At 14, the eight model calls of the soak let the runs pile up.
   */
  warmUpRate: number;
  seed: number;
  /** The normal load, in actions a second. */
  rate: number;
  /** The maximum allowed growth of memory, in megabytes an hour. */
  slopeLimit: number;
  json: boolean;
  /** True: the temporary home directory is kept if there are findings. */
  keep: boolean;
}

/**
 * Returns the options of the soak. Throws TypeError for an unknown flag or for a value that is no number. By default, a
 * soak of 60 minutes has 10 minutes of kills, 19 minutes of warm-up with some 10,000 runs, and after them enough minutes to
 * judge memory.
 */
export function parseSoakOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "5" },
      "kill-minutes": { type: "string" },
      "warm-up": { type: "string" },
      seed: { type: "string" },
      rate: { type: "string", default: "3" },
      "warm-up-rate": { type: "string", default: "10" },
      "slope-limit": { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  const minutes = number("minutes", values.minutes);
  const killMinutes = number("kill-minutes", values["kill-minutes"] ?? String(minutes / 6));
  return {
    minutes,
    killMinutes,
    warmUpMinutes: number("warm-up", values["warm-up"] ?? String((minutes - killMinutes) * 0.38)),
    warmUpRate: number("warm-up-rate", values["warm-up-rate"]),
    seed: number("seed", values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0])),
    rate: number("rate", values.rate),
    slopeLimit: number("slope-limit", values["slope-limit"]),
    json: values.json,
    keep: values.keep,
  };
}

function number(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new TypeError(`--${flag} takes a number, not ${JSON.stringify(text)}`);
  }
  return value;
}
