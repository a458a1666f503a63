import { type Controller, defineController, done, on } from '@flotilla/kube';
import { filter, map } from 'rxjs';
import { ensure, type SystemObject, type SystemObjectsOptions } from '../system-objects/system-objects.ts';
import type { ControllerContext } from './context.ts';

/** Keeps the objects that lead to this server, and those of flow control, as they are meant to be. */
export function systemObjectsController(
  { feed }: ControllerContext,
  options: Omit<SystemObjectsOptions, 'registry'>,
  kept: () => readonly SystemObject[],
): Controller {
  const idOf = ({ storage, key }: SystemObject): string => `${storage} ${key}`;
  const ids = new Set(kept().map(idOf));
  const changed = feed.pipe(
    map(({ storage, change }) => `${storage} ${change.key}`),
    filter((id) => ids.has(id)),
  );
  return defineController({
    name: 'system-objects',
    watches: [on(changed)],
    async reconcile(id) {
      const wanted = kept().find((one) => idOf(one) === id);
      if (wanted) ensure(options, wanted);
      return done;
    },
  });
}
