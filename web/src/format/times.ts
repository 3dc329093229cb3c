import { preferences } from '@/theme/preferences';
import { serverNow } from '@/api/server_time';
import { formatNumber } from './numbers';

const kSecond = 1000;
const kMinute = 60 * kSecond;
const kHour = 60 * kMinute;
const kDay = 24 * kHour;

/** Two units at most: 1 min 47 s, 3 h 12 min, 41 ms. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 0) return '0 s';
  if (milliseconds < kSecond) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10 * kSecond) return `${formatNumber(Math.round(milliseconds / 100) / 10, 1)} s`;
  const pairs: [number, string, number, string][] = [
    [kDay, 'd', kHour, 'h'],
    [kHour, 'h', kMinute, 'min'],
    [kMinute, 'min', kSecond, 's'],
  ];
  const rounded = Math.round(milliseconds / kSecond) * kSecond;
  for (const [large, largeName, small, smallName] of pairs) {
    if (rounded < large) continue;
    const rest = Math.floor((rounded % large) / small);
    return rest > 0 ? `${formatNumber(Math.floor(rounded / large))} ${largeName} ${rest} ${smallName}` : `${formatNumber(Math.floor(rounded / large))} ${largeName}`;
  }
  return `${Math.round(rounded / kSecond)} s`;
}

/** How long ago, in one unit: 3 min, 2 h, 12 d; "now" within five seconds. */
export function formatAge(time: string | number, now = serverNow()): string {
  const age = now - (typeof time === 'number' ? time : Date.parse(time));
  if (Number.isNaN(age) || age < 5 * kSecond) return 'now';
  if (age < kMinute) return `${Math.floor(age / kSecond)} s`;
  if (age < kHour) return `${Math.floor(age / kMinute)} min`;
  if (age < kDay) return `${Math.floor(age / kHour)} h`;
  return `${formatNumber(Math.floor(age / kDay))} d`;
}

const locale = (): string => preferences().locale || 'en-GB';

const clock = (time: string | number, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale(), options).format(new Date(time));

/** 10:38 */
export const formatClock = (time: string | number): string => clock(time, { hour: '2-digit', minute: '2-digit', hour12: false });
/** 10:38:04 */
export const formatClockSeconds = (time: string | number): string => clock(time, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
/** 14 Oct, with the year when it is another one */
export function formatDay(time: string | number): string {
  const year = new Date(time).getFullYear() === new Date(serverNow()).getFullYear() ? {} : ({ year: 'numeric' } as const);
  return clock(time, { day: 'numeric', month: 'short', ...year });
}
/** With the zone, for hovering: 14 October 2026, 10:38:04 CET */
export const formatExact = (time: string | number): string =>
  clock(time, { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false, timeZoneName: 'short' });
/** Today the clock, otherwise the day. */
export function formatWhen(time: string | number): string {
  const that = new Date(time);
  return that.toDateString() === new Date(serverNow()).toDateString() ? formatClock(time) : `${formatDay(time)} ${formatClock(time)}`;
}
