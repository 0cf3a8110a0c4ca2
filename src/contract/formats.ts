/** Defines the string formats of the contract for the compiled validators. */
import { UUID } from '../base/short-id.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

function isCalendarDay(match: RegExpMatchArray | null): boolean {
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Dates and timestamps are both accepted for either format. */
const dateOrTimestamp = (text: string): boolean =>
  isCalendarDay(text.match(DATE)) || isCalendarDay(text.match(DATE_TIME));

export const formats = {
  date: dateOrTimestamp,
  'date-time': dateOrTimestamp,
  uuid: UUID,
  ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
};
