import { Component, type ErrorInfo, type ReactNode } from 'react';
import { t } from '@/strings/general';
import { Button } from './button';

interface Props {
  /** another value shows the children anew */
  resetKey: string;
  children: ReactNode;
}

/** Keeps a fault of one screen from taking the page with it. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override componentDidUpdate(before: Props): void {
    if (before.resetKey !== this.props.resetKey && this.state.error) this.setState({ error: null });
  }

  override render(): ReactNode {
    if (!this.state.error) return this.props.children;
    return (
      <div className="page" role="alert">
        <h1>{t('brokenTitle')}</h1>
        <p className="dim">{t('brokenDetail')}</p>
        <pre>{this.state.error.message}</pre>
        <div><Button onClick={() => this.setState({ error: null })}>{t('tryAgain')}</Button></div>
      </div>
    );
  }
}
