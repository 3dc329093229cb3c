import { describe, expect, it } from 'vitest';
import { EventBuffer, kMostUnseen } from './event_buffer';

const fill = (buffer: EventBuffer, count: number, hidden: boolean) => {
  for (let at = 1; at <= count; at += 1) buffer.add({ id: String(at), kind: 'progress', data: null }, hidden);
};

describe('events that wait for the page', () => {
  it('keeps everything while the page is in sight', () => {
    const buffer = new EventBuffer();
    fill(buffer, kMostUnseen * 3, false);
    expect(buffer.take()).toMatchObject({ missed: false, events: { length: kMostUnseen * 3 } });
    expect(buffer.take()).toEqual({ missed: false, events: [] });
  });
  it('keeps a bounded number while it is hidden, and says that there was more', () => {
    const buffer = new EventBuffer();
    fill(buffer, kMostUnseen, true);
    expect(buffer.take()).toMatchObject({ missed: false, events: { length: kMostUnseen } });
    fill(buffer, kMostUnseen * 10, true);
    expect(buffer.take()).toEqual({ missed: true, events: [] });
    fill(buffer, 3, true);
    expect(buffer.take()).toMatchObject({ missed: false, events: { length: 3 } });
  });
});
