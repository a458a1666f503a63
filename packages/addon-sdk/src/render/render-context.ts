import { type AddOnDeploymentConfig, addOnDeploymentConfigs, SecretName } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { AddonContext, RenderContext } from '../definition/context.ts';
import { annotationValues } from './annotation-values.ts';
import { resourcesOf } from './container-resources.ts';
import { clusterRegistries, overrideImage } from './images.ts';
import { proxyEnv } from './proxy.ts';

/** The deployment config of a cluster, if the definition declares that kind and the cluster references one. */
export function deploymentConfigOf(
  { configs: declarations = {} }: Pick<AddonDefinition, 'configs'>,
  { configs }: Pick<AddonContext, 'configs'>,
): AddOnDeploymentConfig | undefined {
  const { group, plural } = addOnDeploymentConfigs;
  const name = Object.keys(declarations).find((key) => {
    const type = declarations[key]?.type;
    return type?.group === group && type.plural === plural;
  });
  const found: KubeObject | readonly KubeObject[] | undefined = name === undefined ? undefined : configs[name];
  const first = Array.isArray(found) ? found[0] : found;
  // Declared with the kind of this type.
  return first as AddOnDeploymentConfig | undefined;
}

/** What `render` is given. */
export function renderContext(
  definition: AddonDefinition,
  context: AddonContext,
  installNamespace: string,
): RenderContext {
  const { addon, cluster, host, mode } = context;
  const spec = deploymentConfigOf(definition, context)?.spec;
  const addOn = definition.name;
  return {
    ...context,
    addonName: addOn,
    clusterName: cluster.metadata?.name ?? '',
    installNamespace,
    secrets: {
      hubKubeconfig: SecretName.AddOnHubKubeconfig.of({ addOn }),
      managedKubeconfig: SecretName.AddOnManagedKubeconfig.of({ addOn }),
    },
    image(reference, { at } = {}) {
      const own = overrideImage(reference, spec?.registries ?? []);
      if (own !== reference) return own;
      const target = mode === 'Hosted' && at !== 'managed' ? host : cluster;
      return target ? overrideImage(reference, clusterRegistries(target)) : reference;
    },
    resources: (containerId) => resourcesOf(spec?.resourceRequirements, containerId),
    proxyEnv: () => proxyEnv(spec?.proxyConfig),
    podDefaults: () => {
      const { nodeSelector, tolerations } = spec?.nodePlacement ?? {};
      return { ...(nodeSelector && { nodeSelector }), ...(tolerations && { tolerations }) };
    },
    variables: () => Object.fromEntries((spec?.customizedVariables ?? []).map(({ name, value = '' }) => [name, value])),
    values: () => annotationValues(addon),
  };
}
