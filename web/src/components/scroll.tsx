import type { ReactNode } from 'react';

/** A wide table scrolls in its own box, which keys reach too. */
export function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return <div className="scrollX" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}
