/** Procedures of agents' sessions, and of the calls that a person confirms. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ByUuid } from "../../input/shapes.ts";
import { router, userProcedure } from "../../trpc.ts";
import { answerConfirmation, listConfirmations } from "./confirmations.ts";
import { listSessions } from "./queries.ts";
import {
  AgentSession,
  AgentSessionPage,
  AnsweredConfirmation,
  Confirmation,
  ConfirmationAnswer,
  ConfirmationPage,
  UndoStep,
} from "./schema.ts";
import { planUndo, undoSession } from "./undo.ts";

const tag = "agents";

const confirmations = router({
  list: userProcedure
    .meta({
      rest: "GET /account/agent_confirmations.json",
      tag,
      summary: "List the calls of agents that wait for a person",
      description: "The oldest first: those of the caller's own agents; admins see all of the account.",
    })
    .input(ConfirmationPage).output(sent(z.array(Confirmation)))
    .query(({ ctx, input }) => listConfirmations(ctx.sql, ctx.viewer, input)),

  answer: userProcedure
    .meta({
      rest: "POST /account/agent_confirmations/:id.json",
      refuses: [409],
      tag,
      summary: "Accept or decline a call of an agent",
      description:
        "For a person who is signed in: with an API token it is refused with 403. After it is accepted, the agent can " +
        "make exactly this call once, until the confirmation expires.",
    })
    .input(ConfirmationAnswer).output(AnsweredConfirmation)
    .mutation(({ ctx, input }) => answerConfirmation(ctx, input)),
});

export const agents = router({
  list: userProcedure
    .meta({
      rest: "GET /account/agents.json",
      summary: "List sessions of agents",
      description: "Newest first: those with the caller's tokens; admins see all of the account.",
    })
    .input(AgentSessionPage).output(sent(z.array(AgentSession)))
    .query(({ ctx, input }) => listSessions(ctx.sql, ctx.viewer, input)),

  changes: userProcedure
    .meta({
      rest: "GET /account/agents/:id/changes.json",
      summary: "List what a session has changed, and what an undo would do",
      description: "In the order of the undo, the latest object first; of the last 1,000 changes.",
    })
    .input(ByUuid).output(z.array(UndoStep))
    .query(({ ctx, input }) => planUndo(ctx, input.id)),

  undo: userProcedure
    .meta({
      rest: "POST /account/agents/:id/undo.json",
      summary: "Undo what a session has changed",
      description:
        "For a person who is signed in, with the roles and scopes that the same changes need. What somebody else has " +
        "changed since is left as it is, with an `obstacle`. Runs are not undone, and neither is what they have changed.",
    })
    .input(ByUuid).output(z.array(UndoStep))
    .mutation(({ ctx, input }) => undoSession(ctx, input.id)),

  confirmations,
});
