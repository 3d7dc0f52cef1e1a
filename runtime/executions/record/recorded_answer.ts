// Converts an answer of a person to the record that a store keeps, with its frames.
import { createFrame, type FrameContent, type FrameDraft } from "../../events/frame.ts";
import type { Execution } from "../execution.ts";
import type { GivenResponse, HumanAnswer, HumanRequest } from "../human_request.ts";
import { checkTransition, identityOf, toAnswerFrame, toApprovalFrames } from "./frame_contents.ts";
import type { JournalPorts } from "./journal_ports.ts";
import type { RecordedAnswer } from "./request_store.ts";

/** The question of an answer, and the answer's sender. */
type AnsweredRequest =
  & Pick<HumanRequest, "requestId" | "raise" | "rule">
  & Pick<GivenResponse, "by" | "audit">;

/** Returns the record of an answer that is given now. */
export function toRecordedAnswer(
  request: AnsweredRequest,
  answer: HumanAnswer,
  { clock, redactor }: Pick<JournalPorts, "clock" | "redactor">,
): RecordedAnswer {
  const isApproved = "approved" in answer && answer.approved;
  const at = clock.now();
  const toFrames = (execution: Execution, contents: readonly FrameContent[]): FrameDraft[] =>
    contents.map((content) => createFrame(identityOf(execution), content, { redactor, at }));
  return {
    requestId: request.requestId,
    answer,
    answeredAt: at,
    audit: request.audit,
    ...(request.raise && isApproved && { raise: request.raise }),
    ...(request.rule && {
      approving: {
        by: request.by,
        nextId: crypto.randomUUID(),
        frames: (execution, partial) =>
          toFrames(execution, toApprovalFrames(request, answer, partial)),
      },
    }),
    frames: (execution) =>
      toFrames(execution, checkTransition("running", [toAnswerFrame(request, answer)])),
  };
}
