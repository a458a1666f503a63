import type { Registry } from '../../contracts/resource-info.ts';

/** Makes a value from the registry when it is first asked for, and again only after the registry changed. */
export function perGeneration<T>(registry: Registry, make: () => T): () => T {
  let made: { readonly generation: number; readonly value: T } | undefined;
  return () => {
    const { generation } = registry;
    if (made?.generation !== generation) made = { generation, value: make() };
    return made.value;
  };
}
