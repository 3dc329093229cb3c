// Browsers cap the height of an element (about 17.9 million px in Firefox, 33.5 million in Chromium), so from 500,000 rows on
// the place of the scrollbar stands for a row instead of being a real height.
export const kMappedFrom = 500_000;

export interface ScrollMap {
  /** height of the element that is scrolled */
  height: number;
  /** from the scrollbar's place to px in the list as if it had its real height */
  toOffset: (top: number) => number;
  toTop: (offset: number) => number;
  /** how far one can scroll, in px of the list */
  furthest: number;
  mapped: boolean;
}

export function scrollMap(rows: number, rowHeight: number, view: number): ScrollMap {
  const real = rows * rowHeight;
  const furthest = Math.max(real - view, 0);
  const height = Math.min(real, kMappedFrom * rowHeight);
  const way = Math.max(height - view, 0);
  const mapped = real > height;
  const clamp = (value: number, most: number) => Math.min(Math.max(value, 0), most);
  return {
    height,
    furthest,
    mapped,
    toOffset: (top) => (mapped && way > 0 ? clamp((top / way) * furthest, furthest) : clamp(top, furthest)),
    toTop: (offset) => (mapped && furthest > 0 ? (clamp(offset, furthest) / furthest) * way : clamp(offset, furthest)),
  };
}
