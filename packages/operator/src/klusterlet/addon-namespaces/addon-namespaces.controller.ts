import { ConfigMapName, ControllerName, Label, SecretName } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, on } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { keepCopy } from '../copies.ts';
import type { KlusterletDeps } from '../deps.ts';

/**
 * Copies the image pull secret and the TLS profile of the operator into namespaces that are labelled for add-ons. A change of either, or
 * of a copy, is followed at once. Copies in a namespace that loses the label stay, as in OCM.
 */
export function addOnNamespacesController({ informers, local, options }: KlusterletDeps): Controller {
  const labelled = informers.metadata(namespaces, { labelSelector: `${Label.AddOnInstallNamespace}=true` });
  const profiles = informers.resource(configMaps, { fieldSelector: `metadata.name=${ConfigMapName.TlsProfile}` });
  const concerned = ({ metadata }: KubeObject): string[] =>
    metadata?.namespace === options.namespace ? [...labelled.keys()] : [metadata?.namespace ?? ''];
  return defineController({
    name: ControllerName.AddOnNamespaceCopies,
    watches: [on(labelled), on(local.pullSecrets, concerned), on(profiles, concerned)],
    async reconcile(namespace) {
      const found = labelled.get(namespace);
      if (!found || isDeleting(found)) return done;
      const name = SecretName.ImagePullCredentials;
      await keepCopy(local.pullSecrets, local.pullSecrets.get(`${options.namespace}/${name}`), { namespace, name });
      const profile = ConfigMapName.TlsProfile;
      await keepCopy(profiles, profiles.get(`${options.namespace}/${profile}`), { namespace, name: profile });
      return done;
    },
  });
}
