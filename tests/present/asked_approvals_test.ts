import assert from "node:assert/strict";
import { describeApprovals } from "../../present/asked_approvals.ts";

Deno.test("describeApprovals() names the approvals so far, and the people who may answer", () => {
  assert.equal(describeApprovals({}), undefined);
  assert.equal(describeApprovals({ approvals: 0, needed: 1, approvers: [] }), "0 of 1 approval");
  assert.equal(
    describeApprovals({
      approvals: 1,
      needed: 2,
      approved_by: ["anna"],
      approvers: ["bob", "admin"],
    }),
    "1 of 2 approvals, by anna; for bob, admin",
  );
});
