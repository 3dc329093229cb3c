// Ages are counted with the server's clock: a local clock that is wrong would make every age wrong.
let offset = 0;
let closest = Number.POSITIVE_INFINITY;

/**
 * Learns from an answer how far the server's clock is from this one. `asked` and `answered` are local times; the quickest answer
 * says most, because less time passed on its way.
 */
export function learnServerTime(server: string | null, asked: number, answered: number): void {
  if (!server) return;
  const time = Date.parse(server);
  const taken = answered - asked;
  if (Number.isNaN(time) || taken > closest) return;
  closest = taken;
  // The header has whole seconds, cut off: half a second is the best guess at the rest.
  const rest = /T.*\.\d/.test(server) ? 0 : 500;
  const found = time + rest - (asked + answered) / 2;
  // Within the resolution of the header there is nothing to correct.
  offset = Math.abs(found) < 1000 ? 0 : found;
}

export const serverNow = (): number => Date.now() + offset;
