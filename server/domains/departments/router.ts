import { z } from "zod";
import { objectOrForm } from "../../input/form.ts";
import { sent } from "../../database/json.ts";
import { ById, Id } from "../../input/shapes.ts";
import { adminProcedure, managerProcedure, router } from "../../trpc.ts";
import { listDepartments, readDepartment } from "./queries.ts";
import { Department, DepartmentChanges, DepartmentPage, DepartmentUsage, NewDepartment } from "./schema.ts";
import { readUsage } from "./usage.ts";
import { changeDepartment, chooseMainDepartment, createDepartment, removeDepartment } from "./write.ts";

const multipart_only = ["logo", "logo_remove"];

export const departments = router({
  list: managerProcedure
    .meta({ rest: "GET /account/departments.json", summary: "List departments" })
    .input(DepartmentPage).output(sent(z.array(Department)))
    .query(({ ctx, input }) => listDepartments(ctx.sql, ctx.viewer.account_id, ctx.config.base_url, input)),

  find: managerProcedure
    .meta({ rest: "GET /account/departments/:id.json", summary: "Read a department" })
    .input(ById).output(sent(Department))
    .query(({ ctx, input }) => readDepartment(ctx.reads, ctx.viewer.account_id, ctx.config.base_url, input.id)),

  usage: managerProcedure
    .meta({
      rest: "GET /account/departments/:id/usage.json",
      summary: "Count what a department holds",
      description: "The users, mailboxes and objects that a deletion touches.",
    })
    .input(ById).output(sent(DepartmentUsage))
    .query(({ ctx, input }) => readUsage(ctx.sql, ctx.viewer, input.id)),

  create: adminProcedure
    .meta({
      rest: "POST /account/departments.json",
      status: 201,
      wrapper: "department",
      multipart_only,
      summary: "Create a department",
      description: "The first department becomes the main one. The second sets the account's mode to `restricted`, " +
        "unless an admin has chosen the mode.",
    })
    .input(objectOrForm(z.object({ department: NewDepartment }))).output(sent(Department))
    .mutation(({ ctx, input }) => createDepartment(ctx, input.department)),

  update: adminProcedure
    .meta({
      rest: "PATCH /account/departments/:id.json",
      refuses: [409],
      wrapper: "department",
      multipart_only,
      summary: "Update a department",
      description: "Changes only the fields that are sent.",
    })
    .input(objectOrForm(z.object({ id: Id, department: DepartmentChanges }))).output(sent(Department))
    .mutation(({ ctx, input }) => changeDepartment(ctx, input.id, input.department)),

  set_as_main: adminProcedure
    .meta({ rest: "PATCH /account/departments/:id/set_as_main.json", summary: "Make a department the main one" })
    .input(ById).output(sent(Department))
    .mutation(({ ctx, input }) => chooseMainDepartment(ctx, input.id)),

  delete: adminProcedure
    .meta({
      rest: "DELETE /account/departments/:id.json",
      status: 204,
      summary: "Delete a department",
      description: "If it was the main department, the oldest remaining one becomes the main one.",
    })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => removeDepartment(ctx, input.id)),
});
