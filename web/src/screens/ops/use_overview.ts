import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '@/api/live';
import type { Overview } from '@/api/schema';
import { keyOf, useCall } from '@/api/use_call';
import { useHeld } from '@/shell/hold';

const kEvery = 5_000;

/** The overview, figures by the stream and the rest every few seconds; held: nothing changes on the page. */
export function useOverview() {
  const client = useQueryClient();
  const held = useHeld();
  const query = useCall('overview.show', {}, { refetchInterval: held ? false : kEvery });
  useLive('/api/v1/events?topic=overview', ['overview', 'reset', 'hello'], {
    onEvents: (events) => {
      const last = events.findLast((event) => event.kind === 'overview');
      if (held || !last) return;
      client.setQueryData<Overview>(keyOf('overview.show'), (before) => before && { ...before, figures: last.data as Overview['figures'] });
    },
    refresh: () => void (held || client.invalidateQueries({ queryKey: ['overview.show'] })),
  });
  return { query, held };
}
