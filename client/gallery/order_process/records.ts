/** The stock of the order process, and orders that have been through it. */
import type { Records } from "../records.ts";

const STOCK: [sku: string, name: string, about: string, price: number, on_hand: number, full: number][] = [
  ["notebook", "Notebook", "A5, dotted, 192 pages", 9.5, 120, 150],
  ["pen", "Fountain pen", "Medium nib, steel", 42, 18, 30],
  ["ink", "Ink", "Blue-black, 60 ml", 12.8, 60, 80],
  ["paper", "Letter paper", "100 sheets, laid", 16, 35, 60],
  ["ruler", "Brass ruler", "15 cm", 21.5, 8, 40],
  ["lamp", "Desk lamp", "Clamp, warm light", 140, 6, 12],
];

const ORDERS: [customer: string, sku: string, quantity: number, state: string, reason: string][] = [
  ["Atelier Nowak", "ink", 12, "shipped", ""],
  ["Library of Ghent", "notebook", 80, "refused", "Out of budget this quarter"],
  ["Studio Okafor", "lamp", 2, "shipped", ""],
  ["Reyes & Daughters", "pen", 4, "shipped", ""],
];

export const records: Records = () => ({
  order_stock: STOCK.map(([sku, name, about, price, on_hand, full], position) => ({
    sku,
    name,
    about,
    price,
    on_hand,
    full,
    position,
  })),
  order_requests: ORDERS.map(([customer, sku, quantity, state, reason]) => {
    const [, item, , price = 0] = STOCK.find(([known]) => known === sku) ?? [];
    return { customer, sku, quantity, item, total: price * quantity, state, reason };
  }),
});
