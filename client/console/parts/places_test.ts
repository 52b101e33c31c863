import { deepEqual, equal } from "node:assert/strict";
import { addressOfPlace, layoutOf, MODULES, nameOfPage, ordered, PAGES, positionAt } from "./places.ts";

Deno.test("places: each module and page has an address in the console", () => {
  equal(MODULES.length, 14);
  equal(addressOfPlace("crm"), "/modules/crm");
  equal(addressOfPlace("contacts/show"), "/modules/crm?page=contacts/show");
  equal(addressOfPlace("weather/show"), "/modules?page=weather/show");
  deepEqual(PAGES.filter((path) => !addressOfPlace(path).startsWith("/modules/")), []);
});

Deno.test("places: a page's path says how it is laid out and what it is called", () => {
  deepEqual(["contacts/index", "tasks/show", "tasks/edit"].map(layoutOf), ["list", "record", "form"]);
  equal(nameOfPage("sales_orders/show"), "Sales orders, one of them");
  equal(nameOfPage("reports/weekly"), "Reports, weekly");
});

Deno.test("places: an app is moved by its position, beside others that may share one", () => {
  const others = [{ name: "Alpha", position: 0 }, { name: "Gamma", position: 0 }, { name: "Last", position: 5 }];
  const indexAt = (name: string, index: number) =>
    ordered([...others, { name, position: positionAt(others, name, index) }]).findIndex((one) => one.name === name);
  deepEqual([0, 1, 2, 3].map((index) => indexAt("Beta", index)), [0, 1, 2, 3]);
  equal(indexAt("Zeta", 1), 0, "no room between two of one position for a later name");
  equal(positionAt([], "Alone", 0), 0);
});
