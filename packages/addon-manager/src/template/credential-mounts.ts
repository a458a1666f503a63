import { type AddOnTemplateRegistration, MountPath, SecretName } from '@flotilla/api-types';
import type { Mount } from './inject.ts';

/** Where the pods of an add-on find the credentials that its template registers for. */
export const credentialMounts = (addOn: string, registrations: readonly AddOnTemplateRegistration[] = []): Mount[] =>
  registrations.flatMap(({ type, customSigner }): Mount[] => {
    if (type === 'KubeClient') {
      const secretName = SecretName.AddOnHubKubeconfig.of({ addOn });
      const volume = { name: 'hub-kubeconfig', secret: { secretName } };
      return [{ volume, mountPath: MountPath.AddOnHubKubeconfigDirectory }];
    }
    if (!customSigner) return [];
    const signer = customSigner.signerName.replaceAll('/', '-');
    const volume = {
      name: `cert-${signer.replaceAll('.', '-')}`,
      secret: { secretName: SecretName.AddOnClientCert.of({ addOn, signer }) },
    };
    return [{ volume, mountPath: MountPath.AddOnSignerDirectory.of({ signer }) }];
  });
