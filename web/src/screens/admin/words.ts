/** Roles from least to most; each may what those before it may. */
export const roles = ['viewer', 'operator', 'reviewer', 'admin'] as const;
export type Role = (typeof roles)[number];
/** What can be chosen here; a project is given with the command line. */
export const sights = ['own', 'company'] as const;

/** A link to choose a password, as it is sent to somebody. */
export const wholeLink = (link: string): string => (/^https?:/.test(link) ? link : `${window.location.origin}${link.startsWith('/') ? link : `/welcome/${link}`}`);
