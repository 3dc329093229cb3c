/** Text that was not saved, kept in this browser so that neither a reload nor the end of a session loses it. */
export interface Kept {
  text: string;
  /** the version that it was made from */
  version: number;
  at: string;
}

const keyOf = (slug: string): string => `lade.definition.${slug}`;

export function keptText(slug: string): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(slug)) ?? 'null') as Kept | null;
    return kept && typeof kept.text === 'string' ? kept : null;
  } catch {
    return null;
  }
}

export function keepText(slug: string, kept: Kept | null): void {
  try {
    if (kept) localStorage.setItem(keyOf(slug), JSON.stringify(kept));
    else localStorage.removeItem(keyOf(slug));
  } catch {
    // A browser that keeps nothing: the text stays on the page.
  }
}
