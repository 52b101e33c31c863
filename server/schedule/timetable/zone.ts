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

const unknownZone = () => new TimetableFault("timezone", "is not the name of a time zone, such as Europe/Warsaw");
