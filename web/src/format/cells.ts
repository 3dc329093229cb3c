// Values from files are text, shown as they are. What cannot be seen gets a sign: tab ␉, line feed ␊, carriage return ␍, NUL ␀ and
// the other control characters by their pictures, spaces at either end as a middle dot.
export function visible(value: string): string {
  const pictured = value.replace(/[\u0000-\u001f\u007f]/g, (one) => (one === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + one.charCodeAt(0))));
  return pictured.replace(/^ +| +$/g, (spaces) => '·'.repeat(spaces.length));
}

/** An import's id as people see it: the first 12 digits of the UUID. */
export const shortId = (uuid: string): string => uuid.slice(0, 13);

/** The first 12 digits of a checksum. */
export const shortHash = (sha256: string): string => sha256.slice(0, 12);

/** JB for Jana Brandt, or for jana.brandt@example.com. */
export function initials(name: string): string {
  const words = name.replace(/@.*/, '').split(/[\s._-]+/).filter(Boolean);
  const letters = words.length > 1 ? words[0]![0]! + words.at(-1)![0]! : (words[0] ?? '?').slice(0, 2);
  return letters.toUpperCase();
}
