import type { UpdateRule } from './update-rules.ts';

/** Removes the finalizer of an empty namespace from its spec; nothing else changes here. */
export const finalizeUpdate: UpdateRule = (next, old) => {
  const { finalizers = [] } = (next.spec ?? {}) as { finalizers?: string[] };
  const { finalizers: _, ...spec } = (old.spec ?? {}) as { finalizers?: string[] };
  return {
    ...old,
    metadata: next.metadata ?? {},
    spec: finalizers.length > 0 ? { ...spec, finalizers } : spec,
  };
};
