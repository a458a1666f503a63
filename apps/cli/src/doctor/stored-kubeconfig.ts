import { DataKey } from '@flotilla/api-types';
import { parse, stringify } from 'yaml';

interface StoredUser {
  readonly user?: Record<string, unknown>;
}

/** The kubeconfig of an agent with what it names as files beside it: the Secret has both, by key. */
export function selfContainedKubeconfig(data: Readonly<Record<string, string>>): string {
  const kubeconfig = parse(Buffer.from(data[DataKey.Kubeconfig] ?? '', 'base64').toString('utf8'));
  const users = ((kubeconfig.users ?? []) as StoredUser[]).map((entry) => {
    const { 'client-certificate': certificate, 'client-key': key, ...user } = entry.user ?? {};
    return {
      ...entry,
      user: {
        ...user,
        ...(certificate !== undefined && { 'client-certificate-data': data[DataKey.TlsCertificate] }),
        ...(key !== undefined && { 'client-key-data': data[DataKey.TlsKey] }),
      },
    };
  });
  return stringify({ ...kubeconfig, users });
}
