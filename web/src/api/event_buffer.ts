export interface LiveEvent {
  id: string;
  kind: string;
  data: unknown;
}

/** More than this is not worth keeping for a page that nobody looks at: what it shows is asked for anew. */
export const kMostUnseen = 200;

/** What a stream has said and the page has not shown yet. A page in sight takes it every second; one that is hidden keeps only so much. */
export class EventBuffer {
  private events: LiveEvent[] = [];
  private missed = false;

  add(event: LiveEvent, hidden: boolean): void {
    if (hidden && this.events.length >= kMostUnseen) {
      this.events = [];
      this.missed = true;
    }
    // What came before it is not known any more, so it says nothing either.
    if (hidden && this.missed) return;
    this.events.push(event);
  }

  /** Everything since the last time; `missed`: there was more, and only the server knows it. */
  take(): { events: LiveEvent[]; missed: boolean } {
    const taken = { events: this.events, missed: this.missed };
    this.events = [];
    this.missed = false;
    return taken;
  }
}
