import { preferences } from '@/theme/preferences';

const formats = new Map<string, Intl.NumberFormat>();

function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const locale = preferences().locale || undefined;
  const key = `${locale} ${JSON.stringify(options)}`;
  let found = formats.get(key);
  if (!found) formats.set(key, (found = new Intl.NumberFormat(locale ?? 'en', options)));
  return found;
}

/** Exact, with thousands as the person writes them. */
export const formatNumber = (value: number, decimals = 0): string =>
  format({ maximumFractionDigits: decimals, minimumFractionDigits: Number.isInteger(value) ? 0 : decimals }).format(value);

/** For axes and small places: 150k, 1.2M. */
export function formatShort(value: number): string {
  if (Math.abs(value) < 1000) return formatNumber(value);
  const [divisor, unit] = Math.abs(value) < 1e6 ? [1e3, 'k'] : Math.abs(value) < 1e9 ? [1e6, 'M'] : [1e9, 'G'];
  const scaled = value / divisor;
  return formatNumber(scaled, Math.abs(scaled) < 10 && scaled % 1 !== 0 ? 1 : 0) + unit;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** 9.4 MB, 812 B. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${formatNumber(value, unit > 0 && value < 100 ? 1 : 0)} ${units[unit]}`;
}

/** 61 %, 2.9 %, 0.03 %: as many decimals as it takes not to say 0 of something that is there. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return '';
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.01) return '< 0.01 %';
  const decimals = percent === 0 || percent >= 99.95 ? 0 : percent < 1 ? 2 : 1;
  return `${formatNumber(percent, decimals)} %`;
}

/** Whole percent that never says 100 before the end, nor 0 after the start. */
export function wholePercent(part: number, whole: number): number {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return 100;
  return Math.min(99, Math.max(1, Math.floor((part / whole) * 100)));
}
