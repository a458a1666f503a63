import { type Controller, defineController, done, type KubeClient, on } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { from } from 'rxjs';
import type { ControllerContext } from '../context.ts';
import { createIn } from './create-in.ts';

/** Namespaces that every cluster has. */
const systemNamespaces: readonly string[] = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Creates those that are not there; resolves when all are. */
export async function createSystemNamespaces(client: Pick<KubeClient, 'resource'>): Promise<void> {
  const handle = client.resource(namespaces);
  for (const name of systemNamespaces) {
    if (!(await handle.find(name))) await createIn(handle, { metadata: { name } });
  }
}

/** Creates them again if one is removed. */
export function systemNamespaceController({ informers }: ControllerContext): Controller {
  const spaces = informers.resource(namespaces);
  return defineController({
    name: 'system-namespaces',
    watches: [on(spaces), on(from(systemNamespaces))],
    async reconcile(name) {
      if (systemNamespaces.includes(name) && !spaces.has(name)) await createIn(spaces, { metadata: { name } });
      return done;
    },
  });
}
