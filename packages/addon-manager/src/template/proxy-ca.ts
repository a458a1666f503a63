import { type AddOnDeploymentConfigSpec, ConfigMapName, MountPath, NamespaceName } from '@flotilla/api-types';
import type { EnvVar } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';
import type { Mount } from './inject.ts';
import { namespaceOf } from './manifest.ts';
import { workloadOf } from './workload.ts';

const key = 'ca-bundle.crt';

/** How the pods of an add-on find the CA of their proxy. */
export interface ProxyCa {
  readonly env: readonly EnvVar[];
  readonly mounts: readonly Mount[];
  /** The ConfigMaps with it, one in each namespace with pods of the add-on. */
  configMaps(manifests: readonly EmbeddedResource[], installNamespace: string): EmbeddedResource[];
}

/** The CA of a proxy, if there is one. Pods get it only with the address of a proxy, as in OCM. */
export function proxyCa(addOn: string, config: AddOnDeploymentConfigSpec['proxyConfig'], isProxied: boolean): ProxyCa {
  const { caBundle } = config ?? {};
  if (!caBundle) return { env: [], mounts: [], configMaps: () => [] };
  const name = ConfigMapName.AddOnProxyCa.of({ addOn });
  const mountPath = MountPath.AddOnProxyCaDirectory;
  return {
    env: isProxied ? [{ name: 'CA_BUNDLE_FILE_PATH', value: `${mountPath}/${key}` }] : [],
    mounts: isProxied ? [{ volume: { name: 'proxy-ca-bundle', configMap: { name } }, mountPath }] : [],
    configMaps: (manifests, installNamespace) =>
      namespacesWithPods(manifests, installNamespace).map((namespace) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
        data: { [key]: Buffer.from(caBundle, 'base64').toString('utf8') },
      })),
  };
}

/** OCM puts the ConfigMap into the default namespace, where pods of another one cannot mount it. */
function namespacesWithPods(manifests: readonly EmbeddedResource[], installNamespace: string): string[] {
  const found = manifests.filter(workloadOf).map((manifest) => namespaceOf(manifest) || 'default');
  return found.length > 0 ? [...new Set(found)] : [installNamespace || NamespaceName.AgentAddOn];
}
