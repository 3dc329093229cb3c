import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { navigate } from './router';

/** Lets the page follow a plain click itself; all other clicks (new tab, new window) are the browser's. */
export function followInPage(event: MouseEvent<HTMLAnchorElement>): void {
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const anchor = event.currentTarget;
  if (!plain || event.defaultPrevented || (anchor.target && anchor.target !== '_self') || anchor.hasAttribute('download')) return;
  event.preventDefault();
  navigate(anchor.pathname + anchor.search);
}

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  to: string;
}

export function Link({ to, onClick, ...rest }: Props) {
  return (
    <a
      href={to}
      onClick={(event) => {
        onClick?.(event);
        followInPage(event);
      }}
      {...rest}
    />
  );
}
