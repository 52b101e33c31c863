/** Measures subjects in turn, so that a disturbance of the machine meets all of them alike. */
import { print } from "../../stage/print.ts";
import { type Load, load, type Order } from "./load.ts";

export interface Turns {
  seconds: number;
  rounds: number;
  connections: number;
}

const WARM_UP_S = 6;

/**
 * Loads every order once per round. Rounds alternate their direction (A B, B A): the first of a round would otherwise
 * always follow the same neighbour. Each is loaded before, until V8 has optimized what it executes: a server's first
 * thousands of requests take it twice the time.
 *
 * @returns for each order its rounds
 */
export async function inTurn(title: string, orders: readonly Order[], turns: Turns): Promise<Load[][]> {
  const measured = orders.map((): Load[] => []);
  for (const order of orders) await load(order, { ...turns, seconds: WARM_UP_S });
  for (let round = 0; round < turns.rounds; round++) {
    print(`${title}: round ${round + 1} of ${turns.rounds}`);
    const indexes = [...orders.keys()];
    if (round % 2 === 1) indexes.reverse();
    for (const i of indexes) {
      const order = orders[i];
      if (order) measured[i]?.push(await load(order, turns));
    }
  }
  return measured;
}
