/** What a token may be allowed, as the server names it; `*`: all that its user may. */
export const scopes = ['imports:read', 'imports:write', 'imports:review', 'definitions:read', 'definitions:write', 'queue:read', 'queue:write', 'admin', '*'] as const;
