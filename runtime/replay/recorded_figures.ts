// Computes the usage of each reply of a recorded run from the running totals in the log.
import { COST_PLACES } from "../../base/cost.ts";
import type { JsonObject } from "../../base/json.ts";
import { uncachedUsage } from "../models/model.ts";
import type { CassetteReply } from "./cassette.ts";

/** The tokens and cost of one reply. */
export type UsedByReply = Pick<CassetteReply, "usage" | "costUsd">;

/** The running totals in a log. */
interface Figures {
  inputTokens: number;
  outputTokens: number;
  /** False before the first reply with token counts. */
  isCounted: boolean;
  costUsd: number | null;
}

const NOTHING: Figures = { inputTokens: 0, outputTokens: 0, isCounted: false, costUsd: null };

/** Computes the usage of replies from a log's totals, which must be passed in order. */
export class RecordedFigures {
  #before: Figures = NOTHING;

  /** Returns the usage since the totals of the last call. */
  take(frame: JsonObject): UsedByReply {
    const before = this.#before;
    const now = toFigures(frame);
    this.#before = now;
    const warning = String(frame["warning"] ?? "");
    const costUsd = now.costUsd === null || warning.startsWith("No price is known")
      ? null
      : Number((now.costUsd - (before.costUsd ?? 0)).toFixed(COST_PLACES));
    const isUncounted = !now.isCounted || warning.includes("reports no token counts");
    return {
      usage: isUncounted ? null : uncachedUsage(
        now.inputTokens - before.inputTokens,
        now.outputTokens - before.outputTokens,
      ),
      costUsd,
    };
  }
}

function toFigures(frame: JsonObject): Figures {
  const { cost_usd: cost, message } = frame;
  return {
    inputTokens: Number(frame["input_tokens"] ?? 0),
    outputTokens: Number(frame["output_tokens"] ?? 0),
    isCounted: !String(message).startsWith("No token counts reported"),
    costUsd: typeof cost === "number" ? cost : null,
  };
}
