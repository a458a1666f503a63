import { ConfigMapName, DataKey } from '@flotilla/api-types';
import type { ConfigMap } from '@flotilla/kube/kinds';
import { cipherList } from '@flotilla/process';

const versions: Readonly<Record<string, string>> = {
  VersionTLS12: 'VersionTLS12',
  VersionTLS13: 'VersionTLS13',
  'TLSv1.2': 'VersionTLS12',
  'TLSv1.3': 'VersionTLS13',
};

/** How all programs of hubs serve TLS, and what is wrong with the ConfigMap that says so. */
export interface TlsProfile {
  readonly flags: readonly string[];
  readonly problems: readonly string[];
}

/** The profile of a ConfigMap; without one TLS 1.2 and the suites of each program. */
export function tlsProfile(map: ConfigMap | undefined): TlsProfile {
  const data = map?.data ?? {};
  const where = `ConfigMap ${map?.metadata?.namespace}/${ConfigMapName.TlsProfile}`;
  const given = data[DataKey.TlsMinVersion]?.trim() || 'VersionTLS12';
  const minVersion = versions[given];
  const suites = (data[DataKey.TlsCipherSuites] ?? '')
    .split(',')
    .map((suite) => suite.trim())
    .filter((suite) => suite !== '');
  const known = suites.filter(isCipherSuite);
  const problems = [
    ...(minVersion
      ? []
      : [`${where}: ${DataKey.TlsMinVersion} "${given}" is not known. Use VersionTLS12 or VersionTLS13.`]),
    ...(suites.length > 0 && known.length === 0
      ? [`${where}: ${DataKey.TlsCipherSuites} "${suites.join(',')}" has no known suite. Use their IANA names.`]
      : []),
  ];
  const flags = [
    `--tls-min-version=${minVersion ?? 'VersionTLS12'}`,
    ...(known.length > 0 ? [`--tls-cipher-suites=${known.join(',')}`] : []),
  ];
  return { flags, problems };
}

function isCipherSuite(suite: string): boolean {
  try {
    cipherList([suite]);
    return true;
  } catch {
    return false;
  }
}
