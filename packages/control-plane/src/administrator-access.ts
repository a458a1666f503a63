import type { ClusterAccess } from '@flotilla/kube';
import {
  formatKubeconfig,
  type KubeconfigDocument,
  type KubeconfigNames,
  kubeconfigFor,
  writeKubeconfig,
} from '@flotilla/kube/kubeconfig';
import type { ControlPlanePki } from './authn/index.ts';

export interface AdministratorAccessOptions {
  readonly pki: Pick<ControlPlanePki, 'authority' | 'admin'>;
  readonly server: string;
  /** Where the kubeconfig goes, if anywhere. */
  readonly kubeconfigPath?: string;
  readonly kubeconfigNames?: KubeconfigNames;
}

/** How the administrator reaches the server. Each read sees the certificates of that moment. */
export interface AdministratorAccess {
  readonly access: ClusterAccess;
  /** YAML. */
  readonly kubeconfig: string;
  /** Writes the kubeconfig to its path, if it has one. */
  write(): Promise<void>;
}

export function administratorAccess(options: AdministratorAccessOptions): AdministratorAccess {
  const { pki, server, kubeconfigPath } = options;
  const names = { cluster: 'flotilla', user: 'kubernetes-admin', context: 'flotilla', ...options.kubeconfigNames };
  const access = (): ClusterAccess => ({
    server,
    ca: pki.authority.certificate,
    clientCertificate: pki.admin,
    origin: 'control plane',
  });
  const document = (): KubeconfigDocument => kubeconfigFor(access(), names);
  return {
    get access() {
      return access();
    },
    get kubeconfig() {
      return formatKubeconfig(document());
    },
    async write() {
      if (kubeconfigPath !== undefined) await writeKubeconfig(kubeconfigPath, document());
    },
  };
}
