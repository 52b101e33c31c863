import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById, Id } from "../../input/shapes.ts";
import { adminProcedure, guestProcedure, managerProcedure, router } from "../../trpc.ts";
import { SendMail } from "../invitations/one_time_link.ts";
import { createPasswordReset, PasswordReset } from "../passwords/reset.ts";
import { listUserSettings, readUserSetting } from "./queries.ts";
import { ListedUser, NewUserSetting, UserSetting, UserSettingChanges, UserSettingPage } from "./schema.ts";
import { changeUserSetting, createUserSetting, removeUserSetting } from "./write.ts";

export const user_settings = router({
  list: managerProcedure
    .meta({ rest: "GET /account/user_settings.json", summary: "List users" })
    .input(UserSettingPage).output(sent(z.array(ListedUser)))
    .query(({ ctx, input }) => listUserSettings(ctx.sql, ctx.viewer.account_id, input)),

  find: guestProcedure
    .meta({
      rest: "GET /account/user_settings/:id.json",
      summary: "Read a user",
      description: "Every user may read itself; managers and admins may read everyone.",
    })
    .input(ById).output(sent(UserSetting))
    .query(({ ctx, input }) => readUserSetting(ctx.sql, ctx.viewer, input.id)),

  create: adminProcedure
    .meta({
      rest: "POST /account/user_settings.json",
      status: 201,
      wrapper: "user_setting",
      summary: "Create a user",
      description: "`login` defaults to the e-mail address, `name` to the login, `role` to user.",
    })
    .input(z.object({ user_setting: NewUserSetting })).output(sent(UserSetting))
    .mutation(({ ctx, input }) => createUserSetting(ctx, input.user_setting)),

  update: adminProcedure
    .meta({
      rest: "PATCH /account/user_settings/:id.json",
      refuses: [409],
      wrapper: "user_setting",
      summary: "Update a user",
      description: "Changes only the fields that are sent. The last active admin cannot be demoted or deactivated.",
    })
    .input(z.object({ id: Id, user_setting: UserSettingChanges })).output(sent(UserSetting))
    .mutation(({ ctx, input }) => changeUserSetting(ctx, input.id, input.user_setting)),

  reset_password: adminProcedure
    .meta({
      rest: "POST /account/user_settings/:id/password_reset.json",
      status: 201,
      refuses: [422],
      summary: "Make a link by which a user chooses a new password",
      description:
        "The link can be used once, within 24 hours, and signs the user in. Its use ends the user's sessions. A new link " +
        "replaces the one before. It is sent by mail where the server has `SMTP_URL`; otherwise it is in the answer.",
    })
    .input(ById.extend({ send_mail: SendMail })).output(PasswordReset)
    .mutation(({ ctx, input }) => createPasswordReset(ctx, input.id, input.send_mail)),

  delete: adminProcedure
    .meta({ rest: "DELETE /account/user_settings/:id.json", status: 204, refuses: [422], summary: "Delete a user" })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => removeUserSetting(ctx, input.id)),
});
