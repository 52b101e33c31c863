/** The dialog of a new database: faults at their fields, and a code where the name gives one that is taken. */
import type { Page } from "../packages/playwright.ts";

/** Makes two databases with this name, from the list of databases. */
export async function makesDatabases(
  page: Page,
  base: string,
  { name, code }: { name: string; code: string },
): Promise<void> {
  await page.locator("body").press("n");
  const dialog = page.getByRole("dialog", { name: "New database" });
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByLabel("Name of field 2").fill("n");
  await dialog.getByLabel("Type of field 2").selectOption("integer");
  const third = dialog.getByLabel("Name of field 3");
  for (const [typed, fault] of [["n", "There is n already."], ["2nd", "2nd: a name is a letter"]] as const) {
    await third.fill(typed);
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("listitem").nth(2).getByText(fault).waitFor();
    await dialog.locator("[aria-label='Name of field 3'][aria-invalid=true]:focus").waitFor();
  }
  await third.fill("note");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("There are no records yet.").waitFor();

  // Another one with this name needs a code of its own.
  await page.goto(`${base}/data?new`);
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Code has already been taken").waitFor();
  await dialog.locator("[aria-invalid=true]:focus").and(dialog.getByLabel("Code")).waitFor();
  await dialog.getByLabel("Code").fill(`${code}_2`);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(`${base}/data/${code}_2/records`);
}
