import { describe, expect, it } from 'vitest';
import { nodeState } from './node_state';

describe('state of a node', () => {
  it('goes by its last beat first', () => {
    expect(nodeState({ beat_age_seconds: 0.6, draining: false })).toBe('live');
    expect(nodeState({ beat_age_seconds: 6, draining: false })).toBe('silent');
    expect(nodeState({ beat_age_seconds: 12, draining: true })).toBe('dead');
    expect(nodeState({ beat_age_seconds: null, draining: true })).toBe('draining');
  });
});
