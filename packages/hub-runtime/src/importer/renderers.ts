import { ConfigMapName, DataKey, KubeconfigName, NamespaceName, SecretName } from '@flotilla/api-types';
import {
  type GivenValues,
  type KlusterletChartValues,
  klusterletDefaults,
  klusterletValuesSchema,
  mergeValues,
  valuesErrors,
} from '@flotilla/install/chart';
import { type ClusterAccess, type KubeClient, KubeError } from '@flotilla/kube';
import { configMaps, createToken, secrets } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { parseClusterInfo } from '@flotilla/registration-core/kube-hub';
import { parse } from 'yaml';

/** How klusterlets are rendered for clusters that are imported. */
export interface RenderOptions {
  /** The hub as clusters reach it; empty: what kube-public/cluster-info says. */
  readonly hubApiserverUrl: string;
  /** Of the operator on the cluster; empty: that of this version. */
  readonly agentImage: string;
  /** `namespace/name` of the account whose tokens let clusters request to join. */
  readonly bootstrapServiceaccount: string;
  /** In this order; the later ones win. */
  readonly importRenderers: readonly string[];
  /** Of the hub, with the image pull secret. */
  readonly namespace: string;
}

/** Adds values of the chart `klusterlet` for a cluster. */
export type Renderer = (hub: KubeClient, cluster: string) => Promise<GivenValues<KlusterletChartValues>>;

const daySeconds = 24 * 3600;

/** The renderers that the options name. Throws on a name that does not exist, with OCM's words. */
export function renderersOf(options: RenderOptions): Renderer[] {
  const automatic = [bootstrapValues(options), imageValues(options), pullSecretValues(options)];
  const named: Readonly<Record<string, readonly Renderer[]>> = {
    'render-auto': automatic,
    'render-from-config-secret': [configSecretValues],
  };
  if (options.importRenderers.length === 0) return automatic;
  return options.importRenderers.flatMap((name) => {
    if (Object.hasOwn(named, name)) return named[name] ?? [];
    throw new KubeError('Config', `unknown importer renderer ${name}`, {
      hint: `--import-renderers takes ${Object.keys(named).join(' and ')}.`,
    });
  });
}

/** The values of the chart for a cluster, of all renderers. */
export async function valuesFor(
  hub: KubeClient,
  cluster: string,
  renderers: readonly Renderer[],
): Promise<KlusterletChartValues> {
  const base: GivenValues<KlusterletChartValues> = {
    replicaCount: 1,
    klusterlet: { create: true, clusterName: cluster, resourceRequirement: { type: 'Default' } },
  };
  const rendered: GivenValues<KlusterletChartValues>[] = [];
  for (const renderer of renderers) rendered.push(await renderer(hub, cluster));
  return mergeValues(klusterletDefaults, base, ...rendered);
}

const bootstrapValues =
  ({ hubApiserverUrl, bootstrapServiceaccount }: RenderOptions): Renderer =>
  async (hub) => {
    const { token } = await createToken(hub, bootstrapServiceaccount, { expirationSeconds: daySeconds });
    const published = await publishedHub(hub);
    const server = hubApiserverUrl || published.server;
    if (!server) {
      throw new KubeError('Config', 'the address of this hub is not known', {
        hint: 'Give --hub-apiserver-url, or create the ConfigMap kube-public/cluster-info.',
      });
    }
    const access: ClusterAccess = {
      server,
      ...(published.ca && { ca: published.ca }),
      authorization: `Bearer ${token}`,
      origin: 'importer',
    };
    const { BootstrapCluster, BootstrapUser } = KubeconfigName;
    const names = { cluster: BootstrapCluster, user: BootstrapUser, context: BootstrapUser, namespace: 'default' };
    return { bootstrapHubKubeConfig: formatKubeconfig(kubeconfigFor(access, names)) };
  };

/** What the hub publishes about itself. The CA of its pods serves where nothing else does. */
async function publishedHub(hub: KubeClient): Promise<{ server?: string; ca?: string }> {
  const handle = hub.resource(configMaps);
  const info = await handle.find(`${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`);
  const text = info?.data?.[DataKey.Kubeconfig];
  if (text !== undefined) {
    const { server, caData } = parseClusterInfo(text);
    return { ...(server && { server }), ...(caData && { ca: Buffer.from(caData, 'base64').toString('utf8') }) };
  }
  if (info) return {};
  const ca = (await handle.find(`${NamespaceName.KubePublic}/${ConfigMapName.RootCa}`))?.data?.[DataKey.RootCa];
  return ca ? { ca } : {};
}

const imageValues =
  ({ agentImage }: RenderOptions): Renderer =>
  async () =>
    agentImage ? { images: { overrides: { operatorImage: agentImage } } } : {};

const pullSecretValues =
  ({ namespace }: RenderOptions): Renderer =>
  async (hub) => {
    const found = await hub.resource(secrets).find(`${namespace}/${SecretName.ImagePullCredentials}`);
    const dockerConfigJson = decode(found?.data?.[DataKey.DockerConfigJson]);
    return dockerConfigJson ? { images: { imageCredentials: { createImageCredentials: true, dockerConfigJson } } } : {};
  };

const configSecretValues: Renderer = async (hub, cluster) => {
  const origin = `Secret ${cluster}/${SecretName.ClusterImportConfig}`;
  const found = await hub.resource(secrets).find(`${cluster}/${SecretName.ClusterImportConfig}`);
  const hint = `Create it with values of the chart klusterlet under the key ${DataKey.ChartValues}.`;
  if (!found) throw new KubeError('Config', `${origin} does not exist`, { hint });
  const text = decode(found.data?.[DataKey.ChartValues]);
  if (text === undefined) throw new KubeError('Config', `${origin} has no key ${DataKey.ChartValues}`, { hint });
  return parseValues(text, origin);
};

async function parseValues(text: string, origin: string): Promise<GivenValues<KlusterletChartValues>> {
  let values: GivenValues<KlusterletChartValues> | null;
  try {
    values = parse(text);
  } catch (cause) {
    throw new KubeError('Config', `${DataKey.ChartValues} of ${origin} is not YAML`, {
      cause,
      hint: 'Correct the Secret.',
    });
  }
  const errors = valuesErrors(values ?? {}, await klusterletValuesSchema());
  if (errors.length > 0) {
    throw new KubeError('Config', `${DataKey.ChartValues} of ${origin}: ${errors.join('; ')}`, {
      hint: 'Correct the Secret; the values are those of the chart klusterlet.',
    });
  }
  return values ?? {};
}

const decode = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
