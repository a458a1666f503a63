import { SecretName } from '@flotilla/api-types';
import type { OperatedHub } from '@flotilla/install';
import { copiedSecrets, ensureData, ensureGone, type NamedObjects } from './named-objects.ts';

/** Copies Secrets from the namespace of the operator to that of the hub's programs. One that is not there any more goes there too. */
export async function copySecrets(
  objects: NamedObjects,
  hub: OperatedHub,
  { from, labels }: { readonly from: string; readonly labels: Readonly<Record<string, string>> },
): Promise<void> {
  for (const name of copiedSecrets) {
    const cache = objects.secret(name);
    const source = cache.get(`${from}/${name}`);
    const isNeeded = name !== SecretName.WorkDriverConfig || hub.workDriver.hasConfig;
    if (!source || !isNeeded) await ensureGone(cache, `${hub.namespace}/${name}`);
    else {
      const metadata = { namespace: hub.namespace, name, labels: { ...labels } };
      await ensureData(cache, {
        metadata,
        ...(source.type && { type: source.type }),
        ...(source.data && { data: source.data }),
      });
    }
  }
}
