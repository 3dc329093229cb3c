import { Tooltip } from '@mantine/core';
import { IconLoader2 } from '@tabler/icons-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { smallIcon } from './icons';
import styles from './button.module.css';

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  look?: 'main' | 'quiet' | 'danger' | undefined;
  small?: boolean | undefined;
  icon?: ReactNode;
  /** why it cannot be pressed; then it cannot, and says so on hover and to screen readers */
  disabledBecause?: string | false | null | undefined;
  /** works: a turning sign in the width the button has */
  pending?: boolean | undefined;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that says what it will do; one with numbers keeps its width while they change. */
export function Button({ look, small, icon, disabledBecause, pending, className, children, onClick, ref, ...rest }: Props) {
  const off = Boolean(disabledBecause) || pending;
  const button = (
    <button
      type="button"
      ref={ref}
      className={`btn ${look ?? ''} ${small ? 'smallBtn' : ''} ${!children && icon ? 'icon' : ''} ${pending ? styles.pending : ''} ${className ?? ''}`}
      aria-disabled={off || undefined}
      aria-busy={pending || undefined}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    >
      {icon}
      {children}
      {pending ? <span className={styles.spinner}><IconLoader2 {...smallIcon} className="turning" /></span> : null}
    </button>
  );
  return disabledBecause ? <Tooltip label={disabledBecause} events={{ hover: true, focus: true, touch: true }}>{button}</Tooltip> : button;
}
