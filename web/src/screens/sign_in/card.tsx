import type { ReactNode } from 'react';
import { Logo } from '@/shell/logo';
import styles from './card.module.css';

/** One card in the middle of an otherwise empty page. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles.page}>
      <section className={`card ${styles.card}`}>
        <div className={styles.brand}><Logo /> lade</div>
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
