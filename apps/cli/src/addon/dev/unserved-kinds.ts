import { clusterManagementAddOns } from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';

/** Time for a kind that something else installs. */
const graceMs = 5000;

interface UnservedKindsInput {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly report: (line: string) => void;
}

/** Reports the kinds of configuration that the hub still does not serve after some seconds: their add-ons wait for them. */
export function followUnservedKinds(input: UnservedKindsInput): Disposable {
  const end = new AbortController();
  const { clock, report } = input;
  clock
    .sleep(graceMs, end.signal)
    .then(() => reportUnserved(input))
    .catch((error: Error) => {
      if (!end.signal.aborted) report(`the kinds that the hub serves cannot be read: ${error.message}`);
    });
  return { [Symbol.dispose]: () => end.abort() };
}

async function reportUnserved({ client, report }: UnservedKindsInput): Promise<void> {
  const { items } = await client.resource(clusterManagementAddOns).list();
  client.mapper.invalidate();
  for (const { metadata, spec } of items) {
    for (const { group, resource } of spec?.defaultConfigs ?? []) {
      const kind = `${resource}.${group}`;
      if (await isServed(client, kind)) continue;
      report(
        `${metadata?.name} waits: the hub does not serve ${kind}. Give config.of() its CustomResourceDefinition as definition, or apply it to the hub.`,
      );
    }
  }
}

async function isServed({ mapper }: KubeClient, kind: string): Promise<boolean> {
  try {
    await mapper.byName(kind);
    return true;
  } catch (error) {
    if (KubeError.is(error, 'UnknownKind')) return false;
    throw error;
  }
}
