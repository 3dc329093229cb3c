import { t } from '@/strings/import_page';

const kBar = 2;
const kGap = 1;
const kHeight = 18;

/** Where in the file: 40 parts from the first row to the last. */
export function Spread({ spread }: { spread: number[] }) {
  const most = Math.max(...spread, 1);
  const filled = spread.flatMap((count, at) => (count > 0 ? [t('part', { number: at + 1, count })] : []));
  const shown = filled.length > 8 ? [...filled.slice(0, 8), '…'] : filled;
  return (
    <svg width={spread.length * (kBar + kGap)} height={kHeight} role="img" aria-label={t('spreadLabel', { slots: spread.length, parts: shown.join(', ') })}>
      <line x1={0} x2={spread.length * (kBar + kGap)} y1={kHeight - 0.5} y2={kHeight - 0.5} stroke="var(--control)" strokeDasharray="1 2" />
      {spread.map((count, at) => {
        const height = count > 0 ? Math.max(3, Math.round((count / most) * (kHeight - 4))) : 0;
        return height > 0 ? <rect key={at} x={at * (kBar + kGap)} y={kHeight - height} width={kBar} height={height} fill="var(--grey-fill)" /> : null;
      })}
    </svg>
  );
}
