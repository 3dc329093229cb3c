import { useEffect, useRef, useSyncExternalStore } from 'react';
import { EventBuffer, type LiveEvent } from './event_buffer';
import { serverNow } from './server_time';

/** How the page learns what happens: `live` by a stream, `reconnecting` for a moment, `polling` when the stream stays away. */
export type Connection = 'idle' | 'live' | 'reconnecting' | 'polling';

const kPatience = 10_000;
const kPollEvery = 5_000;
const kRetryEvery = 3_000;
const kRenderEvery = 1_000;

interface State {
  connection: Connection;
  updatedAt: number;
}

let state: State = { connection: 'idle', updatedAt: serverNow() };
const listeners = new Set<() => void>();

function tell(change: Partial<State>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** For the dot in the top bar. */
export const useConnection = (): State => useSyncExternalStore(subscribe, () => state);

export type { LiveEvent } from './event_buffer';

interface Handlers {
  /** what came in since the last time, at most once a second; in a hidden tab only when it is shown again */
  onEvents: (events: LiveEvent[]) => void;
  /** asks the server for the state itself: after a reconnect, while there is no stream, and for a tab that was hidden for long */
  refresh: () => void;
}

interface Kind {
  /** the stream takes `after` and goes on where it broke off; others begin anew, and `refresh` covers what was missed */
  resumes: boolean;
}

/** One stream of events with its fallback; `close` ends it. */
class LiveStream {
  private source: EventSource | null = null;
  private readonly waiting = new EventBuffer();
  private lastId: string | null = null;
  private lost = 0;
  private timers: number[] = [];
  private readonly rendering: number;

  constructor(
    private readonly address: string,
    private readonly kinds: readonly string[],
    private readonly handlers: () => Handlers,
    private readonly kind: Kind,
  ) {
    this.rendering = window.setInterval(() => this.flush(), kRenderEvery);
    this.open();
  }

  close(): void {
    this.source?.close();
    this.source = null;
    window.clearInterval(this.rendering);
    for (const timer of this.timers) window.clearTimeout(timer);
    tell({ connection: 'idle' });
  }

  private open(): void {
    const separator = this.address.includes('?') ? '&' : '?';
    const source = new EventSource(this.kind.resumes && this.lastId ? `${this.address}${separator}after=${encodeURIComponent(this.lastId)}` : this.address);
    this.source = source;
    source.onopen = () => {
      const wasLost = this.lost > 0;
      this.lost = 0;
      tell({ connection: 'live', updatedAt: serverNow() });
      // No event may be needed to be right: what the server says now wins.
      if (wasLost) this.handlers().refresh();
    };
    source.onerror = () => this.lose();
    const take = (event: MessageEvent<string>) => {
      if (event.lastEventId) this.lastId = event.lastEventId;
      this.waiting.add({ id: event.lastEventId, kind: event.type, data: parse(event.data) }, document.hidden);
    };
    source.onmessage = take;
    for (const kind of this.kinds) source.addEventListener(kind, take);
  }

  private lose(): void {
    this.source?.close();
    this.source = null;
    if (this.lost === 0) this.lost = Date.now();
    const tooLong = Date.now() - this.lost > kPatience;
    tell({ connection: tooLong ? 'polling' : 'reconnecting' });
    if (tooLong) this.handlers().refresh();
    this.timers = [window.setTimeout(() => this.open(), tooLong ? kPollEvery : kRetryEvery)];
  }

  private flush(): void {
    if (document.hidden) return;
    const { events, missed } = this.waiting.take();
    if (events.length === 0 && !missed) return;
    tell({ updatedAt: serverNow() });
    if (missed) this.handlers().refresh();
    if (events.length > 0) this.handlers().onEvents(events);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Listens to a stream of events while the component is on the page; `address` null: to nothing. */
export function useLive(address: string | null, kinds: readonly string[], handlers: Handlers, { resumes }: Kind = { resumes: false }): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  const names = kinds.join(' ');
  useEffect(() => {
    if (!address) return;
    const stream = new LiveStream(address, names ? names.split(' ') : [], () => latest.current, { resumes });
    return () => stream.close();
  }, [address, names, resumes]);
}

/** For pages that ask again and again because there is no stream for what they show. */
export function noteRefresh(): void {
  if (state.connection === 'idle') tell({ updatedAt: serverNow() });
}
