import { type Controller, defineController, done, on } from '@flotilla/kube';
import { filter, map } from 'rxjs';
import { ensure, type SystemObject, type SystemObjectsOptions } from '../system-objects/system-objects.ts';
import type { ControllerContext } from './context.ts';

/** Keeps the objects that lead to this server, and those of flow control, as they are meant to be. */
export function systemObjectsController(
  { feed }: ControllerContext,
  options: Omit<SystemObjectsOptions, 'registry'>,
  kept: readonly SystemObject[],
): Controller {
  const byId = new Map(kept.map((one) => [`${one.storage} ${one.key}`, one]));
  const changed = feed.pipe(
    map(({ storage, change }) => `${storage} ${change.key}`),
    filter((id) => byId.has(id)),
  );
  return defineController({
    name: 'system-objects',
    watches: [on(changed)],
    async reconcile(id) {
      const wanted = byId.get(id);
      if (wanted) ensure(options, wanted);
      return done;
    },
  });
}
