// Estimates the tokens of the gallery's runs by playing their cases.
import { findCaseFiles, readCaseFile } from "../../ops/testing/case_files.ts";
import { CaseScript } from "../../ops/testing/case_script.ts";
import { playCase } from "../../ops/testing/play_case.ts";
import type { TestPorts } from "../../ops/testing/test_ports.ts";
import type { Model } from "../../runtime/models/model.ts";
import { estimateInputTokens, estimateOutputTokens } from "../../runtime/models/token_estimate.ts";

/** The tokens of one reply. */
export interface ReplyTokens {
  input: number;
  output: number;
}

/** Plays a case of an agent, and returns the estimated tokens of each reply. */
export async function estimateCase(
  ports: TestPorts,
  { agentId, name }: { agentId: string; name: string },
): Promise<ReplyTokens[]> {
  const { directories } = ports.settings;
  const agent = ports.registry.get(agentId);
  const file = (await findCaseFiles(directories.agentsDir, agentId))
    .find((one) => one.name === `${agentId}/${name}`);
  if (agent === undefined || file === undefined) throw new TypeError(`No case ${agentId}/${name}`);
  const read = await readCaseFile(file.path, directories);
  if ("diagnostics" in read) throw new TypeError(`${file.path} is no valid case`);
  const tokens: ReplyTokens[] = [];
  const open = async (): Promise<Model> => {
    const model = await new CaseScript(read.test).open(agent);
    return {
      id: model.id,
      async *generate(request, options) {
        const reply = yield* model.generate(request, options);
        tokens.push({
          input: estimateInputTokens(request),
          output: estimateOutputTokens(reply.message),
        });
        return reply;
      },
    };
  };
  let model: Promise<Model> | undefined;
  const live = { open: () => model ??= open(), costOf: () => Promise.resolve(0) };
  const { gap } = await playCase(read.test, { agent, ports, live });
  if (gap !== undefined) throw new TypeError(`${file.name}: ${gap}`);
  return tokens;
}
