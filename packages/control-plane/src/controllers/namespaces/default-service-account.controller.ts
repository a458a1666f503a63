import { type Controller, defineController, done, on } from '@flotilla/kube';
import { namespaces, serviceAccounts } from '@flotilla/kube/kinds';
import type { ControllerContext } from '../context.ts';
import { createIn } from './create-in.ts';

const name = 'default';

/** Every namespace has a service account `default`, for pods that name none. */
export function defaultServiceAccounts({ informers }: ControllerContext): Controller {
  const spaces = informers.resource(namespaces);
  const accounts = informers.resource(serviceAccounts, { fieldSelector: `metadata.name=${name}` });
  return defineController({
    name: 'default-service-account',
    watches: [on(spaces), on(accounts, ({ metadata }) => metadata?.namespace)],
    async reconcile(namespace) {
      const space = spaces.get(namespace);
      if (!space || space.metadata?.deletionTimestamp || accounts.has(`${namespace}/${name}`)) return done;
      await createIn(accounts, { metadata: { namespace, name } });
      return done;
    },
  });
}
