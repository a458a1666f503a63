import { DataKey } from '@flotilla/api-types';
import { readEndpoint } from '@flotilla/registration-core/kube-hub';

/** The API server that a stored kubeconfig names. */
export function kubeconfigServer({
  [DataKey.Kubeconfig]: kubeconfig = '',
}: Readonly<Record<string, string>>): string | undefined {
  try {
    return readEndpoint(kubeconfig).server;
  } catch {
    return undefined;
  }
}
