/** What the CRM board shows at first. Dates are relative to the day of the seed. */
import { dayAfter, type Records } from "../records.ts";

const PEOPLE: [name: string, company: string, position: string, phone: string][] = [
  ["Mira Sandvik", "Fjordline Ferries", "Head of fleet", "+47 55 01 22 40"],
  ["Tomasz Wilk", "Baltic Timber", "Purchasing", "+48 58 300 11 22"],
  ["Ines Carvalho", "Casa Azul Hotels", "Operations", "+351 21 340 80 12"],
  ["Jonas Keller", "Keller & Söhne", "Managing director", "+49 89 120 55 0"],
  ["Aoife Brennan", "Brennan Dairy", "Plant manager", "+353 21 488 20 10"],
  ["Lucia Ferri", "Ferri Marmi", "Sales", "+39 0585 77 41"],
  ["Henrik Dahl", "Nordlys Energy", "Grid planning", "+45 33 14 90 00"],
  ["Sofie Claes", "Claes Bakeries", "Owner", "+32 9 225 61 70"],
];

const DEALS: [title: string, contact: number, value: number, stage: string, owner: string, closes_in: number][] = [
  ["Route planning for 14 vessels", 0, 48_000, "lead", "Noor", 62],
  ["Moisture sensors, hall 3", 1, 9_400, "lead", "Theo", 40],
  ["Spare parts contract", 3, 6_200, "lead", "Noor", 75],
  ["Housekeeping rota for nine houses", 2, 21_500, "qualified", "Ada", 33],
  ["Cold chain alarms", 4, 17_800, "qualified", "Theo", 28],
  ["Substation inspection log", 6, 64_000, "proposal", "Ada", 21],
  ["Block tracking by photo", 5, 12_900, "proposal", "Noor", 18],
  ["Night shift handover", 4, 8_600, "proposal", "Theo", 12],
  ["Quote desk for three branches", 3, 32_000, "negotiation", "Ada", 6],
  ["Oven maintenance calendar", 7, 5_400, "negotiation", "Noor", -2],
  ["Harbour fees, one ledger", 0, 27_300, "won", "Ada", -9],
  ["Flour orders by phone", 7, 3_900, "won", "Theo", -15],
];

const HISTORY: [deal: number, kind: "note" | "moved", text: string, who: string][] = [
  [11, "moved", "negotiation → won", "Theo"],
  [10, "moved", "negotiation → won", "Ada"],
  [3, "note", "They have two more houses opening in spring. Quote for eleven.", "Ada"],
  [9, "note", "Waiting for the signature of the second oven's lease.", "Noor"],
  [8, "moved", "proposal → negotiation", "Ada"],
  [5, "moved", "qualified → proposal", "Ada"],
  [0, "note", "Met Mira at the harbour fair. Calls back after the dry dock.", "Noor"],
];

export const records: Records = (today) => ({
  crm_contacts: PEOPLE.map(([name, company, position, phone]) => ({
    name,
    company,
    position,
    phone,
    email: mail(name, company),
  })),
  crm_deals: DEALS.map(([title, contact, value, stage, owner, closes_in], place) => ({
    title,
    company: PEOPLE[contact]?.[1],
    contact: PEOPLE[contact]?.[0],
    value,
    stage,
    place,
    owner,
    closes_on: dayAfter(today, closes_in),
  })),
  crm_activity: ({ crm_deals = [] }) =>
    HISTORY.flatMap(([index, kind, text, who]) => {
      const deal = crm_deals[index];
      return deal === undefined ? [] : [{ deal, kind, text, who }];
    }),
});

/** The ending `.example` belongs to no one. */
const mail = (name: string, company: string) => `${slug(name.split(" ")[0] ?? "")}@${slug(company)}.example`;
const slug = (text: string) => text.toLowerCase().normalize("NFD").replace(/[^a-z]/g, "");
