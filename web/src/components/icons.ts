/** How icons of Tabler look here; the word beside them carries the meaning. */
export const icon = { size: 16, stroke: 1.6, 'aria-hidden': true, focusable: false } as const;
export const smallIcon = { ...icon, size: 14 } as const;
