/** Tokens and invitations are found by words; an admin's profile has only the admin's own tokens. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { addPerson, made } from "../stage/people.ts";
import type { TestServer } from "../stage/harness.ts";
import type { Seat } from "./seats.ts";

const SOME = 10;

export async function findsTokensAndInvitations(
  { request }: TestServer,
  base: string,
  { page, complaints }: Seat,
  name: string,
): Promise<void> {
  const person = await addPerson(request, "user", { name: `Owner of ${name}` });
  const token = async (more: Record<string, unknown>) =>
    made(await request("POST", "/account/tokens.json", { json: { token: more } }));
  for (let i = 0; i < SOME; i++) await token({ name: `${name} ${i}`, user_setting_id: person.id });
  await token({ name: `${name} of the admin` });
  const invite = async (email: string) =>
    made(
      await request("POST", "/account/invitations.json", { json: { invitation: { email, name: `${name} guest` } } }),
    );
  const emails = ["one", "two"].map((one) => `${one}-${crypto.randomUUID()}@people.test`);
  for (const email of emails) await invite(email);

  await page.goto(`${base}/account/tokens`);
  const filter = page.getByLabel("Filter by name or user");
  const items = page.getByRole("listitem").filter({ hasText: "last used" }).or(
    page.getByRole("listitem").filter({ hasText: "not used yet" }),
  );
  await filter.fill(`${name.toUpperCase()} 7`);
  await page.getByText(`${name} 6`).waitFor({ state: "detached" });
  deepEqual(await items.locator("b").allTextContents(), [`${name} 7`]);
  await filter.fill(`owner of ${name}`);
  await page.getByText(`${name} 6`).waitFor();
  equal(await page.getByText(`${name} of the admin`).count(), 0);
  await filter.fill("nothing is called so");
  await page.getByText("No token fits “nothing is called so”.").waitFor();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await page.getByText(`${name} of the admin`).waitFor();

  // The profile asks for the admin's own tokens, and reads no others.
  const asked: string[] = [];
  page.on("response", async (response) => {
    if (response.url().includes("tokens.list")) asked.push(await response.text());
  });
  await page.goto(`${base}/profile`);
  await page.getByText(`${name} of the admin`).waitFor();
  equal(asked.join("").includes(`${name} 7`), false);

  await page.goto(`${base}/people?tab=invitations`);
  await page.getByText(emails[0] ?? "").waitFor();
  await page.getByLabel("Filter by name or e-mail").fill((emails[1] ?? "").toUpperCase());
  await page.getByText(emails[0] ?? "").waitFor({ state: "detached" });
  await page.getByText(emails[1] ?? "").waitFor();
  equal(new URL(page.url()).searchParams.get("q"), emails[1]?.toUpperCase());
  await page.getByLabel("Filter by name or e-mail").fill("nobody has this");
  await page.getByText("No open invitation has this in its name or address.").waitFor();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await page.getByText(emails[0] ?? "").waitFor();
  await page.getByText(`${name} guest`).first().waitFor();
  deepEqual(complaints, []);
}

/** Describes what is wider than its box, beside what shows that it scrolls. */
const SIDEWAYS = `[...document.querySelectorAll(".body, .body *")]
  .filter((one) => one.tagName !== "PRE" && one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX))
  .map((one) => one.className)`;

/** A long title gives way, not the button beside it. */
export async function keepsItsButtons(base: string, { request }: TestServer, { page }: Seat): Promise<void> {
  const department = { name: "Very ".repeat(48).trim() };
  const { id } = made(await request("POST", "/account/departments.json", { json: { department } }));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${base}/departments/${id}`);
  const box = await page.getByRole("button", { name: /^Save/ }).boundingBox();
  ok(box && box.x + box.width <= 390, JSON.stringify(box));
  equal((await request("DELETE", `/account/departments/${id}.json`)).status, 204);
}

export async function fitsItsWidth(base: string, { page, complaints }: Seat): Promise<void> {
  await page.goto(`${base}/operations`);
  await page.getByRole("heading", { name: "Processes" }).waitFor();
  for (const width of [360, 768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const process = page.getByText(/^pid \d+$/);
    await process.waitFor();
    deepEqual(await page.evaluate(SIDEWAYS), [], `at ${width} px`);
    const labels = await page.getByText("Memory", { exact: true }).filter({ visible: true }).count();
    equal(labels > 0, width > 1_100, "the head of the table is shown where it fits");
  }
  deepEqual(complaints, []);
}
