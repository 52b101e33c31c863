import { deepEqual, equal } from "node:assert/strict";
import { addressOfPlace, layoutOf, MODULES, nameOfPage, PAGES } from "./places.ts";

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
