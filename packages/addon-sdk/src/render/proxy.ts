import type { AddOnDeploymentConfigSpec } from '@flotilla/api-types';
import type { EnvVar } from '@flotilla/kube/kinds';

/** The variables by which programs find a proxy, in both spellings. */
export function proxyEnv(proxy: AddOnDeploymentConfigSpec['proxyConfig']): EnvVar[] {
  const both = (name: string, value: string | undefined): EnvVar[] =>
    value ? [name, name.toLowerCase()].map((spelling) => ({ name: spelling, value })) : [];
  return [
    ...both('HTTP_PROXY', proxy?.httpProxy),
    ...both('HTTPS_PROXY', proxy?.httpsProxy),
    ...both('NO_PROXY', proxy?.noProxy),
  ];
}
