export function Logo() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d="M1.5 12.5h17l-2.3 4.2a1.5 1.5 0 0 1-1.3.8H5.1a1.5 1.5 0 0 1-1.3-.8z" fill="var(--accent-fill)" />
      <rect x="4" y="7.5" width="3.6" height="3.6" fill="var(--text-3)" />
      <rect x="8.3" y="7.5" width="3.6" height="3.6" fill="var(--text-2)" />
      <rect x="12.6" y="7.5" width="3.6" height="3.6" fill="var(--text-3)" />
      <rect x="8.3" y="3" width="3.6" height="3.6" fill="var(--accent-fill)" />
    </svg>
  );
}
