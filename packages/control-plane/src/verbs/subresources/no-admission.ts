import type { Backend } from '../../contracts/backend.ts';

/** For writes that follow from a request which was admitted in another shape: a Scale, an Eviction. */
export const withoutAdmission = (backend: Backend): Backend => ({
  ...backend,
  admission: { mutate: async () => undefined, validate: async () => {}, recheck() {} },
});
