// Creates the ports of a played run, with the recorded time, environment, model, tools and history.
import type { Message } from "../models/message.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { RunPorts } from "../executions/loop/run_ports.ts";
import { requireExecution } from "../executions/record/execution_reads.ts";
import { NO_TELEMETRY } from "../executions/loop/telemetry.ts";
import type { Playback } from "./playback.ts";
import type { PlayedModel } from "./played_model.ts";
import { toPlayedTools } from "./played_tools.ts";
import type { CassettePrompt } from "./cassette.ts";
import type { PlayOptions } from "./play_options.ts";
import type { PlayStores } from "./played_stores.ts";

/** The facts about the environment in a recorded prompt. */
export type PromptedWorld = Omit<CassettePrompt, "type" | "now" | "resultsBefore">;

/** A service log that discards its entries. The result of a play contains the errors. */
export const SILENT: ServiceLog = { write() {} };

/** Creates the ports of a played run. `promptedAt` is the time of the next recorded prompt, if a prompt comes next. */
export function createPlayedPorts(
  { ports, stores, recordedTools = () => [], seed: otherSeed }: PlayOptions & {
    stores: PlayStores;
  },
  { playback, model, seed, world, promptedAt }: {
    playback: Playback;
    model: PlayedModel;
    seed: readonly Message[];
    world: PromptedWorld;
    promptedAt: number | undefined;
  },
): RunPorts {
  const { conversations, executions, families } = stores;
  const nextTools = () => recordedTools(playback.script.replies + 1);
  let hasOpened = false;
  return {
    ...ports,
    clock: playback.clock,
    log: SILENT,
    telemetry: NO_TELEMETRY,
    timeZone: () => world.timeZone,
    facts: () => world,
    families,
    conversations: {
      readConversation: (id) => conversations.readConversation(id),
      async readSeed({ id }) {
        if (otherSeed !== undefined || seed.length === 0) return otherSeed;
        const { execution } = await requireExecution(executions, id);
        return { messages: [...seed], execution };
      },
    },
    openModel: () => Promise.resolve(model),
    costOf: () => Promise.resolve(model.costUsd),
    async openTools(agent, options) {
      const { sandboxGap: _gap, ...tools } = await ports.openTools(agent, options);
      // The tools are opened again if they have changed during the run.
      if (!hasOpened) {
        await playback.catchUp();
        playback.clock.set(promptedAt);
        hasOpened = true;
      }
      const recorded = nextTools();
      const text = JSON.stringify(recorded);
      return {
        ...await toPlayedTools(tools, { recorded, playback }),
        isPlayed: true,
        mayHaveChanged: () => JSON.stringify(nextTools()) !== text,
      };
    },
  };
}
