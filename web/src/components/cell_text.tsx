import { visible } from '@/format/cells';

/** A value of a file: text, as it is, what cannot be seen by a sign. */
export function CellText({ value, className }: { value: string; className?: string }) {
  return <span className={`cellText ${className ?? ''}`} title={value.length > 24 ? visible(value) : undefined}>{visible(value)}</span>;
}
