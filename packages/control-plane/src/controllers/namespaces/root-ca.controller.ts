import { type Controller, defineController, done, on } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { mergeMap, NEVER, type Observable } from 'rxjs';
import type { ControllerContext } from '../context.ts';
import { createIn } from './create-in.ts';

const name = 'kube-root-ca.crt';
const annotations = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** The CA as it is, and when it changes. */
interface RootCa {
  readonly rootCa: () => string;
  readonly renewed?: Observable<void>;
}

/** Every namespace has the CA of the API server, so that pods can verify its certificate. */
export function rootCaPublisher({ informers }: ControllerContext, { rootCa, renewed = NEVER }: RootCa): Controller {
  const spaces = informers.resource(namespaces);
  const maps = informers.resource(configMaps, { fieldSelector: `metadata.name=${name}` });
  const afterRenewal = renewed.pipe(mergeMap(() => spaces.keys()));
  return defineController({
    name: 'root-ca-certificate-publisher',
    watches: [on(spaces), on(maps, ({ metadata }) => metadata?.namespace), on(afterRenewal)],
    async reconcile(namespace) {
      const space = spaces.get(namespace);
      if (!space || space.metadata?.deletionTimestamp) return done;
      const map = maps.get(`${namespace}/${name}`);
      const data = { 'ca.crt': rootCa() };
      if (!map) {
        await createIn(maps, { metadata: { namespace, name, annotations }, data });
      } else if (map.data?.['ca.crt'] !== data['ca.crt'] || Object.keys(map.data).length !== 1) {
        const metadata = { ...map.metadata, annotations: { ...map.metadata?.annotations, ...annotations } };
        await maps.replace({ ...map, metadata, data });
      }
      return done;
    },
  });
}
