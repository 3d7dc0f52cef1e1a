// The flags of `deno task soak`.
import { parseArgs } from "node:util";

/** The duration, load and output of a soak. */
export interface SoakOptions {
  minutes: number;
  /** The minutes at its beginning in which the service is killed and restarted. */
  killMinutes: number;
  /** The minutes after that in which memory is not judged: first with more load, then with the normal one. */
  warmUpMinutes: number;
  /** Actions a second in that time. V8 compiles code after a number of runs, so the runs count, not the time. */
  warmUpRate: number;
  seed: number;
  /** Actions a second. */
  rate: number;
  /** The maximum growth of memory, in megabytes an hour. */
  slopeLimit: number;
  json: boolean;
  /** Keeps the temporary home when there are findings. */
  keep: boolean;
}

/** Parses the flags. Throws TypeError for one that is unknown or no number. */
export function parseSoakOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "5" },
      "kill-minutes": { type: "string" },
      "warm-up": { type: "string" },
      seed: { type: "string" },
      rate: { type: "string", default: "3" },
      "warm-up-rate": { type: "string", default: "14" },
      "slope-limit": { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  const minutes = number("minutes", values.minutes);
  const killMinutes = number("kill-minutes", values["kill-minutes"] ?? String(minutes / 3));
  return {
    minutes,
    killMinutes,
    warmUpMinutes: number("warm-up", values["warm-up"] ?? String((minutes - killMinutes) / 4)),
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
