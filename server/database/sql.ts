/** Types of the database connection. */
import type postgres from "postgres";

type Types = { int8: number; timestamp: string };

/** A pool or a transaction. Queries accept both. */
export type Sql = postgres.ISql<Types>;
export type Pool = postgres.Sql<Types>;
