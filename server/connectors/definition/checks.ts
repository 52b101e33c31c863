/** Zod schemas shared by the parts of a connector's `fields`. */
import { z } from "zod";
import { isStorable, NOT_STORABLE, text } from "../../input/shapes.ts";
import { templateFault } from "../request/template.ts";
import { headerFault } from "./header_names.ts";

/** @param fault returns undefined for a valid value */
export const faultless = <T>(schema: z.ZodType<T, T>, fault: (value: T) => string | undefined) =>
  schema.superRefine((value, { addIssue }) => {
    const message = fault(value);
    if (message) addIssue(message);
  });

export const HeaderName = faultless(z.string(), headerFault);
export const QueryName = z.string()
  .refine((name) => /^[^\s{}&=#]{1,100}$/u.test(name), "is not the name of a query parameter")
  .refine(isStorable, NOT_STORABLE);
export const Template = faultless(text(4096), templateFault);
