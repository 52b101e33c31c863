/** The kinds of things. A new one is a file here and a line below. */
import type { Kind, ThingKind } from "../thing.ts";
import { app } from "./app.ts";
import { connector } from "./connector.ts";
import { db } from "./db.ts";
import { department } from "./department.ts";
import { flow } from "./flow.ts";
import { trigger } from "./trigger.ts";

export const THING_KINDS: Readonly<Record<Kind, ThingKind>> = { department, connector, db, flow, app, trigger };
