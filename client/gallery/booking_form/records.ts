/** The first two weeks of the booking form, some of them taken. Later days are opened by the flow `booking_open_days`. */
import { dayAfter, type Records } from "../records.ts";

const TIMES = ["09:00", "10:00", "11:00", "13:00", "14:00", "15:00", "16:00"];
const DAYS = 14;

const GUESTS: [slot: number, name: string, service: string, note: string][] = [
  [1, "Elif Yıldız", "Tune-up", "Cargo bike, needs the wide stand"],
  [3, "Piet Aerts", "Brakes and gears", "Squeaks when wet"],
  [4, "Hanna Lindqvist", "Wheel truing", ""],
  [8, "Marco Bellini", "Tune-up", ""],
  [9, "Grace Owusu", "Something else", "Child seat to be fitted"],
  [15, "Yusuf Demir", "Brakes and gears", ""],
  [19, "Nina Petrova", "Tune-up", "Collects after six"],
  [24, "Owen Rees", "Wheel truing", ""],
];

/** From tomorrow on, because today's times may be over. */
const slotsOf = (today: Date) =>
  Array.from({ length: DAYS - 1 }, (_, index) => dayAfter(today, index + 1))
    .filter((day) => new Date(day).getUTCDay() !== 0)
    .flatMap((day) => TIMES.map((time) => ({ day, time })));

export const records: Records = (today) => {
  const slots = slotsOf(today);
  const taken = new Set(GUESTS.map(([slot]) => slot));
  return {
    booking_slots: slots.map((slot, index) => ({ ...slot, state: taken.has(index) ? "taken" : "free" })),
    booking_requests: ({ booking_slots = [] }) =>
      GUESTS.flatMap(([index, name, service, note]) => {
        const [slot, time] = [booking_slots[index], slots[index]];
        if (slot === undefined || time === undefined) return [];
        const reference = `VW-${(0xa3f1c7 + index * 40_503).toString(16).toUpperCase()}`;
        return [{ ...time, slot, name, service, note, reference, email: mail(name), state: "booked" }];
      }),
  };
};

const mail = (name: string) =>
  `${name.split(" ")[0]?.toLowerCase().normalize("NFD").replace(/[^a-z]/g, "")}@post.example`;
