/** Time zones. */
import { TimetableFault } from "./timetable.ts";

const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/**
 * @returns how many minutes the zone is ahead of UTC at a moment, in milliseconds since 1970
 * @throws {TimetableFault} if this machine does not know the zone
 */
export function zoneOffsets(timezone: string): (moment: number) => number {
  if (timezone.length > 100 || !ZONE.test(timezone)) throw unknownZone();
  try {
    const format = new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" });
    return (moment) => {
      const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? "";
      const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
      return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    };
  } catch {
    throw unknownZone();
  }
}

/**
 * A moment as clocks of the zone show it: ISO 8601 in whole seconds, with the zone's offset. In UTC if this machine does
 * not know the zone.
 */
export function localTime(moment: Date, timezone: string): string {
  // Most triggers are in UTC, and a formatter is slow to create.
  const minutes = timezone === "UTC" ? 0 : offsetAt(moment, timezone);
  const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (number: number) => String(number).padStart(2, "0");
  return `${local}${minutes < 0 ? "-" : "+"}${two(hours)}:${two(rest)}`;
}

function offsetAt(moment: Date, timezone: string): number {
  try {
    return zoneOffsets(timezone)(moment.getTime());
  } catch (error) {
    if (error instanceof TimetableFault) return 0;
    throw error;
  }
}

const unknownZone = () => new TimetableFault("timezone", "is not the name of a time zone, such as Europe/Warsaw");
