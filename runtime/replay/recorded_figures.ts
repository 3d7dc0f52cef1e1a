// What each reply of a recorded run used: its log has the sums up to there.
import { COST_PLACES } from "../../base/cost.ts";
import type { JsonObject } from "../../base/json.ts";
import type { CassetteReply } from "./cassette.ts";

/** What one reply used. */
export type UsedByReply = Pick<CassetteReply, "usage" | "cost_usd">;

/** Figures as a log tells them: sums up to there. */
interface Figures {
  inputTokens: number;
  outputTokens: number;
  /** Null before any reply was counted. */
  isCounted: boolean;
  costUsd: number | null;
}

const NOTHING: Figures = { inputTokens: 0, outputTokens: 0, isCounted: false, costUsd: null };

/** Takes the figures of a log one after another. */
export class RecordedFigures {
  #before: Figures = NOTHING;

  /** What was used since the figures before. */
  take(frame: JsonObject): UsedByReply {
    const before = this.#before;
    const now = toFigures(frame);
    this.#before = now;
    const warning = String(frame["warning"] ?? "");
    const cost_usd = now.costUsd === null || warning.startsWith("No price is known")
      ? null
      : Number((now.costUsd - (before.costUsd ?? 0)).toFixed(COST_PLACES));
    const isUncounted = !now.isCounted || warning.includes("reports no token counts");
    return {
      usage: isUncounted ? null : {
        input_tokens: now.inputTokens - before.inputTokens,
        output_tokens: now.outputTokens - before.outputTokens,
      },
      cost_usd,
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
