import { after, type Controller, defineController, done, on } from '@flotilla/kube';
import { readBootstrapToken, type StoredBootstrapToken, signatureChanges } from '@flotilla/kube/bootstrap-token';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import type { ControllerContext } from './context.ts';

const key = 'kube-public/cluster-info';

/** Signs `cluster-info` with every bootstrap token that may, so that holders of one know the cluster before they trust its CA. */
export function bootstrapSigner({ informers, clock }: ControllerContext): Controller {
  const tokens = informers.resource(secrets, {
    namespace: 'kube-system',
    fieldSelector: 'type=bootstrap.kubernetes.io/token',
  });
  const infos = informers.resource(configMaps, {
    namespace: 'kube-public',
    fieldSelector: 'metadata.name=cluster-info',
  });
  return defineController({
    name: 'bootstrap-signer',
    watches: [on(infos), on(tokens, () => key)],
    async reconcile() {
      const info = infos.get(key);
      if (!info) return done;
      const found = tokens.list().flatMap((token) => readBootstrapToken(token) ?? []);
      const now = clock.now();
      const data = signatureChanges(info.data, found, now);
      const { uid, resourceVersion } = info.metadata ?? {};
      if (data) await infos.patch(key, { type: 'merge', body: { metadata: { uid, resourceVersion }, data } });
      const end = nextEnd(found, now);
      return end === undefined ? done : after(end - now, 'a signature ends with its token');
    },
  });
}

/** When the next token ends. */
const nextEnd = (tokens: readonly StoredBootstrapToken[], now: number): number | undefined =>
  tokens
    .flatMap(({ expiresAt }) => (expiresAt !== undefined && expiresAt > now ? [expiresAt] : []))
    .sort((a, b) => a - b)[0];
