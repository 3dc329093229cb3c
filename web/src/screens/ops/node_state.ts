import type { Overview } from '@/api/schema';

export type NodeFigures = Overview['nodes'][number];
type Beat = Pick<NodeFigures, 'beat_age_seconds' | 'draining'>;

// A node beats every few seconds: late is amber, and after the second limit its tasks go to others.
const kSilent = 6;
const kDead = 12;

export type NodeState = 'live' | 'silent' | 'dead' | 'draining';

export function nodeState(node: Beat): NodeState {
  const age = node.beat_age_seconds ?? 0;
  if (age >= kDead) return 'dead';
  if (age >= kSilent) return 'silent';
  return node.draining ? 'draining' : 'live';
}

export const nodeHue: Record<NodeState, 'green' | 'amber' | 'red' | 'violet'> = { live: 'green', silent: 'amber', dead: 'red', draining: 'violet' };
