import { type ClusterManager, clusterManagers, type Klusterlet, klusterlets } from '@flotilla/api-types';
import { applyObjects, definitionsToApply } from '@flotilla/install';
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
import { isRecord, type KubeObject } from '@flotilla/schema';
import { cliOwner } from '../cluster/owner.ts';
import { ifServed } from '../cluster/served.ts';
import type { CliContext } from '../context.ts';
import type { ImageOptions } from '../options/bundle.ts';
import { readValues } from '../options/values-file.ts';
import { type Change, changesOf } from './changes.ts';
import { imageValues } from './hub-values.ts';
import { findOperator, liveOperatorValues } from './live-operator.ts';
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
  readonly changes: ReadonlyMap<string, readonly Change[]>;
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
    render: (values: object) => klusterletObjects(values, release),
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
  const values = mergeValues<object>(
    { ...liveOperatorValues(deployment), images: withLiveRegistry(images, found) },
    file,
  );
  const rendered = render(values);
  const wanted = rendered.find((object) => object.kind?.toLowerCase() === kind);
  const spec = {
    ...imagesOf(wanted),
    ...specFromValues(file[valuesKey], (found.spec ?? {}) as Record<string, unknown>),
  };
  const [image] = Object.values(imagesOf(wanted));
  const live = [...Object.values(imagesOf(found)), deployment?.spec?.template.spec?.containers[0]?.image];
  refuseDowngrade(live, image, options.force === true);
  const program = rendered.filter((object) => deployment && isProgram(object, operator));
  const target = { kind: found.kind ?? kind, metadata: found.metadata, spec };
  return {
    kind,
    operator,
    name,
    found,
    changes: await changesOfAll(client, [...program, target as KubeObject], found),
    async apply({ clock }) {
      const crds = await definitionsToApply(client, await definitions(), cliOwner);
      await applyObjects(client, [...crds, ...program], { owner: cliOwner, clock });
      await handle.patch(name, { type: 'merge', body: { spec } });
    },
  };
}

/** The operator with its rights; bootstrap access and secrets are not part of an upgrade. */
const isProgram = ({ kind = '', metadata }: KubeObject, operator: string): boolean =>
  ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Deployment'].includes(kind) && metadata?.name === operator;

/** The fields of a spec that name images. */
const imagesOf = (object: object | undefined): Record<string, string> => {
  const spec = object && 'spec' in object && isRecord(object.spec) ? object.spec : {};
  return Object.fromEntries(
    Object.entries(spec).filter(
      (entry): entry is [string, string] => /[iI]magePullSpec$/.test(entry[0]) && typeof entry[1] === 'string',
    ),
  );
};

/** Images stay in the registry that they come from, unless another one is named. */
function withLiveRegistry(images: object | undefined, found: object): object {
  if (images && 'registry' in images) return images;
  const [image = ''] = Object.values(imagesOf(found));
  const registry = /^(.+)\/(?:hub|agent|singleton)[:@]/.exec(image)?.[1];
  return { ...images, ...(registry && { registry }) };
}

async function changesOfAll(
  client: KubeClient,
  objects: readonly KubeObject[],
  found: KubeObject,
): Promise<ReadonlyMap<string, readonly Change[]>> {
  const changes = new Map<string, readonly Change[]>();
  for (const object of objects) {
    const live = await liveOf(client, object, found);
    const differences = live ? changesOf(live, object) : [{ field: '', from: undefined, to: 'created' }];
    if (differences.length > 0) changes.set(`${object.kind} ${object.metadata?.name}`, differences);
  }
  return changes;
}

async function liveOf(client: KubeClient, object: KubeObject, found: KubeObject): Promise<KubeObject | undefined> {
  const { apiVersion, kind = '', metadata } = object;
  if (!apiVersion) return found;
  const handle = await client.dynamic({ apiVersion, kind });
  const { namespace, name = '' } = metadata ?? {};
  return handle.find(namespace ? `${namespace}/${name}` : name);
}
