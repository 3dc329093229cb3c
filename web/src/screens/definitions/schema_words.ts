type Node = { properties?: Record<string, Node>; description?: string } & Record<string, unknown>;

/** All names that the schema of definitions knows, with what they mean; each once. */
export function wordsOf(schema: unknown): { label: string; info?: string }[] {
  const found = new Map<string, string>();
  const visit = (node: unknown): void => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    const { properties, ...rest } = node as Node;
    for (const [name, property] of Object.entries(properties ?? {})) {
      if (!found.get(name)) found.set(name, property?.description ?? '');
      visit(property);
    }
    Object.values(rest).forEach(visit);
  };
  visit(schema);
  return [...found].map(([label, info]) => (info ? { label, info } : { label })).toSorted((a, b) => a.label.localeCompare(b.label));
}
