import { type ClusterManager, clusterManagers, type Klusterlet, klusterlets } from '@flotilla/api-types';
import { definitionsToApply } from '@flotilla/install';
import {
  clusterManagerDefinitions,
  clusterManagerObjects,
  clusterManagerValuesSchema,
  klusterletDefinitions,
  klusterletObjects,
  klusterletValuesSchema,
  mergeValues,
} from '@flotilla/install/chart';
import type { KubeClient, ResourceHandle } from '@flotilla/kube';
import { cliOwner } from '../cluster/owner.ts';
import { ifServed } from '../cluster/served.ts';
import { type ChangesByObject, changesOfWrites, editOf, missingOf, perform } from '../cluster/writes.ts';
import type { CliContext } from '../context.ts';
import type { ImageOptions } from '../options/bundle.ts';
import { readValues } from '../options/values-file.ts';
import { disabledObjects } from './disabled-objects.ts';
import { imageValues } from './hub-values.ts';
import { imagesOf, withLiveRegistry } from './live-images.ts';
import { findOperator, isPriorityClass, isProgram, liveOperatorValues, withNamedValues } from './live-operator.ts';
import { release } from './release.ts';
import { refuseDowngrade, specFromValues } from './upgrade.policy.ts';

/** One of the two things that can be upgraded. */
export type UpgradeKind = 'clustermanager' | 'klusterlet';

/** What an upgrade is asked for. */
export interface UpgradeOptions extends ImageOptions {
  readonly valuesFile?: string;
  readonly force?: boolean;
}

/** What an upgrade does: nothing of it is done yet. */
export interface UpgradePlan {
  readonly kind: UpgradeKind;
  /** Of the operator. */
  readonly operator: 'cluster-manager' | 'klusterlet';
  readonly name: string;
  readonly found: ClusterManager | Klusterlet;
  /** What changes, by object. */
  readonly changes: ChangesByObject;
  apply(context: CliContext): Promise<void>;
}

const of = {
  clustermanager: {
    operator: 'cluster-manager',
    flag: '--cluster-manager-values-file',
    valuesKey: 'clusterManager',
    schema: clusterManagerValuesSchema,
    definitions: clusterManagerDefinitions,
    render: (values: object) => clusterManagerObjects(values, release),
  },
  klusterlet: {
    operator: 'klusterlet',
    flag: '--klusterlet-values-file',
    valuesKey: 'klusterlet',
    schema: klusterletValuesSchema,
    definitions: klusterletDefinitions,
    // Only the images of its Klusterlet are used, which may have its name from its credentials.
    render: (values: object) => klusterletObjects(mergeValues({ klusterlet: { clusterName: 'any' } }, values), release),
  },
} as const;

const handleOf = (client: KubeClient, kind: UpgradeKind): ResourceHandle<ClusterManager | Klusterlet> =>
  (kind === 'clustermanager' ? client.resource(clusterManagers) : client.resource(klusterlets)) as ResourceHandle<
    ClusterManager | Klusterlet
  >;

/** Plans an upgrade; undefined if there is nothing of that kind and name. */
export async function planUpgrade(
  client: KubeClient,
  kind: UpgradeKind,
  name: string,
  options: UpgradeOptions,
): Promise<UpgradePlan | undefined> {
  const { operator, flag, valuesKey, schema, definitions, render } = of[kind];
  const handle = handleOf(client, kind);
  const found = await ifServed(() => handle.find(name), undefined);
  if (!found) return undefined;
  const deployment = await findOperator(client, operator);
  const file = options.valuesFile ? await readValues<Record<string, unknown>>(flag, options.valuesFile, schema) : {};
  const { images } = await imageValues(options);
  const flags = { images: withLiveRegistry(images, found) };
  const values = withNamedValues(liveOperatorValues(deployment), flags, file);
  const rendered = render(values);
  const wanted = rendered.find((object) => object.kind?.toLowerCase() === kind);
  const spec = {
    ...imagesOf(wanted),
    ...specFromValues(file, valuesKey, { live: { ...found.spec } }),
  };
  const [image] = Object.values(imagesOf(wanted));
  const live = [...Object.values(imagesOf(found)), deployment?.spec?.template.spec?.containers[0]?.image];
  refuseDowngrade(live, image, options.force === true);
  const applied = [
    ...(await definitionsToApply(client, await definitions(), cliOwner)),
    ...(await missingOf(client, rendered.filter(isPriorityClass))),
    ...rendered.filter((object) => deployment && isProgram(object, operator)),
  ];
  const edit = editOf(
    handle,
    name,
    (live) => ({ ...live, spec: mergeValues<object>({ ...live.spec }, spec) }) as typeof live,
  );
  const writes = { applied, edit, removed: await disabledObjects(client, file, render) };
  return {
    kind,
    operator,
    name,
    found,
    changes: await changesOfWrites(client, writes, cliOwner),
    apply: ({ clock }) => perform(client, writes, { owner: cliOwner, clock }),
  };
}
