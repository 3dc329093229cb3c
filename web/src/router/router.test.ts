import { describe, expect, it } from 'vitest';
import { matchPath, withSearch } from './router';

describe('addresses', () => {
  it('finds what stands in their places', () => {
    expect(matchPath('/new/:draft?/:step?', '/new')).toEqual({});
    expect(matchPath('/new/:draft?/:step?', '/new/7/match')).toEqual({ draft: '7', step: 'match' });
    expect(matchPath('/imports/:id', '/imports')).toBeNull();
    expect(matchPath('/imports', '/imports/7')).toBeNull();
    expect(matchPath('/definitions/:slug', '/definitions/%E0')).toEqual({ slug: '%E0' });
  });
  it('changes filters and leaves empty ones out', () => {
    expect(withSearch({ status: 'failed', q: '' }, '/imports', '?q=x&row=1')).toBe('/imports?row=1&status=failed');
    expect(withSearch({ row: null }, '/imports', '?row=1')).toBe('/imports');
  });
});
